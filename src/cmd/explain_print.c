/*
 * The text of aexplain for one job.
 *
 * Input is the reply of the controller; output is a page with a title, the reason, the nodes, the
 * queue, the order, the expected start and the change that would start the job. Sections without
 * content are left out. A job that is not pending gets one sentence. On a terminal, words are
 * coloured.
 */
#include "cmd/explain_print.h"

#include "client/jobstate.h"
#include "cmd/listing/job_rows.h"
#include "cmd/listing/resources.h"
#include "proto/update_table.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/plural.h"
#include "util/units.h"

#include <inttypes.h>
#include <string.h>

/* Kinds of text, which SGR codes mark on a terminal. */
enum tone { PLAIN, HEADING, WARNING, GOOD };

struct page {
	FILE *out;
	bool colours;
};

static const char *tone_on(const struct page *p, enum tone tone)
{
	static const char *const codes[] = {"", "\033[1m", "\033[1;33m", "\033[1;32m"};

	return p->colours ? codes[tone] : "";
}

static const char *tone_off(const struct page *p, enum tone tone)
{
	return p->colours && tone != PLAIN ? "\033[0m" : "";
}

static void heading(const struct page *p, const char *text)
{
	fprintf(p->out, "\n%s%s%s\n", tone_on(p, HEADING), text, tone_off(p, HEADING));
}

static void print_title(const struct page *p, const Armada__ExplainReply *e, int64_t now_us)
{
	CLEANUP_BUF struct buf id = {0};
	const Armada__JobRow *row = e->row;
	char since[48];

	if (!row)
		return;
	job_row_id(row, &id);
	fprintf(p->out, "%sJob %s%s%s%s%s of %s in queue %s, %s", tone_on(p, HEADING),
		(char *)id.data, tone_off(p, HEADING), row->name[0] ? " (" : "", row->name,
		row->name[0] ? ")" : "", row->user, row->queue, job_state(row->state)->name);
	if (row->count > 1)
		fprintf(p->out, ", %" PRIu64 " elements", row->count);
	if (row->gang_id[0])
		fprintf(p->out, ", one of the %" PRIu32 " jobs of gang %s", row->gang_cardinality,
			row->gang_id);
	format_time(row->submit_us, since, sizeof(since));
	if (!e->note[0])
		fprintf(p->out, ", submitted %s (%s ago)", since,
			duration_words(now_us > row->submit_us ? now_us - row->submit_us : 0).text);
	fputc('\n', p->out);
}

/* How the previous attempt ended. */
static void print_before(const struct page *p, const Armada__JobRow *row)
{
	if (row && row->last_end[0])
		fprintf(p->out, "Before: %s.\n", row->last_end);
}

static void print_note(const struct page *p, const Armada__ExplainReply *e)
{
	CLEANUP_BUF struct buf nodes = {0}, ended = {0};
	const Armada__JobRow *row = e->row;
	char text[48];

	fprintf(p->out, "It is not pending: %s", e->note);
	/* the sentence about a silent node is long, and stands by itself */
	if (row && row->reason[0] && !strstr(e->note, row->reason) &&
	    row->state != ARMADA__JOB_STATE__JOB_UNKNOWN)
		fprintf(p->out, ": %s", row->reason);
	if (row && row->end_us) {
		format_time(row->end_us, text, sizeof(text));
		job_row_exit(row, &ended);
		if (job_row_has_exit(row))
			fprintf(p->out, " (%s, exit code %s)", text, (char *)ended.data);
		else
			fprintf(p->out, " (%s)", text);
	} else if (row && row->n_nodes) {
		hostlist_compress((const char *const *)row->nodes, row->n_nodes, &nodes);
		fprintf(p->out, " on %s", (char *)nodes.data);
	}
	if (row && row->start_us && !row->end_us) {
		format_time(row->start_us, text, sizeof(text));
		fprintf(p->out, " since %s", text);
	}
	fprintf(p->out, ".\n");
	if (row && row->reason[0] && row->state == ARMADA__JOB_STATE__JOB_UNKNOWN)
		fprintf(p->out, "  %s\n", row->reason);
}

/* Whether the job waits for other jobs or for its begin time; the scheduler has no such jobs. */
static bool waits_outside_scheduler(const Armada__ExplainReply *e)
{
	return e->row && (e->row->dependency[0] || e->row->begin_us ||
			  !strcmp(e->word, "DependencyNeverSatisfied"));
}

