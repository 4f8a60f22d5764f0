#include "sched/model/displaced.h"
#include "sched/model/model.h"
#include "util/bisect.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* An element, and for whom it was displaced. */
struct displacement {
	uint64_t for_job;
	uint32_t element, for_element;
};

struct displaced_job {
	uint64_t id;
	struct displacement *list; /* by element */
	size_t count, cap;
	UT_hash_handle hh;
};

static struct displaced_job *find_job(const struct model *m, uint64_t id)
{
	struct displaced_job *j;

	HASH_FIND(hh, m->displaced.jobs, &id, sizeof(id), j);
	return j;
}

/* The place of the element in the list, or where it would be. */
static size_t place_of(const struct displaced_job *j, uint32_t element)
{
	return BISECT((size_t)0, j->count, i, j->list[i].element < element);
}

static struct displacement *find(struct displaced_job *j, uint32_t element)
{
	size_t at = j ? place_of(j, element) : 0;

	return j && at < j->count && j->list[at].element == element ? &j->list[at] : NULL;
}

static void drop_job(struct model *m, struct displaced_job *j)
{
	HASH_DEL(m->displaced.jobs, j);
	free(j->list);
	free(j);
}

static void forget(struct model *m, uint64_t job, uint32_t element)
{
	struct displaced_job *j = find_job(m, job);
	struct displacement *d = find(j, element);

	if (!d)
		return;
	memmove(d, d + 1, (size_t)(j->list + --j->count - d) * sizeof(*d));
	if (!j->count)
		drop_job(m, j);
}

void displaced_forget_job(struct model *m, uint64_t job)
{
	struct displaced_job *j = find_job(m, job);

	if (j)
		drop_job(m, j);
}

void displaced_done(struct model *m)
{
	while (m->displaced.jobs)
		drop_job(m, m->displaced.jobs);
}

void sched_displaced_for(struct sched *s, uint64_t job, uint32_t element, uint64_t for_job,
			 uint32_t for_element)
{
	struct model *m = model_of(s);
	struct displaced_job *j = find_job(m, job);
	size_t at;

	if (!for_job || jobs_with_id(m, job) == NIL) {
		forget(m, job, element);
		return;
	}
	if (!j) {
		j = xcalloc(1, sizeof(*j));
		j->id = job;
		HASH_ADD(hh, m->displaced.jobs, id, sizeof(j->id), j);
	}
	at = place_of(j, element);
	if (!find(j, element)) {
		GROW(j->list, j->cap, j->count + 1);
		memmove(j->list + at + 1, j->list + at, (j->count++ - at) * sizeof(*j->list));
	}
	j->list[at] = (struct displacement){
		.for_job = for_job, .element = element, .for_element = for_element};
}

size_t displaced_chain(const struct model *m, uint64_t job, uint32_t element, uint32_t *ret_tasks)
{
	const struct displacement *d = m->displaced.jobs ? find(find_job(m, job), element) : NULL;
	size_t n = 0;

	for (int i = 0; d && i < DISPLACED_CHAIN; i++) {
		uint32_t task = tasks_of_element(m, d->for_job, d->for_element);

		if (task != NIL)
			ret_tasks[n++] = task;
		d = find(find_job(m, d->for_job), d->for_element);
	}
	return n;
}
