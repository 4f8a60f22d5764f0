/*
 * awatch: follow the events of a job set, or of jobs.
 *
 * Input: a queue and a job set, or ids. Output: a line for each event, or an object in JSON; on a terminal
 * also a line of progress below them. --wait waits for the ends of jobs and prints nothing else than reasons.
 * The events come from client/events.c, which survives restarts of the controller. Where a number of elements
 * is needed and the controller does not count them (--user, --label, ids), all events are read from the first
 * on, and those before the wanted number are not printed.
 */
#include "cmd/awatch/awatch.h"

#include "client/jobstate.h"
#include "cmd/awatch/event_columns.h"
#include "cmd/awatch/label_jobs.h"
#include "cmd/awatch/progress.h"
#include "cmd/common/retry.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct opt rows[] = {
	{"queue", "partition -p", 'q', "QUEUE", OPT_WORD(struct request, queue),
	 "Queue of the job set; your own queue if it is not given"},
	{"job-set", "jobset", 's', "NAME", OPT_WORD(struct request, job_set),
	 "Job set; the jobs without one if it is not given"},
	{"user", NULL, 'u', "USER", OPT_WORD(struct request, user), "Only jobs of this user"},
	{"label", "labels", 0, "LABELS", FILTER_OPTION(struct request, filter, FILTER_LABELS),
	 "Only jobs with all these labels: key=value, key or !key"},
	{"from", NULL, 0, "NUMBER", OPT_WORD(struct request, from),
	 "First event; 0: the first that is kept. Without it, what happens from now on"},
	{"exit-when-done", NULL, 'e', NULL, OPT_FLAG(struct request, exit_when_done),
	 "Show all events, follow, and exit when all jobs have ended"},
	{"wait", NULL, 'W', NULL, OPT_FLAG(struct request, wait),
	 "Wait for the end of the jobs, and exit with their highest exit code"},
	{"quiet", NULL, 'Q', NULL, OPT_FLAG(struct request, quiet),
	 "Show no progress, and no lost connection"},
};

static const struct opt_table own_options = {"What to watch", rows, ARRAY_SIZE(rows)};
static const struct opt_table *const tables[] = {&own_options, &listing_options, &command_options,
						 NULL};
static const char *const usages[] = {"[--queue QUEUE] [--job-set NAME] [option...] [id...]",
				     "--wait id...", NULL};

/* What is being shown. */
struct screen {
	const struct request *r;
	struct events *events;
	struct progress progress;
	struct label_jobs labelled;
	bool live; /* a line of progress is drawn */
	bool drawn, lost, headed;
	bool *counted; /* of each set: the controller's count was taken */
	size_t set_count;
};

static volatile sig_atomic_t interrupted;

static bool has_labels(const struct request *r)
{
	return r->filter.message.n_labels > 0;
}

static void on_signal(int sig)
{
	interrupted = sig;
}

static void erase(struct screen *s)
{
	if (s->drawn)
		fputs("\r\033[K", stdout);
	s->drawn = false;
}

static void draw(struct screen *s)
{
	CLEANUP_BUF struct buf text = {0};

	if (!s->live)
		return;
	erase(s);
	progress_text(&s->progress, clock_us(CLOCK_REALTIME), &text);
	printf("%s%s", (char *)text.data, s->lost ? " (no connection)" : "");
	fflush(stdout);
	s->drawn = true;
}

static const char *colour_code(const char *colour)
{
	if (!colour)
		return "";
	return strcmp(colour, "red") == 0     ? "\033[31m"
	       : strcmp(colour, "green") == 0 ? "\033[32m"
					      : "\033[33m";
}

/* The standard columns, aligned as far as a stream can be. */
static void print_line(struct screen *s, const struct event_view *v)
{
	CLEANUP_BUF struct buf id = {0}, detail = {0}, kind = {0};
	const char *colour = listing_colours(stdout) ? event_colour(v->event) : NULL;
	char when[48];

	if (!s->headed && !s->r->listing.noheader)
		printf("%-19s %6s %10s  %-13s %s\n", "TIME", "NUMBER", "ID", "EVENT", "DETAIL");
	s->headed = true;
	format_time(v->event->time_us, when, sizeof(when));
	event_id(v->event, &id);
	column_text(listing_column(&event_listing, "event"), v, &kind);
	event_detail(v->event, &detail);
	printf("%-19s %6" PRIu64 " %10s  %s%-13s%s %s\n", when, v->event->number, (char *)id.data,
	       colour_code(colour), (char *)kind.data, colour ? "\033[0m" : "",
	       (char *)detail.data);
}

static int print_event(struct screen *s, const struct event_view *v, struct err *err)
{
	struct listing_request how = s->r->listing;
	const void *row[1] = {v};
	json_t *o;

	erase(s);
	if (how.json) {
		o = event_json(v);
		json_dumpf(o, stdout, JSON_COMPACT);
		putchar('\n');
		json_decref(o);
		return 0;
	}
	if (!how.format) {
		print_line(s, v);
		return 0;
	}
	how.noheader |= s->headed;
	s->headed = true;
	return listing_print(&event_listing, &how, row, 1, stdout, err);
}

