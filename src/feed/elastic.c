/*
 * Extra tasks of elastic elements, in the scheduler's model (elastic.h).
 *
 * Input: events of elastic elements and their tasks. Output: calls of sched.h. For each element the feed
 * keeps the node of each task and the state of each extra task. A running extra task is a job of the
 * scheduler whose only element runs. One that waits is a job whose element waits; it is added after the
 * record, when the nodes of the other tasks are known (elastic_settle), so that a feed filled from a
 * snapshot has the same jobs.
 */
#include "feed/elastic.h"

#include "core/state/extra.h"
#include "feed/describe.h"
#include "feed/task_constraints.h"
#include "util/mem.h"

#include <string.h>

struct known_extra {
	uint32_t rank; /* 1 + its rank; 0: it never had a node */
	uint16_t group;
	bool waits, runs, leaving;
	bool dropped; /* it waits no more, but its task may still run */
	bool told;    /* the scheduler has a job for it */
};

struct elastic_element {
	const struct known_job *job;
	uint32_t index;
	uint64_t number;
	bool begun, ending, suspended, touched;
	bool stale;         /* what is told of its waiting tasks does not hold any more */
	const char **nodes; /* by rank; of known_node; NULL: the task has ended */
	struct known_extra *extras;
	uint32_t first, count,
		tasks; /* the rank of the first extra task; numbers of extra and of all tasks */
	LIST_ENTRY(elastic_element) by_change;
	UT_hash_handle hh;
};

struct known_elastic {
	struct buf submitted; /* packed */
	uint32_t tasks;
	bool distinct;
	struct elastic_element *elements;
};

void elastic_submitted(struct known_job *k, const Armada__JobSubmitted *sub, int64_t submit_us)
{
	const Armada__JobSpec *s = sub->spec;
	struct known_elastic *x;

	k->submit_us = submit_us;
	if (!job_spec_is_elastic(s))
		return;
	x = k->elastic = xcalloc(1, sizeof(*x));
	for (size_t i = 0; i < s->n_groups; i++)
		x->tasks += s->groups[i]->replicas;
	x->distinct = s->nodes > 0;
	msg_pack(sub, &x->submitted);
}

bool elastic_runs(const struct known_job *k)
{
	return k->elastic && k->elastic->elements;
}

static void touch(struct sched_feed *m, struct elastic_element *e)
{
	if (e->touched)
		return;
	e->touched = true;
	LIST_INSERT_HEAD(&m->stretched, e, by_change);
}

static uint64_t id_of(const struct elastic_element *e, uint32_t extra)
{
	return extra_id(e->number, extra);
}

static void element_free(struct known_elastic *x, struct elastic_element *e)
{
	if (e->touched)
		LIST_REMOVE(e, by_change);
	HASH_DEL(x->elements, e);
	free(e->extras);
	free(e->nodes);
	free(e);
}

void elastic_free(struct known_job *k)
{
	if (!k->elastic)
		return;
	while (k->elastic->elements)
		element_free(k->elastic, k->elastic->elements);
	buf_done(&k->elastic->submitted);
	free(k->elastic);
	k->elastic = NULL;
}

static struct elastic_element *element_of(const struct known_job *k, uint32_t index)
{
	struct elastic_element *e = NULL;

	if (k->elastic)
		HASH_FIND(hh, k->elastic->elements, &index, sizeof(index), e);
	return e;
}

/* The extra task with this rank; NULL: it is no extra task. */
static struct known_extra *extra_of_rank(struct elastic_element *e, uint32_t rank)
{
	for (uint32_t i = 0; i < e->count; i++)
		if (e->extras[i].rank == rank + 1)
			return &e->extras[i];
	return NULL;
}

/* The groups of the extra tasks (core/state/extra.h). groups: of the tasks that start together. */
static void set_groups(struct sched_feed *m, const Armada__JobSpec *s, struct elastic_element *e,
		       const uint32_t *groups)
{
	uint32_t *first = arena_zalloc(m->arena, s->n_groups, sizeof(*first)), n = 0;

	for (uint32_t i = 0; i < e->first; i++)
		first[groups[i]]++;
	for (size_t g = 0; g < s->n_groups; g++)
		for (uint32_t i = first[g]; i < s->groups[g]->replicas && n < e->count; i++)
			e->extras[n++].group = (uint16_t)g;
}

static const Armada__JobSubmitted *submitted(struct sched_feed *m, const struct known_elastic *x)
{
	return msg_unpack_own(&armada__job_submitted__descriptor, x->submitted.data,
			      x->submitted.len, m->arena);
}

static const char *node_name(const struct sched_feed *m, const char *name)
{
	const struct known_node *n = sched_feed_node(m, name);

	return n ? n->name : NULL;
}

