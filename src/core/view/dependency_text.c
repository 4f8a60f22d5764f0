/*
 * Dependencies and their reasons as text.
 *
 * Input: a job that has a struct depend. Output: the list of dependencies in the syntax of asubmit,
 * or a sentence that says why the job or its withheld part does not start, with the word of the
 * reason and the earliest time. Caveats: the list ends with "..." after about 900 characters. With
 * any (one dependency is enough) the separator is "?"; otherwise all must hold and it is ",".
 */
#include "core/view/dependency_text.h"

#include "core/state/dependents.h"
#include "util/mem.h"

#include <stdio.h>

static const struct {
	uint8_t type;
	const char *word;
} types[] = {
	{DEPENDENCY(AFTER), "after"},         {DEPENDENCY(AFTERANY), "afterany"},
	{DEPENDENCY(AFTEROK), "afterok"},     {DEPENDENCY(AFTERNOTOK), "afternotok"},
	{DEPENDENCY(AFTERCORR), "aftercorr"}, {DEPENDENCY(SINGLETON), "singleton"},
};

static const char *word_of(uint8_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].type == type)
			return types[i].word;
	return "?";
}

static bool is_wanted(const struct edge *e, int state)
{
	if (state < 0 || !e->met)
		return state < 0 || (int)e->state == state;
	return state == DEPEND_WAITS || (state == DEPEND_NEVER && e->never->total);
}

enum { WORDS_LONGEST = 900 };

static void say_one(const struct edge *e, struct buf *out)
{
	if (e->type == DEPENDENCY(SINGLETON))
		return;
	buf_addf(out, ":%" PRIu64, e->job);
	if (e->has_element)
		buf_addf(out, "_%u", e->element);
	if (e->delay_s)
		buf_addf(out, "+%d", e->delay_s / 60);
}

char *dependency_words(const struct job *j, int state, struct arena *a)
{
	const struct depend *d = j->depend;
	struct buf out CLEANUP_BUF = {0};
	int before = -1;

	for (size_t i = 0; d && i < d->edge_count; i++) {
		const struct edge *e = &d->edges[i];

		if (!is_wanted(e, state))
			continue;
		if (out.len > WORDS_LONGEST) {
			buf_addf(&out, "%s...", d->any ? "?" : ",");
			break;
		}
		if ((int)e->type != before)
			buf_addf(&out, "%s%s",
				 !out.len ? ""
				 : d->any ? "?"
					  : ",",
				 word_of(e->type));
		/* all ids in one list must hold; with any, each dependency has a word of its own */
		before = d->any ? -1 : (int)e->type;
		say_one(e, &out);
	}
	return arena_strdup(a, out.len ? (char *)out.data : "");
}

/* The only dependency in this state; NULL: none, or several. */
static const struct edge *only_one(const struct depend *d, int state)
{
	const struct edge *found = NULL;

	for (size_t i = 0; i < d->edge_count; i++) {
		if (!is_wanted(&d->edges[i], state))
			continue;
		if (found)
			return NULL;
		found = &d->edges[i];
	}
	return found;
}

/* What the other job did instead. */
static const char *outcome(uint8_t type)
{
	switch (type) {
	case DEPENDENCY(AFTER):
		return "ended before it started";
	case DEPENDENCY(AFTEROK):
		return "did not succeed";
	case DEPENDENCY(AFTERNOTOK):
		return "succeeded";
	default:
		return NULL;
	}
}

char *dependency_never_words(const struct job *j, struct arena *a)
{
	const struct edge *e = j->depend ? only_one(j->depend, DEPEND_NEVER) : NULL;
	char *words = dependency_words(j, DEPEND_NEVER, a);
	char element[16] = "";

	if (e && e->has_element)
		snprintf(element, sizeof(element), "_%u", e->element);
	if (e && e->type == DEPENDENCY(AFTERCORR))
		return arena_printf(a, "%s: elements of job %" PRIu64 " did not succeed", words,
				    e->job);
	if (e && outcome(e->type))
		return arena_printf(a, "%s: job %" PRIu64 "%s %s", words, e->job, element,
				    outcome(e->type));
	return words;
}

/* "afterok:28 (map)"; the name of another user's job is not told. */
static char *waiting_words(const struct job *j, struct arena *a)
{
	const struct edge *e = only_one(j->depend, DEPEND_WAITS);
	char *words = dependency_words(j, DEPEND_WAITS, a);

	if (!e || !e->on || e->on->user != j->user || !e->on->spec->name[0])
		return words;
	return arena_printf(a, "%s (%s)", words, e->on->spec->name);
}

static bool never_holds(const struct depend *d)
{
	uint32_t never = 0;

	for (uint32_t i = 0; i < d->edge_count; i++) {
		const struct edge *e = &d->edges[i];

		never += e->state == DEPEND_NEVER || (e->never && e->never->total);
	}
	return never && (!d->any || never == d->edge_count);
}

/*
 * The time when the delays of all met dependencies and the begin time are over. With any, the first
 * delay that is over counts. 0: a dependency is not decided.
 */
static int64_t time_of(const struct depend *d)
{
	int64_t at = 0, first = INT64_MAX;

	for (uint32_t i = 0; i < d->edge_count; i++) {
		const struct edge *e = &d->edges[i];

		if (e->state != DEPEND_MET && !d->any)
			return 0;
		if (e->state != DEPEND_MET)
			continue;
		at = e->at_us > at ? e->at_us : at;
		first = e->at_us < first ? e->at_us : first;
	}
	if (d->any && d->edge_count && first == INT64_MAX)
		return 0;
	if (d->any && d->edge_count)
		at = first;
	return d->begin_us > at ? d->begin_us : at;
}

char *dependency_text_reason(const struct job *j, struct arena *a, enum sched_why *ret_why,
			     int64_t *ret_at_us)
{
	const struct depend *d = j->depend;
	int64_t at = time_of(d);

	*ret_at_us = d->begin_us > at ? d->begin_us : at;
	if (never_holds(d)) {
		*ret_why = WHY_DEPENDENCY_NEVER;
		return arena_printf(a, "can never hold: %s", dependency_never_words(j, a));
	}
	if (d->edge_count && !at) {
		*ret_why = WHY_DEPENDENCY;
		return arena_printf(a, "waits for %s", waiting_words(j, a));
	}
	*ret_why = WHY_BEGIN_TIME;
	return arena_strdup(a, d->begin_us && d->begin_us >= at
				       ? "waits for its begin time"
				       : "waits for the delay after the start of another job");
}
