#include "sched/model/displaced.h"
#include "sched/model/model.h"
#include "util/mem.h"

#include <stdlib.h>
#include <sys/queue.h>
#include <uthash.h>

/* An element, and for whom it was displaced. */
struct displacement {
	struct displaced_key {
		uint64_t job, element; /* both of 64 bits: the key has no gaps */
	} key;
	uint64_t for_job;
	uint32_t for_element;
	LIST_ENTRY(displacement) of_job;
	UT_hash_handle hh;
};

/* The displaced elements of a job. */
struct displaced_job {
	uint64_t id;
	LIST_HEAD(, displacement) list;
	UT_hash_handle hh;
};

static struct displaced_job *find_job(const struct model *m, uint64_t id)
{
	struct displaced_job *j;

	HASH_FIND(hh, m->displaced.jobs, &id, sizeof(id), j);
	return j;
}

static struct displacement *find(const struct model *m, uint64_t job, uint32_t element)
{
	struct displaced_key key = {job, element};
	struct displacement *d;

	HASH_FIND(hh, m->displaced.elements, &key, sizeof(key), d);
	return d;
}

static void drop(struct model *m, struct displacement *d)
{
	LIST_REMOVE(d, of_job);
	HASH_DEL(m->displaced.elements, d);
	free(d);
}

static void drop_job(struct model *m, struct displaced_job *j)
{
	while (!LIST_EMPTY(&j->list))
		drop(m, LIST_FIRST(&j->list));
	HASH_DEL(m->displaced.jobs, j);
	free(j);
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

static void forget(struct model *m, uint64_t job, uint32_t element)
{
	struct displacement *d = find(m, job, element);
	struct displaced_job *j = d ? find_job(m, job) : NULL;

	if (!d)
		return;
	drop(m, d);
	if (LIST_EMPTY(&j->list))
		drop_job(m, j);
}

static struct displacement *add(struct model *m, uint64_t job, uint32_t element)
{
	struct displaced_job *j = find_job(m, job);
	struct displacement *d = xcalloc(1, sizeof(*d));

	if (!j) {
		j = xcalloc(1, sizeof(*j));
		j->id = job;
		HASH_ADD(hh, m->displaced.jobs, id, sizeof(j->id), j);
	}
	d->key = (struct displaced_key){job, element};
	HASH_ADD(hh, m->displaced.elements, key, sizeof(d->key), d);
	LIST_INSERT_HEAD(&j->list, d, of_job);
	return d;
}

void sched_displaced_for(struct sched *s, uint64_t job, uint32_t element, uint64_t for_job,
			 uint32_t for_element)
{
	struct model *m = model_of(s);
	struct displacement *d;

	if (!for_job || jobs_with_id(m, job) == NIL) {
		forget(m, job, element);
		return;
	}
	d = find(m, job, element);
	d = d ? d : add(m, job, element);
	d->for_job = for_job;
	d->for_element = for_element;
}

size_t displaced_chain(const struct model *m, uint64_t job, uint32_t element, uint32_t *ret_tasks)
{
	const struct displacement *d = find(m, job, element);
	size_t n = 0;

	for (int i = 0; d && i < DISPLACED_CHAIN; i++) {
		uint32_t task = tasks_of_element(m, d->for_job, d->for_element);

		if (task != NIL)
			ret_tasks[n++] = task;
		d = find(m, d->for_job, d->for_element);
	}
	return n;
}
