/*
 * Elements that continue when some of their tasks fail, in the scheduler's model.
 *
 * Input: events of tasks of jobs with a task failure policy. Output: calls of sched.h. For these jobs the
 * node and the end of each task are kept. A vacated task waits for a new node. The scheduler knows it as a
 * job with one member, in the queue and class of its job and with the same submission time. When the task
 * is leased again, this job is removed and the member runs again (sched_member_run).
 *
 * Caveat: these jobs are added after the record (restarts_settle), so the order of its events does not
 * matter. A feed that was filled from a snapshot therefore has the same jobs.
 */
#include "feed/task_replacement.h"

#include "feed/describe.h"
#include "feed/task_constraints.h"
#include "proto/failure_rule.h"
#include "util/mem.h"

#include <string.h>
#include <sys/queue.h>

/* One task. The name of the node belongs to its struct known_node. */
struct known_task {
	uint32_t member;
	bool ended;
	const char *node;
	uint64_t replacement; /* 0: none */
	bool told;            /* the scheduler has a job for the replacement */
};

struct known_element {
	const struct known_job *job;
	uint32_t index;
	struct known_task *tasks; /* by rank */
	size_t count;
	bool unfilled;
	bool stale; /* the constraints of its replacements have changed */
	LIST_ENTRY(known_element) by_change;
	UT_hash_handle hh;
};

struct known_restarts {
	struct buf submitted; /* packed */
	int64_t submit_us;
	bool distinct;
	struct known_element *elements; /* with nodes */
};

void restarts_submitted(struct known_job *k, const Armada__JobSubmitted *sub, int64_t submit_us)
{
	if (failure_rule_any(sub->spec) == ARMADA__TASK_FAILURE__TASK_FAILURE_FAIL_JOB)
		return;
	k->restarts = xcalloc(1, sizeof(*k->restarts));
	k->restarts->submit_us = submit_us;
	k->restarts->distinct = sub->spec->nodes > 0;
	msg_pack(sub, &k->restarts->submitted);
}

void restarts_changed(struct sched_feed *m, struct known_job *k, const Armada__JobSubmitted *sub)
{
	if (!k->restarts)
		return;
	describe_again(m, sub, &k->restarts->submitted);
	restarts_avoid(m, k); /* describe the replacements again */
}

static void element_free(struct known_restarts *r, struct known_element *e)
{
	if (e->unfilled)
		LIST_REMOVE(e, by_change);
	HASH_DEL(r->elements, e);
	free(e->tasks);
	free(e);
}

void restarts_free(struct known_job *k)
{
	if (!k->restarts)
		return;
	while (k->restarts->elements)
		element_free(k->restarts, k->restarts->elements);
	buf_done(&k->restarts->submitted);
	free(k->restarts);
}

static struct known_element *element_of(const struct known_job *k, uint32_t index)
{
	struct known_element *e = NULL;

	if (k->restarts)
		HASH_FIND(hh, k->restarts->elements, &index, sizeof(index), e);
	return e;
}

static struct known_task *task_of(const struct known_job *k, const Armada__TaskKey *key)
{
	struct known_element *e = element_of(k, key->element);

	return e && key->rank < e->count ? &e->tasks[key->rank] : NULL;
}

static const char *node_name(const struct sched_feed *m, const char *name)
{
	const struct known_node *n = sched_feed_node(m, name);

	return n ? n->name : NULL;
}

void restarts_leased(struct sched_feed *m, struct known_job *k, uint32_t element,
		     const uint32_t *members, char *const *nodes, size_t tasks)
{
	struct known_element *e;

	if (!k->restarts)
		return;
	e = xcalloc(1, sizeof(*e));
	e->job = k;
	e->index = element;
	e->tasks = xcalloc(tasks, sizeof(*e->tasks));
	e->count = tasks;
	for (size_t i = 0; i < tasks; i++) {
		e->tasks[i].member = members[i];
		e->tasks[i].node = node_name(m, nodes[i]);
	}
	HASH_ADD(hh, k->restarts->elements, index, sizeof(e->index), e);
}

static void touch(struct sched_feed *m, struct known_element *e)
{
	if (e->unfilled)
		return;
	e->unfilled = true;
	LIST_INSERT_HEAD(&m->unfilled, e, by_change);
}