/* The counts of the controller are exact at the event that was the next one when the set was opened. */
static void take_counts(struct screen *s)
{
	size_t n = events_set_count(s->events);
	uint64_t waiting, active;

	if (n > s->set_count) {
		s->counted = xreallocarray(s->counted, n, sizeof(*s->counted));
		memset(s->counted + s->set_count, 0, n - s->set_count);
		s->set_count = n;
	}
	for (size_t i = 0; i < n; i++) {
		if (s->counted[i] || !events_are_old(s->events, i))
			continue;
		s->counted[i] = true;
		if (n == 1 && !has_labels(s->r) && events_counts(s->events, i, &waiting, &active))
			progress_set(&s->progress, (int64_t)waiting, (int64_t)active);
		s->progress.begin_us = clock_us(CLOCK_MONOTONIC);
		s->progress.begin_ended = s->progress.done + s->progress.failed;
	}
}

static bool all_old(const struct screen *s)
{
	for (size_t i = 0; i < events_set_count(s->events); i++)
		if (!events_are_old(s->events, i))
			return false;
	return true;
}

static void note_connection(struct screen *s)
{
	const char *why;
	bool lost = events_is_lost(s->events, &why);

	if (lost && !s->lost && !s->r->quiet) {
		erase(s);
		command_warn(&awatch, "%s; trying again", why);
	}
	s->lost = lost;
}

static bool is_over(const struct screen *s)
{
	return s->r->exit_when_done && all_old(s) && progress_is_over(&s->progress);
}

/* Of jobs with labels the events are read from the first on; without --from only new ones are printed. */
static bool is_wanted(const struct screen *s, const Armada__JobEvent *ev, bool is_new)
{
	return ev->number >= s->r->first &&
	       (is_new || !has_labels(s->r) || s->r->from || s->r->exit_when_done);
}

static int take_event(struct screen *s, const Armada__JobEvent *ev, size_t set, struct err *err)
{
	const struct events_set *of = events_set_of(s->events, set);
	struct event_view v = {ev, of->queue, of->job_set};
	bool is_new = set < s->set_count && s->counted[set];

	if (has_labels(s->r) && !label_jobs_take(&s->labelled, ev))
		return 0;
	if (!is_new || events_are_old(s->events, set))
		progress_note(&s->progress, ev);
	return is_wanted(s, ev, is_new) ? print_event(s, &v, err) : 0;
}

/* One event, or a second without one. */
static int step(struct screen *s, struct err *err)
{
	enum { TICK_MS = 1000 };
	const Armada__JobEvent *ev;
	size_t set;
	int rc;

	rc = events_next(s->events, TICK_MS, &ev, &set, err);
	if (rc == 0)
		rc = take_event(s, ev, set, err);
	take_counts(s);
	note_connection(s);
	if (rc == -ETIMEDOUT) {
		fflush(stdout);
		rc = 0;
	}
	return rc;
}

/* Lines are written at once when no more events are waiting. */
static int follow(struct screen *s, struct err *err)
{
	int rc = 0;

	take_counts(s);
	while (rc == 0 && !is_over(s) && !interrupted) {
		rc = step(s, err);
		if (rc == 0 && !s->r->listing.json)
			draw(s);
		fflush(stdout);
		if (ferror(stdout))
			rc = err_set(err, -EBADE, "the output cannot be written");
	}
	erase(s);
	if (rc == 0 && s->r->exit_when_done && !interrupted)
		return s->progress.exit_code ? 1 : 0;
	return rc == 0 && interrupted ? 128 + (int)interrupted : rc;
}

static int find_uid(const char *user, uint32_t *ret_uid, struct err *err)
{
	const struct passwd *pw = getpwnam(user);

	if (!pw)
		return err_set(err, -ENOENT, "there is no user '%s' on this machine", user);
	*ret_uid = pw->pw_uid;
	return 0;
}

/* All events are needed to count elements, unless the controller counts them. */
static int add_sets(struct request *r, struct events *e, struct err *err)
{
	struct events_set set = {.queue = r->queue ? r->queue : "",
				 .job_set = r->job_set ? r->job_set : ""};
	int rc = 0;

	if (r->job_count)
		return events_add_jobs(e, r->jobs, r->job_count, err);
	if (r->user)
		rc = find_uid(r->user, &set.uid, err);
	set.has_uid = r->user != NULL;
	set.from = r->exit_when_done || r->user || has_labels(r) ? 0 : r->first;
	set.new_only = !r->from && !r->exit_when_done && !has_labels(r);
	if (rc == 0)
		events_add(e, &set);
	return rc;
}

