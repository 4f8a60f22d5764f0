/* Keeps the ids of jobs by their event "submitted" (label_jobs.h). */
#include "cmd/awatch/label_jobs.h"

#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

/* text: "key=value" */
static bool meets(const char *text, const Armada__Selector *want)
{
	size_t len = strlen(want->key);

	return strncmp(text, want->key, len) == 0 && text[len] == '=' &&
	       (!want->value[0] || strcmp(text + len + 1, want->value) == 0);
}

static bool has_labels(const Armada__JobFilter *f, const Armada__JobEvent *ev)
{
	for (size_t i = 0; i < f->n_labels; i++) {
		bool has = false;

		for (size_t k = 0; k < ev->n_labels && !has; k++)
			has = meets(ev->labels[k], f->labels[i]);
		if (has == f->labels[i]->negate)
			return false;
	}
	return true;
}

/* The number of ranges that begin at or before the job. */
static size_t place_of(const struct label_jobs *l, uint64_t job)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->list[middle].first <= job)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool contains(const struct label_jobs *l, uint64_t job)
{
	size_t at = place_of(l, job);

	return at > 0 && job <= l->list[at - 1].last;
}

static void add(struct label_jobs *l, uint64_t job)
{
	size_t at = place_of(l, job);

	if (at > 0 && l->list[at - 1].last + 1 == job) {
		l->list[at - 1].last = job;
		return;
	}
	GROW(l->list, l->cap, l->count + 1);
	memmove(l->list + at + 1, l->list + at, (l->count++ - at) * sizeof(*l->list));
	l->list[at] = (struct job_ids){job, job};
}

bool label_jobs_take(struct label_jobs *l, const Armada__JobEvent *ev)
{
	if (contains(l, ev->job))
		return true;
	if (ev->kind != ARMADA__JOB_EVENT_KIND__JOB_EVENT_SUBMITTED || !has_labels(l->filter, ev))
		return false;
	add(l, ev->job);
	return true;
}

void label_jobs_done(struct label_jobs *l)
{
	free(l->list);
}
