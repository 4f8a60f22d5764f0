/*
 * Volatile data of jobs, gangs, elements and nodes, found by slot.
 *
 * Input: a noun of the state, with its slot (core/state/slot.h). Output: a zeroed or earlier struct
 * of volatile data for this noun. The tables consist of pieces of 256 entries that never move, so
 * pointers remain valid. An entry keeps the birth number of its noun. If a later noun has the same
 * place, the birth number differs, and the old data is freed and zeroed first. Caveats: data of an
 * element is dropped when its lease (seq) changes. live_forget_job() and live_forget_element() free
 * data early; otherwise it stays until another noun gets the slot.
 */
#include "core/txn/live.h"

#include "core/txn/dependency_timers.h"
#include "core/txn/steps.h"
#include "core/txn/waiters.h"
#include "util/mem.h"

#include <string.h>

enum { PIECE = 256 };

/* The header of an entry: the noun that the data belongs to. */
struct owner {
	_Alignas(uint64_t) uint32_t born; /* 0: no noun yet */
};

typedef void forget_fn(struct live *l, void *facts);

/* The entry at a place; aligned for all the structs of volatile data. */
static char *entry(struct live_table *t, size_t at, size_t size)
{
	size_t to = _Alignof(uint64_t), each = (sizeof(struct owner) + size + to - 1) / to * to;

	while (t->piece_count <= at / PIECE) {
		GROW(t->pieces, t->piece_cap, t->piece_count + 1);
		t->pieces[t->piece_count++] = xcalloc(PIECE, each);
	}
	return t->pieces[at / PIECE] + at % PIECE * each;
}

/* The data of an earlier noun in this place is freed first. */
static void *facts_of(struct live *l, struct live_table *t, struct slot slot, size_t size,
		      forget_fn *forget)
{
	char *at = entry(t, slot.at, size);
	struct owner *o = (struct owner *)at;
	void *facts = at + sizeof(*o);

	if (o->born != slot.born) {
		if (o->born && forget)
			forget(l, facts);
		memset(facts, 0, size);
		o->born = slot.born;
	}
	return facts;
}

static void table_free(struct live *l, struct live_table *t, size_t size, forget_fn *forget)
{
	for (size_t i = 0; i < t->piece_count * PIECE; i++) {
		char *at = entry(t, i, size);

		if (forget && ((struct owner *)at)->born)
			forget(l, at + sizeof(struct owner));
	}
	for (size_t i = 0; i < t->piece_count; i++)
		free(t->pieces[i]);
	free(t->pieces);
}

static void forget_job(struct live *l, void *facts)
{
	struct job_live *j = facts;

	while (!LIST_EMPTY(&j->waiters))
		waiter_drop(l, LIST_FIRST(&j->waiters));
	free(j->reason);
	dependency_timer_cancel(l, j);
}

static void forget_element(struct live *l, void *facts)
{
	struct element_live *e = facts;

	for (uint32_t i = 0; i < e->task_count; i++)
		free(e->tasks[i].reason);
	steps_free(l, e->steps);
	free(e->tasks);
	free(e->extras_reason);
}

/* Extra tasks have joined. */
static void add_tasks(struct element_live *live, uint32_t count)
{
	live->tasks = xreallocarray(live->tasks, count, sizeof(*live->tasks));
	memset(live->tasks + live->task_count, 0,
	       (count - live->task_count) * sizeof(*live->tasks));
	live->task_count = count;
}

struct live *live_new(void)
{
	struct live *l = xcalloc(1, sizeof(*l));

	TAILQ_INIT(&l->buckets_by_use);
	TAILQ_INIT(&l->output_reads);
	TAILQ_INIT(&l->ended_steps);
	return l;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	table_free(l, &l->jobs, sizeof(struct job_live), forget_job);
	table_free(l, &l->gangs, sizeof(struct gang_live), NULL);
	table_free(l, &l->elements, sizeof(struct element_live), forget_element);
	table_free(l, &l->nodes, sizeof(struct node_live), NULL);
	preempted_work_done(&l->preempted_work);
	free(l->looks);
	free(l->release);
	free(l->problem);
	for (size_t r = 0; r < RESOURCE_MAX; r++)
		free(l->floating_problems[r]);
	free(l);
}

struct job_live *live_job(struct live *l, const struct job *j)
{
	return facts_of(l, &l->jobs, j->slot, sizeof(struct job_live), forget_job);
}

struct gang_live *live_gang(struct live *l, const struct gang *g)
{
	return facts_of(l, &l->gangs, g->slot, sizeof(struct gang_live), NULL);
}

struct element_live *live_element(struct live *l, const struct element *e)
{
	struct element_live *live =
		facts_of(l, &l->elements, e->slot, sizeof(struct element_live), forget_element);

	if (live->seq == e->seq && e->extras && live->task_count < e->task_count)
		add_tasks(live, e->task_count);
	if (live->seq != e->seq || live->task_count != e->task_count) {
		forget_element(l, live);
		*live = (struct element_live){.seq = e->seq, .task_count = e->task_count};
		live->tasks = e->task_count ? xcalloc(e->task_count, sizeof(*live->tasks)) : NULL;
	}
	return live;
}

struct task_live *live_task(struct live *l, const struct task *t)
{
	struct task_live *live = &live_element(l, t->element)->tasks[t->rank];

	if (live->seq != t->seq) {
		free(live->reason);
		*live = (struct task_live){.seq = t->seq};
	}
	return live;
}

void live_forget_reports(struct live *l, const struct task *t)
{
	struct task_live *live = live_task(l, t);

	live->accepted = live->ready = live->released = false;
	live->settings = 0;
}

struct node_live *live_node(struct live *l, const struct node *n)
{
	return facts_of(l, &l->nodes, n->slot, sizeof(struct node_live), NULL);
}

bool live_node_is_silent(struct live *l, const struct node *n)
{
	return n->state == ARMADA__NODE_STATE__NODE_UNKNOWN || live_node(l, n)->silent;
}

const struct node *live_node_by_conn(struct live *l, const struct state *state, uint64_t conn)
{
	for (const struct node *n = state->nodes; n; n = n->hh.next)
		if (live_node(l, n)->conn == conn)
			return n;
	return NULL;
}

void live_forget_job(struct live *l, const struct job *j)
{
	struct job_live *live = live_job(l, j);

	forget_job(l, live);
	*live = (struct job_live){0};
}

void live_forget_element(struct live *l, const struct element *e)
{
	struct element_live *live = live_element(l, e);

	forget_element(l, live);
	*live = (struct element_live){0};
}

void live_note_reason(struct live *l, const struct job *j, const char *text, uint8_t why,
		      int64_t expected_us)
{
	struct job_live *live = live_job(l, j);

	free(live->reason);
	live->reason = xstrdup(text);
	live->why = why;
	live->expected_us = expected_us;
}
