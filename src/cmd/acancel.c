/*
 * acancel: cancel jobs, or send them a signal.
 *
 * The ids and options become a filter. The controller answers in pages, which are added up and
 * reported as one line. Ids that the controller no longer has in memory are looked up in the
 * history: a job that ended earlier is not an error, an id that never existed is one. --dry-run
 * lists the jobs and changes nothing. An id of a step, such as 812.0, is a request of its own, before
 * those about jobs.
 */
#include "client/jobstate.h"
#include "client/known.h"
#include "cmd/common/command.h"
#include "cmd/common/problems.h"
#include "cmd/listing/job_rows.h"
#include "util/mem.h"
#include "util/plural.h"
#include "util/signals.h"
#include "util/visible.h"

#include <errno.h>
#include <inttypes.h>

enum { LOOKUPS_MAX = 100 };

struct request {
	struct job_request which;
	const char *reason;
	bool dry_run, quiet;
	int signal; /* 0: cancel */
	bool script_only;
	const char *const *steps; /* ids of steps */
	size_t step_count;
};

/* The sums of all pages of the reply. */
struct tally {
	uint64_t matched, cancelled, ending, already_ended, denied;
	uint64_t signalled, not_running;
	struct problems problems;
};

static int read_signal(void *field, const void *arg, const char *value, struct err *err)
{
	(void)arg;
	return signal_parse(value, field, err);
}

static const struct opt rows[] = {
	{"signal", NULL, 0, "SIG", OPT_READ(struct request, signal, read_signal, NULL),
	 "Send this signal to the running jobs instead of cancelling jobs"},
	{"batch", NULL, 'b', NULL, OPT_FLAG(struct request, script_only),
	 "With --signal: only to the first process of each task, the script"},
	{"reason", NULL, 0, "TEXT", OPT_TEXT(struct request, reason),
	 "Reason for the cancellation; stored with the jobs"},
	{"dry-run", NULL, 0, NULL, OPT_FLAG(struct request, dry_run),
	 "Print which jobs would be cancelled, and cancel nothing"},
	{"quiet", NULL, 'Q', NULL, OPT_FLAG(struct request, quiet), "Print errors only"},
};

static const struct opt_table own_options = {"Cancelling", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&job_options, &own_options, &command_options,
						 NULL};
static const char *const usages[] = {"[option...] [id...]", NULL};

static int dry_run(struct connection *c, const struct request *r, struct err *err)
{
	struct job_rows found;
	uint64_t count = 0;
	int rc;

	job_rows_init(&found);
	rc = job_rows_fetch(&found, c, &r->which.filter, JOB_ROWS_ACTIVE, err);
	for (size_t i = 0; rc == 0 && i < found.count; i++) {
		const Armada__JobRow *row = found.list[i].row;
		CLEANUP_BUF struct buf id = {0};

		if (job_state(row->state)->ended)
			continue;
		job_row_id(row, &id);
		printf("%s %s %s\n", (char *)id.data, job_state(row->state)->name, row->name);
		count += row->count ? row->count : 1;
	}
	if (rc == 0 && !r->quiet)
		fprintf(stderr, "acancel: %" PRIu64 " would be %s\n", count,
			r->signal ? "sent the signal if they are running" : "cancelled");
	job_rows_done(&found);
	return rc;
}

static void add_page(struct tally *t, const Armada__CancelReply *reply)
{
	t->matched += reply->matched;
	t->cancelled += reply->cancelled;
	t->ending += reply->ending;
	t->already_ended += reply->already_ended;
	t->denied += reply->denied;
	t->signalled += reply->signalled;
	t->not_running += reply->not_running;
	problems_add(&t->problems, reply->problems, reply->n_problems);
}

/* Prints "cancelled 3 waiting; ending 2 running; 1 had ended already", "sent USR1 to 2 running". */
static void report(const struct request *r, const struct tally *t)
{
	char name[SIGNAL_NAME], sent[SIGNAL_NAME + 16];
	const struct {
		uint64_t count;
		const char *before, *after;
	} parts[] = {
		{t->signalled, sent, " running"},
		{t->not_running, "", " not running"},
		{t->cancelled, "cancelled ", " waiting"},
		{t->ending, "ending ", " running"},
		{t->already_ended, "", " had ended already"},
	};
	const char *separator = "acancel: ";

	signal_format(r->signal, name);
	snprintf(sent, sizeof(sent), "sent %s to ", name);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].count)
			continue;
		printf("%s%s%" PRIu64 "%s", separator, parts[i].before, parts[i].count,
		       parts[i].after);
		separator = "; ";
	}
	if (separator[0] == ';')
		putchar('\n');
}

/*
 * Looks up ids that the controller does not have in memory. Jobs that have ended are counted. An id
 * that never existed is an error, unless it was part of a range.
 */
static int check_missing(struct connection *c, Armada__JobRange *const *list, size_t count,
			 struct tally *t, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < count && i < LOOKUPS_MAX; i++) {
		Armada__JobRange *r = list[i];
		uint64_t ended = 0;
		int rc = job_rows_in_history(c, r, &ended, err);

		if (rc < 0)
			return rc;
		t->already_ended += ended;
		if (!ended && r->first == r->last) {
			char *sentence = xasprintf("there is no job %" PRIu64 "%s", r->first,
						   r->has_elements ? " with these elements" : "");

			problems_add(&t->problems, &sentence, 1);
			result = err_set(err, -ENOENT, "%s", sentence);
			free(sentence);
		}
	}
	return result;
}