/*
 * Whether the answer is complete with its reason: the controller gave it without a dry run, for
 * example for a gang that is not complete.
 */
static bool is_brief(const Armada__ExplainReply *e)
{
	return e->why && e->row && (e->row->gang_id[0] || waits_outside_scheduler(e)) &&
	       !e->looked_at && !e->nodes;
}

/* Whether the round decides about the job. Others, such as held ones, no round tries. */
static bool ends_with_round(const Armada__ExplainReply *e)
{
	static const char *const words[] = {"Priority", "Lookback", "RoundTime", "RoundLimit"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(e->word, words[i]) == 0)
			return !(e->row && e->row->held);
	return false;
}

static void print_begin(const struct page *p, const Armada__ExplainReply *e)
{
	char when[48];

	if (!e->row || !e->row->begin_us)
		return;
	format_time(e->row->begin_us, when, sizeof(when));
	fprintf(p->out, "  Not before %s.\n", when);
}

/* The latest start that the deadline of the job permits; 0: it has no deadline. */
static int64_t last_start_us(const Armada__JobRow *row)
{
	if (!row || !row->deadline_us)
		return 0;
	return row->deadline_us - (row->time_min_s ? row->time_min_s : row->time_limit_s) * 1000000;
}

static void print_deadline(const struct page *p, const Armada__JobRow *row)
{
	char when[48];

	if (!last_start_us(row))
		return;
	format_time(last_start_us(row), when, sizeof(when));
	fprintf(p->out, "  It is cancelled unless it starts by %s, because of its deadline.\n",
		when);
}

static void print_reason(const struct page *p, const Armada__ExplainReply *e)
{
	if (!e->why) {
		fprintf(p->out, "\n%s%s%s\n", tone_on(p, GOOD),
			e->text[0] ? e->text : "It starts in the next round.", tone_off(p, GOOD));
		return;
	}
	fprintf(p->out, "\n%s%s%s: %s.\n", tone_on(p, WARNING), e->word, tone_off(p, WARNING),
		e->meaning);
	if (e->text[0])
		fprintf(p->out, "  %s\n", e->text);
	print_begin(p, e);
	print_deadline(p, e->row);
	if (!e->looked_at && !is_brief(e) && ends_with_round(e))
		fprintf(p->out, "  A round that ran now would end before it tries this job.\n");
}

/* "n3 is drained (since 2026-11-23T10:12:00, by root): bad DIMM" */
static void print_waited(const struct page *p, const Armada__ExplainReply *e)
{
	char since[48];

	for (size_t i = 0; i < e->n_waited; i++) {
		const Armada__WaitedNode *n = e->waited[i];

		fprintf(p->out, "  %s is %s", n->name, node_state_name(n->state));
		format_time(n->since_us, since, sizeof(since));
		if (n->since_us && n->by[0])
			fprintf(p->out, " (since %s, by %s)", since, n->by);
		else if (n->since_us)
			fprintf(p->out, " (since %s)", since);
		fprintf(p->out, "%s%s\n", n->reason[0] ? ": " : "", n->reason);
	}
	if (e->waited_count > e->n_waited && e->n_waited)
		fprintf(p->out, "  %zu more %s that it could use %s not available\n",
			e->waited_count - e->n_waited,
			plural(e->waited_count - e->n_waited, "node", "nodes"),
			plural(e->waited_count - e->n_waited, "is", "are"));
}

/* "n1: job 12 of ann, since 2026-11-23T10:12:00, until 2026-11-23T11:12:00 at the latest" */
static void print_holder(const struct page *p, const Armada__RoomHolder *h)
{
	char text[48];

	fprintf(p->out, "  %s: ", h->node);
	if (!h->job)
		fputs("a job of another user", p->out);
	else if (h->has_element)
		fprintf(p->out, "job %" PRIu64 "_%" PRIu32 " of %s", h->job, h->element, h->user);
	else
		fprintf(p->out, "job %" PRIu64 " of %s", h->job, h->user);
	if (h->tasks > 1)
		fprintf(p->out, ", %" PRIu32 " tasks", h->tasks);
	format_time(h->start_us, text, sizeof(text));
	fprintf(p->out, h->start_us ? ", since %s" : ", which has not started yet", text);
	format_time(h->end_us, text, sizeof(text));
	if (h->end_us)
		fprintf(p->out, ", until %s at the latest\n", text);
	else /* the end of a job that has not started is not known, whatever its time limit */
		fputs(h->start_us ? ", without a time limit\n" : "\n", p->out);
}

