/*
 * Describes how the elements of an array ended. Input: a job that has ended. Output: a sentence. The
 * counts by state are those of SHOW_JOB; the exit codes are read from the history, a page of failed
 * elements at most, so that an array of millions costs two requests.
 */
#include "cmd/array_ends.h"

#include "util/mem.h"
#include "util/plural.h"
#include "util/rangeset.h"
#include "util/signals.h"

#include <inttypes.h>

enum { PAGE = 1000 };

static const struct {
	Armada__JobState state;
	const char *word;
} ends[] = {
	{ARMADA__JOB_STATE__JOB_FAILED, "failed"},
	{ARMADA__JOB_STATE__JOB_CANCELLED, "cancelled"},
	{ARMADA__JOB_STATE__JOB_TIMEOUT, "timed out"},
	{ARMADA__JOB_STATE__JOB_PREEMPTED, "preempted"},
	{ARMADA__JOB_STATE__JOB_NODE_FAIL, "lost with a node"},
	{ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY, "out of memory"},
};

static uint64_t count_of(const Armada__ShowJobReply *job, Armada__JobState state)
{
	for (size_t i = 0; i < job->n_ended; i++)
		if (job->ended[i]->state == state)
			return job->ended[i]->count;
	return 0;
}

/* "exit codes 1-3,7" */
static void add_codes(const struct rangeset *codes, struct buf *out)
{
	if (!codes->total)
		return;
	buf_addf(out, "exit code%s ", plural(codes->total, "", "s"));
	for (size_t i = 0; i < codes->count; i++) {
		buf_addf(out, "%s%" PRIu32, i ? "," : "", codes->ranges[i].lo);
		if (codes->ranges[i].hi > codes->ranges[i].lo)
			buf_addf(out, "-%" PRIu32, codes->ranges[i].hi);
	}
}

static void add_signals(const struct rangeset *signals, struct buf *out)
{
	char name[SIGNAL_NAME];

	for (int n = 1; n < 65; n++) {
		if (!rangeset_contains(signals, (uint32_t)n))
			continue;
		signal_format(n, name);
		buf_addf(out, "%ssignal %s", out->len ? ", " : "", name);
	}
}

/* The exit codes and signals of the rows; of an element that has neither, the reason. */
static void add_rows(const Armada__ListJobsReply *rows, struct buf *out)
{
	struct rangeset codes = {0}, signals = {0};
	const char *reason = NULL;

	for (size_t i = 0; i < rows->n_rows; i++) {
		const Armada__JobRow *r = rows->rows[i];

		if (r->exit_code > 0)
			rangeset_add(&codes, (uint32_t)r->exit_code, (uint32_t)r->exit_code);
		if (r->exit_signal > 0)
			rangeset_add(&signals, (uint32_t)r->exit_signal, (uint32_t)r->exit_signal);
		if (r->exit_code <= 0 && r->exit_signal <= 0 && r->reason[0])
			reason = r->reason;
	}
	if (rows->more)
		buf_addstr(out, "for example ");
	add_codes(&codes, out);
	add_signals(&signals, out);
	if (reason)
		buf_addf(out, "%s%s", codes.total || signals.total ? "; " : "", reason);
	rangeset_done(&codes);
	rangeset_done(&signals);
}

/* How the failed elements ended; nothing if the history does not tell. */
static void describe_failed(struct connection *c, uint64_t job, struct arena *arena,
			    struct buf *out)
{
	Armada__JobRange id = ARMADA__JOB_RANGE__INIT, *ids = &id;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__HistoryRequest q = ARMADA__HISTORY_REQUEST__INIT;
	Armada__JobState failed = ARMADA__JOB_STATE__JOB_FAILED;
	const Armada__ListJobsReply *rows;
	struct err err;

	id.first = id.last = job;
	filter.ids = &ids;
	filter.n_ids = 1;
	filter.states = &failed;
	filter.n_states = 1;
	q.filter = &filter;
	q.limit = PAGE;
	if (connection_ask(c, MSG_HISTORY, &q, MSG_LIST_JOBS_REPLY, arena, 0, &rows, &err) == 0)
		add_rows(rows, out);
}

bool array_ends_describe(struct connection *c, uint64_t job, struct buf *out)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	CLEANUP_BUF struct buf how = {0};
	Armada__ShowJobRequest q = ARMADA__SHOW_JOB_REQUEST__INIT;
	const Armada__ShowJobReply *reply;
	uint64_t total = 0, bad = 0, failed;
	const char *separator = ": ";
	struct err err;

	q.job = job;
	if (connection_ask(c, MSG_SHOW_JOB, &q, MSG_SHOW_JOB_REPLY, arena, 0, &reply, &err) < 0)
		return false;
	for (size_t i = 0; i < reply->n_ended; i++)
		total += reply->ended[i]->count;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		bad += count_of(reply, ends[i].state);
	if (!bad)
		return false;
	failed = count_of(reply, ARMADA__JOB_STATE__JOB_FAILED);
	if (failed)
		describe_failed(c, job, arena, &how);
	buf_addf(out, "%" PRIu64 " of %" PRIu64 " %s %s", bad, total,
		 plural(total, "element", "elements"),
		 failed == bad ? "failed" : "did not succeed");
	if (failed == bad) {
		buf_addf(out, "%s%s", how.len ? ": " : "", how.len ? (char *)how.data : "");
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		uint64_t n = count_of(reply, ends[i].state);
		bool explained = i == 0 && how.len;

		if (!n)
			continue;
		buf_addf(out, "%s%" PRIu64 " %s%s%s%s", separator, n, ends[i].word,
			 explained ? " (" : "", explained ? (char *)how.data : "",
			 explained ? ")" : "");
		separator = ", ";
	}
	return true;
}