static int result(const struct request *r, const struct tally *t, struct err *err)
{
	if (t->denied)
		return err_set(err, -EPERM, "%" PRIu64 " of them belong%s to other users",
			       t->denied, plural(t->denied, "s", ""));
	if (!t->matched && !t->already_ended)
		return err_set(err, -ENOENT, "there are no such jobs");
	if (r->signal && !t->signalled)
		return err_set(err, -ESRCH, "no task could be signalled");
	return 0;
}

static int cancel(struct connection *c, const struct request *r, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__CancelRequest q = ARMADA__CANCEL_REQUEST__INIT;
	struct tally t = {.problems.before = r->signal ? "acancel" : "acancel: error"};
	const Armada__JobFilter *f = &r->which.filter.message;
	const Armada__CancelReply *page;
	int rc = 0, absent = 0;

	q.filter = (Armada__JobFilter *)&r->which.filter.message;
	if (r->reason)
		q.reason = (char *)r->reason;
	q.signal = r->signal;
	q.signal_script = r->script_only;
	do {
		rc = connection_ask(c, MSG_CANCEL, &q, MSG_CANCEL_REPLY, arena, 0, &page, err);
		if (rc < 0)
			break;
		add_page(&t, page);
		q.after_id = page->next_after_id;
		if (page->n_missing && absent == 0)
			absent = check_missing(c, page->missing, page->n_missing, &t, err);
	} while (q.after_id);
	if (rc == 0 && !t.matched && !t.already_ended && !t.denied && !absent)
		absent = check_missing(c, f->ids, f->n_ids, &t, err);
	if (rc == 0 && !r->quiet)
		report(r, &t);
	if (rc == 0)
		rc = absent ? absent : result(r, &t, err);
	/* each id that does not exist has its sentence */
	return problems_end(&t.problems,
			    rc == -EPERM ? t.denied
			    : absent     ? t.problems.count
					 : 0,
			    rc, err);
}

static int signal_step(struct connection *c, const struct request *r, const char *text,
		       struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__SignalStepRequest q = ARMADA__SIGNAL_STEP_REQUEST__INIT;
	const Armada__SignalStepReply *reply;
	char name[SIGNAL_NAME];
	struct step_id id;
	int rc = step_id_parse(text, &id, err);

	if (rc < 0)
		return rc;
	q.job = id.job;
	q.has_element = id.has_element;
	q.element = id.element;
	q.step = id.step;
	q.signal = r->signal;
	rc = connection_ask(c, MSG_SIGNAL_STEP, &q, MSG_SIGNAL_STEP_REPLY, arena, 0, &reply, err);
	if (rc < 0 || r->quiet)
		return rc;
	signal_format(r->signal, name);
	if (r->signal)
		printf("acancel: sent %s to %" PRIu32 " task%s of step %s\n", name, reply->tasks,
		       plural(reply->tasks, "", "s"), text);
	else
		printf("acancel: ending %" PRIu32 " task%s of step %s\n", reply->tasks,
		       plural(reply->tasks, "", "s"), text);
	return 0;
}

/* All of them, although one fails; the first failure is returned. */
static int signal_steps(struct connection *c, const struct request *r, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < r->step_count; i++) {
		struct err why = {{0}};
		int rc = signal_step(c, r, r->steps[i], &why);

		if (rc < 0 && result < 0)
			visible_complain("acancel: error", why.text);
		else if (rc < 0)
			result = err_set(err, rc, "%s", why.text);
	}
	return result;
}

/* Ids of steps come to the front of the operands; the others go to the filter. */
static int take_operands(struct request *r, const char **operands, size_t count, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		if (step_id_is(operands[i]))
			operands[r->step_count++] = operands[i];
		else
			rc = filter_add(&r->which.filter, FILTER_IDS, operands[i], err);
	}
	r->steps = operands;
	return rc;
}

static int check(const struct request *r, struct err *err)
{
	if (r->script_only && !r->signal)
		return err_set(err, -EINVAL,
			       "--batch needs --signal; a job is always cancelled as a whole");
	if (r->step_count && (r->script_only || r->reason || r->dry_run))
		return err_set(err, -EINVAL, "--batch, --reason and --dry-run are not for steps");
	return 0;
}

static int run(int argc, char **argv, struct err *err)
{
	struct request r = {0};
	struct connection *c = NULL;
	CLEANUP_FREE const char **operands = NULL;
	size_t count = 0;
	int rc;

	filter_init(&r.which.filter);
	rc = opt_parse(tables, argc, argv, &r, &operands, &count, err);
	if (rc == 0)
		rc = take_operands(&r, operands, count, err);
	if (rc == 0)
		rc = check(&r, err);
	if (rc == 0 && !r.step_count && filter_is_empty(&r.which.filter))
		rc = err_set(err, -EINVAL,
			     "nothing selected; give job ids, or --user, --queue, "
			     "--job-set, --account, --name, --state, --me");
	if (rc == 0)
		rc = connection_new(&c, NULL, err);
	if (rc == 0)
		rc = known_check(c, &r.which.filter, NULL, NULL, err);
	if (rc == 0)
		rc = signal_steps(c, &r, err);
	if (rc == 0 && !filter_is_empty(&r.which.filter))
		rc = r.dry_run ? dry_run(c, &r, err) : cancel(c, &r, err);
	connection_free(c);
	filter_done(&r.which.filter);
	return rc;
}

static const struct command acancel = {
	.name = "acancel",
	.summary = "Cancel jobs, or send them a signal",
	.usages = usages,
	.tables = tables,
	.run = run,
};

int main(int argc, char **argv)
{
	return command_main(&acancel, argc, argv);
}