static void print_holders(const struct page *p, const Armada__ExplainReply *e)
{
	if (!e->n_holders)
		return;
	heading(p, "Jobs on nodes that it could use");
	for (size_t i = 0; i < e->n_holders; i++)
		print_holder(p, e->holders[i]);
	if (e->holder_count > e->n_holders)
		fprintf(p->out, "  %zu more %s there\n", e->holder_count - e->n_holders,
			plural(e->holder_count - e->n_holders, "job", "jobs"));
	if (e->taken_named && e->taken_count > e->taken_named)
		fprintf(p->out,
			"  This is about the nearest %" PRIu32 " of %" PRIu32 " such nodes.\n",
			e->taken_named, e->taken_count);
}

static void print_nodes(const struct page *p, const Armada__ExplainReply *e)
{
	heading(p, "Nodes");
	fprintf(p->out, "  %6" PRIu32 "  in total\n", e->nodes);
	for (size_t i = 0; i < e->n_excluded; i++)
		fprintf(p->out, "  %6" PRIu32 "  %s\n", e->excluded[i]->nodes,
			e->excluded[i]->text);
	fprintf(p->out, "  %6" PRIu32 "  could run a task of the job now\n", e->fitting);
	if (e->nearest[0])
		fprintf(p->out, "  The nearest node is %s; it lacks %s.\n", e->nearest,
			e->nearest_lacks);
	print_waited(p, e);
	print_holders(p, e);
}

static void print_amounts(const struct page *p, const Armada__QueueShare *s)
{
	char used[32], wanted[32];

	fprintf(p->out, "  %-10s %12s %12s\n", "", "allocated", "wanted");
	for (size_t i = 0; i < s->n_demand; i++) {
		const char *name = s->demand[i]->name;
		int64_t amount = resources_amount(s->allocated, s->n_allocated, name);

		if (!amount && !s->demand[i]->amount)
			continue;
		resources_format(name, s->demand[i]->size, amount, used, sizeof(used));
		resources_format(name, s->demand[i]->size, s->demand[i]->amount, wanted,
				 sizeof(wanted));
		fprintf(p->out, "  %-10s %12s %12s\n", name, used, wanted);
	}
}

static void print_share(const struct page *p, const Armada__QueueShare *s)
{
	CLEANUP_BUF struct buf fair = {0}, capped = {0}, cost = {0}, title = {0};

	buf_addf(&title, "Queue %s", s->queue);
	heading(p, (char *)title.data);
	column_percent(s->fair, &fair);
	column_percent(s->capped, &capped);
	column_percent(s->cost, &cost);
	fprintf(p->out, "  %-10s %12s   of the cluster\n", "uses", (char *)cost.data);
	fprintf(p->out,
		"  %-10s %12s   by its weight of %.4g (a lower priority factor makes it larger)\n",
		"fair share", (char *)fair.data, s->weight);
	fprintf(p->out, "  %-10s %12s   with a part of what other queues do not want\n", "adjusted",
		(char *)capped.data);
	print_amounts(p, s);
}

static void print_order(const struct page *p, const Armada__ExplainReply *e)
{
	if (!e->place && !e->before)
		return;
	heading(p, "Order");
	if (e->place)
		fprintf(p->out,
			"  position %" PRIu64 " of the %" PRIu64 " pending %s of its queue: more "
			"urgent class first,\n  then lower priority, then earlier submission\n",
			e->place, e->of, plural(e->of, "job", "jobs"));
	if (e->looked_at && !e->before) {
		fprintf(p->out, "  nothing is tried before it\n");
		return;
	}
	fprintf(p->out,
		e->looked_at ? "  %" PRIu64 " %s of all queues %s tried before it\n"
			     : "  the round ends after %" PRIu64 " %s of all queues\n",
		e->before, plural(e->before, "gang", "gangs"), plural(e->before, "is", "are"));
}

static void print_expected(const struct page *p, const Armada__ExplainReply *e)
{
	char when[48];

	if (!e->expected_us)
		return;
	format_time(e->expected_us, when, sizeof(when));
	heading(p, "Expected start");
	fprintf(p->out, "  %s at the latest, if every running job uses its whole time limit\n",
		when);
	if (last_start_us(e->row) && last_start_us(e->row) < e->expected_us)
		fputs("  That is too late for its deadline: it starts only if jobs end earlier.\n",
		      p->out);
}