void restarts_task_ended(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key)
{
	struct known_task *t = task_of(k, key);

	if (!t || t->ended)
		return;
	t->ended = true;
	sched_member_end(m->sched, k->id, key->element, t->member);
	touch(m, element_of(k, key->element));
}

void restarts_task_vacated(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key,
			   uint64_t replacement)
{
	struct known_task *t = task_of(k, key);

	if (!t)
		return;
	t->replacement = replacement;
	touch(m, element_of(k, key->element));
}

static void untell(struct sched_feed *m, struct known_task *t)
{
	if (t->told) {
		sched_unwait(m->sched, t->replacement, 0, 0);
		sched_job_remove(m->sched, t->replacement);
	}
	t->told = false;
}

void restarts_task_leased(struct sched_feed *m, struct known_job *k, const Armada__TaskKey *key,
			  const char *node)
{
	struct known_task *t = task_of(k, key);

	if (!t)
		return;
	untell(m, t);
	t->replacement = 0;
	t->ended = false;
	t->node = node_name(m, node);
	sched_member_run(m->sched, k->id, key->element, t->member, node);
	touch(m, element_of(k, key->element));
}

void restarts_avoid(struct sched_feed *m, struct known_job *k)
{
	struct known_element *e = k->restarts ? k->restarts->elements : NULL;

	for (; e; e = e->hh.next) {
		e->stale = true;
		touch(m, e);
	}
}

void restarts_ending(struct sched_feed *m, struct known_job *k, uint32_t element)
{
	struct known_element *e = element_of(k, element);

	for (size_t i = 0; e && i < e->count; i++) {
		untell(m, &e->tasks[i]);
		e->tasks[i].replacement = 0;
	}
}

void restarts_ended(struct sched_feed *m, struct known_job *k, uint32_t element)
{
	struct known_element *e = element_of(k, element);

	if (!e)
		return;
	restarts_ending(m, k, element);
	element_free(k->restarts, e);
}

/* --- jobs of the scheduler for replacements ------------------------------------------------ */

static size_t group_of(const struct known_job *k, uint32_t member)
{
	size_t group = 0;

	for (; k->replicas && group + 1 < k->group_count && member >= k->replicas[group]; group++)
		member -= k->replicas[group];
	return group;
}

/* Excludes the nodes of the other tasks, if the tasks of the job need distinct nodes. */
static void shun_others(struct sched_feed *m, const struct known_element *e, struct sched_job *j)
{
	const char **nodes = arena_zalloc(m->arena, e->count, sizeof(*nodes));

	for (size_t i = 0; i < e->count; i++)
		if (!e->tasks[i].ended)
			nodes[i] = e->tasks[i].node;
	if (e->job->restarts->distinct)
		task_shun_nodes(m, nodes, e->count, j);
}

static void tell(struct sched_feed *m, const struct known_element *e, struct known_task *t)
{
	const struct known_restarts *r = e->job->restarts;
	const Armada__JobSubmitted *sub = msg_unpack_own(
		&armada__job_submitted__descriptor, r->submitted.data, r->submitted.len, m->arena);
	struct sched_job j;

	describe_group(m, sub, group_of(e->job, t->member), r->submit_us, &j);
	j.id = t->replacement;
	j.members = j.min_members = 1;
	j.distinct = false;
	j.throttle = 0;
	j.avoid = (const char *const *)e->job->avoids;
	j.avoid_count = e->job->avoid_count;
	shun_others(m, e, &j);
	task_stay_uniform(m, t->node, &j);
	sched_job_add(m->sched, &j);
	sched_wait(m->sched, j.id, 0, 0, 1);
	t->told = true;
}

void restarts_settle(struct sched_feed *m)
{
	struct known_element *e;

	while ((e = LIST_FIRST(&m->unfilled))) {
		LIST_REMOVE(e, by_change);
		e->unfilled = false;
		for (size_t i = 0; i < e->count; i++) {
			struct known_task *t = &e->tasks[i];

			if (!t->replacement)
				continue;
			/* the nodes of the other tasks may have changed */
			if (e->job->restarts->distinct || e->stale)
				untell(m, t);
			if (!t->told)
				tell(m, e, t);
		}
		e->stale = false;
	}
}
