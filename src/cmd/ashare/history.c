/* ashare --history and --plot: what was noted of the queues. */
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
	{"time", "TIME", 't', false, false, CELL_QUANTITY(SAMPLE, time_us, format_time), NULL, "When; microseconds since 1970 in JSON"},
	{"queue", "QUEUE", 'P', false, false, CELL_TEXT(SAMPLE, queue), NULL, "Queue"},
	{"cost", "COST", 'u', true, false, CELL_PERCENT(SAMPLE, cost), NULL, "What it used; a fraction in JSON, as the next ones"},
	{"fair", "FAIR", 'f', true, false, CELL_PERCENT(SAMPLE, fair), NULL, "Its share by weight"},
	{"adjusted", "ADJUSTED", 'F', true, false, CELL_PERCENT(SAMPLE, capped), NULL, "The same once what others did not want was divided"},
	{"weight", "WEIGHT", 'w', true, false, CELL_REAL(SAMPLE, weight), NULL, "Weight; 0: it took no part from here on"},
	{"usage", "USAGE", 'r', true, false, CELL_REAL(SAMPLE, memory), NULL, "What the fairness plugin remembered of its use; 0 where it remembers none"},
	{"factor", "FACTOR", 'c', true, false, CELL_REAL(SAMPLE, factor), NULL, "Priority factor: lower means a larger share"},
};
/* clang-format on */

const struct listing history_listing =
	LISTING("samples", "time,queue,cost,fair,adjusted,weight,usage,factor", history_columns);

/* A time of day that is yet to come is yesterday's. */
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
	return err_set(err, -EINVAL,
		       "\"%.40s\" is no time in the past: 30m, 1d or 2d12h ago, 12:30, 2027-01-31, "
		       "2027-01-31T08:00 are accepted",
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

/* The oldest of many were left out: from where on it is all. */
static void report_cut(const Armada__SharesReply *reply)
{
	char when[48];

	if (!reply->cut || !reply->n_samples)
		return;
	format_time(reply->samples[0]->time_us, when, sizeof(when));
	fprintf(stderr, "ashare: there is more than is shown at once: this is from %s on\n", when);
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

	/* a young cluster fills the picture */
	plot_shares(reply->samples, reply->n_samples, first_us > since_us ? first_us : since_us,
		    now_us, &svg);
	return file_replace(path, svg.data, svg.len, err);
}

/* A queue that was named and is not there: most likely its name is wrong. */
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