/* The options of actl update; whether they also change a member of a gang of jobs. */
enum { ALONE, GANG };
#define ALSO(field, option, ...)                                       {option, ALONE},
#define UPDATES(field, words, when, gang, right, members, option, ...) {option, gang},

static const struct {
	const char *name;
	int gang;
} updates[] = {UPDATE_TABLE(UPDATES, ALSO)};

/* Can actl update make each change of "--nodes=2 --cpus=4"? */
static bool can_update(const char *options, bool in_gang)
{
	while (*options) {
		size_t n = strcspn(options, " "), name = strcspn(options, "= ");
		bool known = false;

		for (size_t i = 0; i < ARRAY_SIZE(updates); i++)
			known = known || ((updates[i].gang == GANG || !in_gang) && name > 2 &&
					  strlen(updates[i].name) == name - 2 &&
					  memcmp(updates[i].name, options + 2, name - 2) == 0);
		if (!known)
			return false;
		options += n;
		options += strspn(options, " ");
	}
	return true;
}

/* What actl update would be given for the change; empty: it cannot make the change. */
static const char *update_options(const Armada__ExplainReply *e)
{
	const Armada__Change *c = e->change;
	const char *options = c->option;

	if (!strcmp(c->kind, "drop-label") && !*options)
		options = "--constraint=none";
	else if (!strcmp(c->kind, "drop-lists") && !*options)
		options = "--nodelist=none --exclude=none";
	return can_update(options, e->row && e->row->gang_id[0]) ? options : "";
}

static void print_command(const struct page *p, const Armada__ExplainReply *e)
{
	const char *options = update_options(e);

	if (!strcmp(e->change->kind, "release"))
		fprintf(p->out, "  %sactl release %" PRIu64 "%s\n", tone_on(p, GOOD), e->job,
			tone_off(p, GOOD));
	if (*options)
		fprintf(p->out, "  %sactl update %" PRIu64 " %s%s%s\n", tone_on(p, GOOD), e->job,
			options, tone_off(p, GOOD),
			e->row && e->row->is_array
				? "  (for all its elements, while none of them runs)"
				: "");
	if (e->change->option[0])
		fprintf(p->out, "  asubmit option: %s%s%s\n", tone_on(p, GOOD), e->change->option,
			tone_off(p, GOOD));
}

static void print_change(const struct page *p, const Armada__ExplainReply *e)
{
	if (!e->why)
		return;
	heading(p, "What would start it now");
	if (e->change) {
		fprintf(p->out, "  %s%s%s\n", tone_on(p, GOOD), e->change->text, tone_off(p, GOOD));
		print_command(p, e);
		return;
	}
	if (!strcmp(e->word, "Held")) {
		fprintf(p->out, "  %sactl release %" PRIu64 "%s\n", tone_on(p, GOOD), e->job,
			tone_off(p, GOOD));
		return;
	}
	if (!strcmp(e->word, "QueueCordoned") && e->row) {
		fprintf(p->out, "  %sactl queue update %s --uncordon%s\n", tone_on(p, GOOD),
			e->row->queue, tone_off(p, GOOD));
		return;
	}
	if (!strcmp(e->word, "ArrayLimit") && e->fitting) {
		fprintf(p->out, "  %sactl update %" PRIu64 " --array-throttle=0%s  (0: no limit)\n",
			tone_on(p, GOOD), e->job, tone_off(p, GOOD));
		return;
	}
	if (!e->tried && !e->cut) {
		fputs("  No change of the job alone would start it.\n", p->out);
		return;
	}
	fprintf(p->out, "  None of the %" PRIu32 " single changes that were tried%s.\n", e->tried,
		e->cut ? "; there was no time to try them all" : "");
}

void explain_print(const Armada__ExplainReply *e, int64_t now_us, FILE *out)
{
	const struct page p = {out, listing_colours(out)};

	print_title(&p, e, now_us);
	print_before(&p, e->row);
	if (e->note[0]) {
		print_note(&p, e);
		return;
	}
	print_reason(&p, e);
	if (is_brief(e))
		return;
	print_nodes(&p, e);
	if (e->share)
		print_share(&p, e->share);
	print_order(&p, e);
	print_expected(&p, e);
	print_change(&p, e);
}