void elastic_leased(struct sched_feed *m, struct known_job *k, uint32_t element, uint64_t extras,
		    char *const *nodes, const uint32_t *groups, size_t together)
{
	const Armada__JobSpec *s;
	struct elastic_element *e;

	if (!k->elastic || !extras || together > k->elastic->tasks)
		return;
	s = submitted(m, k->elastic)->spec;
	e = xcalloc(1, sizeof(*e));
	e->job = k;
	e->index = element;
	e->number = extras;
	e->tasks = k->elastic->tasks;
	e->first = together;
	e->count = e->tasks - together;
	e->extras = xcalloc(e->count, sizeof(*e->extras));
	e->nodes = xcalloc(e->tasks, sizeof(*e->nodes));
	for (uint32_t i = 0; i < e->count; i++)
		e->extras[i].waits = true;
	set_groups(m, s, e, groups);
	for (size_t i = 0; nodes && i < together; i++)
		e->nodes[i] = node_name(m, nodes[i]);
	HASH_ADD(hh, k->elastic->elements, index, sizeof(e->index), e);
}

void elastic_scaled(struct sched_feed *m, struct known_job *k, uint32_t element,
		    const uint32_t *extras, size_t count)
{
	struct elastic_element *e = element_of(k, element);

	if (!e || count < e->count)
		return;
	e->extras = xreallocarray(e->extras, count + 1, sizeof(*e->extras));
	e->nodes = xreallocarray(e->nodes, e->first + count, sizeof(*e->nodes));
	for (uint32_t i = e->count; i < count; i++) {
		e->extras[i] = (struct known_extra){.waits = true};
		e->nodes[e->first + i] = NULL;
	}
	e->count = (uint32_t)count;
	e->tasks = e->first + e->count;
	/* those of a snapshot have had the groups of today's specification */
	for (uint32_t i = 0; i < e->count; i++) {
		e->extras[i].group = (uint16_t)(extras[i] / 2);
		e->extras[i].dropped = extras[i] & 1;
	}
	touch(m, e);
}

void elastic_begun(struct sched_feed *m, struct known_job *k, uint32_t element)
{
	struct elastic_element *e = element_of(k, element);

	if (!e || e->begun)
		return;
	e->begun = true;
	touch(m, e);
}

void elastic_suspended(struct sched_feed *m, struct known_job *k, uint32_t element, bool suspended)
{
	struct elastic_element *e = element_of(k, element);

	if (!e)
		return;
	e->suspended = suspended;
	touch(m, e);
}

/* --- jobs of the scheduler ----------------------------------------------------------------- */

static void untell(struct sched_feed *m, const struct elastic_element *e, struct known_extra *x)
{
	uint64_t id = id_of(e, (uint32_t)(x - e->extras));

	if (!x->told)
		return;
	if (x->runs)
		sched_end(m->sched, id, 0);
	sched_unwait(m->sched, id, 0, 0);
	sched_job_remove(m->sched, id);
	x->told = x->runs = false;
}

static void describe_extra(struct sched_feed *m, const struct elastic_element *e, uint32_t extra,
			   struct sched_job *ret)
{
	const struct known_elastic *x = e->job->elastic;

	describe_group(m, submitted(m, x), e->extras[extra].group, e->job->submit_us, ret);
	ret->id = id_of(e, extra);
	ret->members = ret->min_members = 1;
	ret->turn = extra + 1;
	ret->distinct = false;
	ret->throttle = 0;
	ret->time_min_us = 0; /* the time limit is that of the element */
	ret->avoid = (const char *const *)e->job->avoids;
	ret->avoid_count = e->job->avoid_count;
	if (x->distinct)
		task_shun_nodes(m, e->nodes, e->tasks, ret);
	if (e->nodes[0])
		task_stay_uniform(m, e->nodes[0], ret);
}

static void tell(struct sched_feed *m, const struct elastic_element *e, uint32_t extra)
{
	struct sched_job j;

	describe_extra(m, e, extra, &j);
	sched_job_add(m->sched, &j);
	sched_wait(m->sched, j.id, 0, 0, 1);
	e->extras[extra].told = true;
}

static void run(struct sched_feed *m, const struct elastic_element *e, struct known_extra *x,
		const char *node)
{
	uint32_t extra = (uint32_t)(x - e->extras);

	if (!x->told)
		tell(m, e, extra);
	sched_job_hold(m->sched, id_of(e, extra), false);
	sched_run(m->sched, id_of(e, extra), 0, &node, m->now_us);
	x->waits = false;
	x->runs = true;
}

/* --- events -------------------------------------------------------------------------------- */

void elastic_task_leased(struct sched_feed *m, struct known_job *k, const Armada__TaskLeased *l)
{
	struct elastic_element *e = element_of(k, l->key->element);

	if (!e || l->key->rank >= e->tasks || l->extra > e->count)
		return;
	if (l->extra) {
		e->extras[l->extra - 1].rank = l->key->rank + 1;
		run(m, e, &e->extras[l->extra - 1], l->node);
	}
	e->nodes[l->key->rank] = node_name(m, l->node);
	e->stale |= k->elastic->distinct;
	touch(m, e);
}

