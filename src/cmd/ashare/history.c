/*
 * ashare --history and --plot: samples of the queues over time.
 *
 * One request fetches the samples since a time; the controller leaves out the oldest if there are
 * too many. They are printed as a listing or JSON, or drawn by plot.c. A named queue without
 * samples is an error.
 */
#include "cmd/ashare/history.h"

#include "client/connection.h"
#include "client/spec/time_parse.h"
#include "cmd/ashare/file.h"
#include "cmd/ashare/plot.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define DAY_US (INT64_C(86400) * 1000000)

/* clang-format off */
#define SAMPLE Armada__ShareSample
static const struct column history_columns[] = {
	{"time", "TIME", 't', false, false, CELL_QUANTITY(SAMPLE, time_us, format_time), NULL, "Time of the sample; microseconds since 1970 in JSON"},
	{"queue", "QUEUE", 'P', false, false, CELL_TEXT(SAMPLE, queue), NULL, "Queue"},
	{"cost", "COST", 'u', true, false, CELL_PERCENT(SAMPLE, cost), NULL, "Cost of the queue; a fraction in JSON, like the next two columns"},
	{"fair", "FAIR", 'f', true, false, CELL_PERCENT(SAMPLE, fair), NULL, "Share by weight"},
	{"adjusted", "ADJUSTED", 'F', true, false, CELL_PERCENT(SAMPLE, capped), NULL, "Adjusted share: at most the demand; the rest is divided among the other queues"},
	{"weight", "WEIGHT", 'w', true, false, CELL_REAL(SAMPLE, weight), NULL, "Weight; 0 if the queue takes no part until its next sample"},
	{"usage", "USAGE", 'r', true, false, CELL_REAL(SAMPLE, memory), NULL, "Usage that the fairness plugin remembered; 0 if it remembers none"},
	{"factor", "FACTOR", 'c', true, false, CELL_REAL(SAMPLE, factor), NULL, "Priority factor: lower means a larger share"},
};
/* clang-format on */

const struct listing history_listing =
	LISTING("samples", "time,queue,cost,fair,adjusted,weight,usage,factor", history_columns);

/* A time of day that has not come yet today is that of yesterday. */
int ashare_since(const char *text, int64_t now_us, int64_t *ret_us, struct err *err)
{
	int64_t us;

	if (parse_duration(text, &us, err) == 0 && us > 0) {
		*ret_us = now_us > us ? now_us - us : 0;
		return 0;
	}
	if (time_parse(text, now_us, &us, err) == 0 && (us <= now_us || us - DAY_US <= now_us)) {
		*ret_us = us <= now_us ? us : us - DAY_US;
		return 0;
	}
	return err_set(
		err, -EINVAL,
		"'%.40s' is not a time in the past; write 30m, 1d or 2d12h ago, 12:30, 2027-01-31 "
		"or 2027-01-31T08:00",
		text);
}

static int ask(const char *const *names, size_t count, int64_t since_us, struct arena *arena,
	       const Armada__SharesReply **ret_reply, struct err *err)
{
	Armada__SharesRequest q = ARMADA__SHARES_REQUEST__INIT;
	struct connection *c = NULL;
	int rc = connection_new(&c, NULL, err);

	q.queues = (char **)names;
	q.n_queues = count;
	q.since_us = since_us;
	if (rc == 0)
		rc = connection_ask(c, MSG_SHARES, &q, MSG_SHARES_REPLY, arena, 0, ret_reply, err);
	connection_free(c);
	return rc;
}

/* Prints the first time of the samples if older ones were left out. */
static void report_cut(const Armada__SharesReply *reply)
{
	char when[48];

	if (!reply->cut || !reply->n_samples)
		return;
	format_time(reply->samples[0]->time_us, when, sizeof(when));
	fprintf(stderr, "ashare: too many samples; only those since %s are shown\n", when);
}

static int print(const struct ashare *r, const Armada__SharesReply *reply, struct err *err)
{
	json_t *root;

	if (!r->listing.json)
		return listing_print(&history_listing, &r->listing,
				     (const void *const *)reply->samples, reply->n_samples, stdout,
				     err);
	root = listing_json_new();
	json_object_set_new(root, "cut", json_boolean(reply->cut));
	json_object_set_new(root, "samples",
			    listing_json(&history_listing, (const void *const *)reply->samples,
					 reply->n_samples));
	listing_json_print(root, stdout);
	return 0;
}

static int plot(const char *path, const Armada__SharesReply *reply, int64_t since_us,
		int64_t now_us, struct err *err)
{
	CLEANUP_BUF struct buf svg = {0};
	int64_t first_us = reply->n_samples ? reply->samples[0]->time_us : since_us;

	/* the time axis begins with the first sample, also on a young cluster */
	plot_shares(reply->samples, reply->n_samples, first_us > since_us ? first_us : since_us,
		    now_us, &svg);
	return file_replace(path, svg.data, svg.len, err);
}

/* Reports a named queue without samples; most likely its name is wrong. */
static int check_names(const Armada__SharesReply *reply, const char *const *names, size_t count,
		       int64_t since_us, struct err *err)
{
	char when[48];

	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < reply->n_samples && strcmp(reply->samples[k]->queue, names[i]) != 0)
			k++;
		if (k < reply->n_samples)
			continue;
		format_time(since_us, when, sizeof(when));
		return err_set(err, -ENOENT, "queue %s took no part since %s", names[i], when);
	}
	return 0;
}

int ashare_history(const struct ashare *r, const char *const *names, size_t count, int64_t now_us,
		   struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	const Armada__SharesReply *reply = NULL;
	int64_t since_us;
	int rc = ashare_since(r->since ? r->since : "1d", now_us, &since_us, err);

	if (rc == 0)
		rc = ask(names, count, since_us, arena, &reply, err);
	if (rc < 0)
		return rc;
	report_cut(reply);
	if (count && !reply->n_samples)
		return check_names(reply, names, count, since_us, err);
	rc = r->plot ? plot(r->plot, reply, since_us, now_us, err) : print(r, reply, err);
	return rc ? rc : check_names(reply, names, count, since_us, err);
}
