/*
 * Samples of the shares of queues over time, as ashare --history lists them.
 *
 * One request fetches the samples since a time; the controller leaves out the oldest if there are
 * too many. The request begins earlier, because a queue without changes is noted only once an hour
 * (core/lifecycle/shares.h): of these samples, a plot needs the last one of each queue that lasts.
 * The others are dropped.
 */
#include "cmd/ashare/samples.h"

#include "client/spec/time_parse.h"
#include "cmd/ashare/course.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <string.h>
#include <uthash.h>

/* The longest time between two samples of a queue that takes part, and some more. */
#define EARLIER_US (INT64_C(7200) * 1000000)

static int64_t span_us(const void *row, const void *arg)
{
	const Armada__ShareSample *s = row;

	(void)arg;
	return s->from_us ? s->time_us - s->from_us : CELL_UNKNOWN;
}

static int64_t from_us(const void *row, const void *arg)
{
	const Armada__ShareSample *s = row;

	(void)arg;
	return s->from_us ? s->from_us : CELL_UNKNOWN;
}

static void level_text(const void *row, struct buf *out)
{
	const Armada__ShareSample *s = row;

	if (s->unknown_after)
		buf_addstr(out, "-");
	else
		column_percent(course_level(s), out);
}

static json_t *level_json(const void *row)
{
	const Armada__ShareSample *s = row;

	return s->unknown_after ? json_null() : column_real_json(course_level(s));
}

/* clang-format off */
#define SAMPLE Armada__ShareSample
static const struct column history_columns[] = {
	{"time", "TIME", 't', false, false, CELL_QUANTITY(SAMPLE, time_us, format_time), NULL, "Time of the sample, the end of the span; microseconds since 1970 in JSON"},
	{"queue", "QUEUE", 'P', false, false, CELL_TEXT(SAMPLE, queue), NULL, "Queue"},
	{"from", "FROM", 'b', false, false, CELL_NUMBER(from_us, NULL, format_time), NULL, "Begin of the span: the first change of the use after the sample before; null in JSON for samples of older releases"},
	{"span", "SPAN", 's', true, false, CELL_NUMBER(span_us, NULL, format_duration), NULL, "Length of the span; microseconds in JSON"},
	{"cost", "COST", 'u', true, false, CELL_PERCENT(SAMPLE, cost), NULL, "Cost of the mean use in the span; a fraction in JSON, like level, fair and adjusted"},
	{"level", "LEVEL", 'l', true, false, CELL(level_text, level_json), NULL, "Cost of the use from the time of the sample until the span of the next one; - (null in JSON) if it is not known, because no controller ran"},
	{"fair", "FAIR", 'f', true, false, CELL_PERCENT(SAMPLE, fair), NULL, "Share by weight"},
	{"adjusted", "ADJUSTED", 'F', true, false, CELL_PERCENT(SAMPLE, capped), NULL, "Adjusted share: at most the demand; the rest is divided among the other queues"},
	{"weight", "WEIGHT", 'w', true, false, CELL_REAL(SAMPLE, weight), NULL, "Weight; 0 if the queue takes no part until its next sample"},
	{"usage", "USAGE", 'r', true, false, CELL_REAL(SAMPLE, memory), NULL, "Usage that the fairness plugin remembered; 0 if it remembers none"},
	{"factor", "FACTOR", 'c', true, false, CELL_REAL(SAMPLE, factor), NULL, "Priority factor: lower means a larger share"},
};
/* clang-format on */

const struct listing history_listing = LISTING(
	"samples", "time,queue,span,cost,level,fair,adjusted,weight,usage,factor", history_columns);

/* A queue with a sample before the time that was asked for. */
struct seen {
	const char *queue;
	UT_hash_handle hh;
};

static bool is_first(struct seen **map, struct arena *arena, const char *queue)
{
	struct seen *s;

	HASH_FIND_STR(*map, queue, s);
	if (s)
		return false;
	s = arena_zalloc(arena, 1, sizeof(*s));
	s->queue = queue;
	HASH_ADD_KEYPTR(hh, *map, s->queue, strlen(s->queue), s);
	return true;
}

/*
 * Of the `early` samples before the time: the last one of each queue tells the level at that time, if
 * that level lasts. Adds them by time, at the begin of the list.
 */
static void choose_early(const Armada__SharesReply *reply, size_t early, struct arena *arena,
			 struct samples *ret)
{
	Armada__ShareSample **begin = ret->list + early;
	struct seen *map = NULL;

	for (size_t i = early; i-- > 0;) {
		Armada__ShareSample *s = reply->samples[i];

		if (is_first(&map, arena, s->queue) && s->weight > 0 && !s->unknown_after)
			*--begin = s;
	}
	HASH_CLEAR(hh, map);
	ret->earlier = ret->count = early - (size_t)(begin - ret->list);
	ret->list = begin;
}

static void choose(const Armada__SharesReply *reply, int64_t since_us, struct arena *arena,
		   struct samples *ret)
{
	size_t early = 0;

	while (early < reply->n_samples && reply->samples[early]->time_us < since_us)
		early++;
	*ret = (struct samples){.cut = reply->cut && !early};
	ret->list = arena_alloc(arena, (reply->n_samples + 1) * sizeof(*ret->list));
	choose_early(reply, early, arena, ret);
	for (size_t i = early; i < reply->n_samples; i++)
		ret->list[ret->count++] = reply->samples[i];
}

/* Reports a named queue without samples; most likely its name is wrong. */
int samples_check_names(const struct samples *v, const char *const *names, size_t count,
			struct err *err)
{
	char when[48];

	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < v->count && strcmp(v->list[k]->queue, names[i]) != 0)
			k++;
		if (k < v->count)
			continue;
		format_time(v->since_us, when, sizeof(when));
		return err_set(err, -ENOENT, "queue %s took no part since %s", names[i], when);
	}
	return 0;
}

int samples_fetch(struct connection *c, const char *since, const char *const *names, size_t count,
		  int64_t now_us, struct arena *arena, struct samples *ret, struct err *err)
{
	Armada__SharesRequest q = ARMADA__SHARES_REQUEST__INIT;
	const Armada__SharesReply *reply;
	int64_t since_us;
	int rc = time_parse_past(since ? since : "1d", now_us, &since_us, err);

	if (rc < 0)
		return rc;
	q.queues = (char **)(uintptr_t)names;
	q.n_queues = count;
	q.since_us = since_us > EARLIER_US ? since_us - EARLIER_US : 0;
	rc = connection_ask(c, MSG_SHARES, &q, MSG_SHARES_REPLY, arena, 0, &reply, err);
	if (rc < 0)
		return rc;
	choose(reply, since_us, arena, ret);
	ret->since_us = since_us;
	return 0;
}

json_t *samples_json(const struct samples *v)
{
	json_t *root = listing_json_new();

	json_object_set_new(root, "cut", json_boolean(v->cut));
	json_object_set_new(root, "samples",
			    listing_json(&history_listing,
					 (const void *const *)v->list + v->earlier,
					 v->count - v->earlier));
	return root;
}