void elastic_task_ended(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key,
			const Armada__TaskEnd *end)
{
	struct elastic_element *e = element_of(k, key->element);
	struct known_extra *x = e ? extra_of_rank(e, key->rank) : NULL;

	if (!e || key->rank >= e->tasks)
		return;
	if (x) {
		untell(m, e, x);
		x->waits = (x->leaving || x->dropped) &&
			   !(end && end->cause == ARMADA__END_CAUSE__END_EXITED &&
			     end->exit_code == 0);
		x->leaving = false;
	}
	if (key->rank) /* the node of the first task tells the value of a label (describe_extra) */
		e->nodes[key->rank] = NULL;
	e->stale |= k->elastic->distinct;
	touch(m, e);
}

void elastic_task_vacated(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key)
{
	struct elastic_element *e = element_of(k, key->element);
	struct known_extra *x = e ? extra_of_rank(e, key->rank) : NULL;

	if (!x)
		return;
	x->waits = true;
	touch(m, e);
}

void elastic_task_leaving(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key)
{
	struct elastic_element *e = element_of(k, key->element);
	struct known_extra *x = e ? extra_of_rank(e, key->rank) : NULL;

	if (!x || !x->runs)
		return;
	x->leaving = true;
	sched_member_yield(m->sched, id_of(e, (uint32_t)(x - e->extras)), 0, 0);
}

void elastic_restored(struct sched_feed *m, struct known_job *k, uint32_t element, uint32_t rank,
		      const Armada__SnapTask *t)
{
	struct elastic_element *e = element_of(k, element);
	struct known_extra *x;

	if (!e || rank >= e->tasks || t->extra > e->count)
		return;
	e->nodes[rank] = t->ended && rank ? NULL : node_name(m, t->node);
	if (!t->extra)
		return;
	x = &e->extras[t->extra - 1];
	x->rank = rank + 1;
	x->waits = t->vacant;
	if (!t->ended)
		run(m, e, x, t->node);
	if (t->leaving && x->runs) {
		x->leaving = true;
		sched_member_yield(m->sched, id_of(e, t->extra - 1), 0, 0);
	}
}

void elastic_changed(struct sched_feed *m, struct known_job *k, const Armada__JobSubmitted *sub)
{
	struct sched_job j;

	if (!k->elastic) {
		elastic_submitted(k, sub, k->submit_us);
		return;
	}
	sub = describe_again(m, sub, &k->elastic->submitted);
	if (!k->elastic->elements) { /* it may have another number of tasks now */
		elastic_free(k);
		elastic_submitted(k, sub, k->submit_us);
		return;
	}
	k->elastic->tasks = 0;
	for (size_t i = 0; i < sub->spec->n_groups; i++)
		k->elastic->tasks += sub->spec->groups[i]->replicas;
	for (struct elastic_element *e = k->elastic->elements; e; e = e->hh.next)
		for (uint32_t i = 0; i < e->count; i++) {
			if (!e->extras[i].runs)
				continue;
			describe_extra(m, e, i, &j);
			sched_job_change(m->sched, &j);
		}
	elastic_look_again(m, k);
}

void elastic_look_again(struct sched_feed *m, struct known_job *k)
{
	struct elastic_element *e = k->elastic ? k->elastic->elements : NULL;

	for (; e; e = e->hh.next) {
		e->stale = true;
		touch(m, e);
	}
}

void elastic_pin(struct sched_feed *m, struct known_job *k, uint32_t element, bool pinned)
{
	struct elastic_element *e = element_of(k, element);

	for (uint32_t i = 0; e && i < e->count; i++)
		if (e->extras[i].runs)
			sched_pin(m->sched, id_of(e, i), 0, pinned);
}

void elastic_ending(struct sched_feed *m, struct known_job *k, uint32_t element, bool yields)
{
	struct elastic_element *e = element_of(k, element);

	if (!e)
		return;
	e->ending = true;
	touch(m, e);
	for (uint32_t i = 0; yields && i < e->count; i++)
		if (e->extras[i].runs)
			sched_member_yield(m->sched, id_of(e, i), 0, 0);
	if (!yields)
		elastic_pin(m, k, element, true);
}

void elastic_ended(struct sched_feed *m, struct known_job *k, uint32_t element)
{
	struct elastic_element *e = element_of(k, element);

	if (!e)
		return;
	for (uint32_t i = 0; i < e->count; i++)
		untell(m, e, &e->extras[i]);
	element_free(k->elastic, e);
}

static void settle(struct sched_feed *m, struct elastic_element *e)
{
	bool may = e->begun && !e->ending && !e->suspended && !e->job->held;

	for (uint32_t i = 0; i < e->count; i++) {
		struct known_extra *x = &e->extras[i];

		if (x->told && !x->runs && (e->stale || !may || x->dropped))
			untell(m, e, x);
		if (may && x->waits && !x->dropped && !x->told)
			tell(m, e, i);
	}
	e->stale = false;
}

void elastic_settle(struct sched_feed *m)
{
	struct elastic_element *e;

	while ((e = LIST_FIRST(&m->stretched))) {
		LIST_REMOVE(e, by_change);
		e->touched = false;
		settle(m, e);
	}
}