static int watch(struct request *r, struct connection *c, struct err *err)
{
	struct screen s = {.r = r, .labelled = {.filter = &r->filter.message}};
	int rc;

	s.live = !r->quiet && !r->listing.json && !r->listing.format && isatty(STDOUT_FILENO);
	s.events = events_new(c);
	rc = add_sets(r, s.events, err);
	if (rc == 0)
		rc = events_open(s.events, err);
	if (rc == 0)
		rc = follow(&s, err);
	events_free(s.events);
	label_jobs_done(&s.labelled);
	free(s.counted);
	return rc;
}

/* The end of one job; the controller may be restarted meanwhile. */
static int wait_one(const struct request *r, struct connection *c, uint64_t job, int *code,
		    struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const struct retry for_ever = {.command = &awatch, .for_ms = INT64_MAX, .quiet = r->quiet};
	Armada__WaitJobRequest request = ARMADA__WAIT_JOB_REQUEST__INIT;
	const Armada__WaitJobReply *w;
	int rc, own;

	request.job = job;
	rc = retry_ask(&for_ever, c, MSG_WAIT_JOB, &request, MSG_WAIT_JOB_REPLY, arena, -1, &w,
		       err);
	if (rc < 0)
		return rc;
	own = job_exit_code(w);
	if (own && w->reason[0] && !r->quiet)
		fprintf(stderr, "awatch: job %" PRIu64 ": %s\n", job, w->reason);
	if (own > *code)
		*code = own;
	return 0;
}

static int wait_all(const struct request *r, struct connection *c, struct err *err)
{
	int code = 0, rc = 0;

	for (size_t i = 0; rc == 0 && i < r->job_count; i++)
		rc = wait_one(r, c, r->jobs[i], &code, err);
	return rc < 0 ? rc : code;
}

static int parse_number(const char *text, uint64_t *ret, struct err *err)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	if (errno || *end || text[0] < '0' || text[0] > '9')
		return err_set(err, -EINVAL,
			       "--from: '%s' is no number of an event; 0 is the first that is kept",
			       text);
	return 0;
}

static int parse_jobs(struct request *r, const char *const *words, size_t count, struct err *err)
{
	struct filter f;
	int rc = 0;

	filter_init(&f);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = filter_add(&f, FILTER_IDS, words[i], err);
	for (size_t i = 0; rc == 0 && i < f.message.n_ids; i++) {
		const Armada__JobRange *ids = f.message.ids[i];

		if (ids->has_elements || ids->first != ids->last) {
			rc = err_set(err, -EINVAL, "whole jobs are watched: give ids such as 12");
			break;
		}
		r->jobs = xreallocarray(r->jobs, r->job_count + 1, sizeof(*r->jobs));
		r->jobs[r->job_count++] = ids->first;
	}
	filter_done(&f);
	return rc;
}

static int check(struct request *r, struct err *err)
{
	if (r->wait && !r->job_count)
		return err_set(err, -EINVAL, "--wait needs the ids of jobs");
	if (r->wait && (r->from || r->exit_when_done || r->listing.json || r->listing.format))
		return err_set(err, -EINVAL,
			       "--wait only waits: --from, --exit-when-done, --json and --format "
			       "do not go with it");
	if (r->job_count && (r->queue || r->job_set || r->user || has_labels(r)))
		return err_set(
			err, -EINVAL,
			"either ids or --queue, --job-set, --user and --label select the jobs");
	return r->from ? parse_number(r->from, &r->first, err) : 0;
}

static int run(int argc, char **argv, struct err *err)
{
	struct sigaction act = {.sa_handler = on_signal};
	CLEANUP_FREE const char **words = NULL;
	struct connection *c = NULL;
	struct request r = {0};
	size_t count = 0;
	int rc;

	filter_init(&r.filter);
	rc = opt_parse(tables, argc, argv, &r, &words, &count, err);
	if (rc == 0)
		rc = parse_jobs(&r, words, count, err);
	if (rc == 0)
		rc = check(&r, err);
	if (rc == 0)
		rc = listing_check(&event_listing, &r.listing, err);
	if (rc == 0)
		rc = connection_new(&c, NULL, err);
	if (rc == 0 && isatty(STDOUT_FILENO)) {
		sigaction(SIGINT, &act, NULL); /* to erase the line of progress */
		sigaction(SIGTERM, &act, NULL);
	}
	if (rc == 0)
		rc = r.wait ? wait_all(&r, c, err) : watch(&r, c, err);
	connection_free(c);
	filter_done(&r.filter);
	free(r.jobs);
	return rc;
}

static void columns_help(struct buf *out)
{
	listing_help(&event_listing, out);
}

const struct command awatch = {
	.name = "awatch",
	.summary = "Follow what happens to the jobs of a job set",
	.usages = usages,
	.tables = tables,
	.more_help = columns_help,
	.run = run,
};

int main(int argc, char **argv)
{
	listing_locale();
	return command_main(&awatch, argc, argv);
}
