/*
 * Gangs of separate jobs: which jobs belong to a gang, and what follows from its members.
 *
 * Input: jobs that are submitted or leave memory, leases and orders. Output: struct gang in
 * state->gangs, found by uid and gang id, then by queue. Caveats: the counters held, withheld, paused
 * and active are kept by job_hold(), the dependents, element_pause() and fold_count_active(). The first
 * member is the lead, so the members stay sorted by id. The gang is freed with its last member.
 */
#include "core/state/write.h"

#include "core/state/gang.h"
#include "core/state/state.h"

#include "util/mem.h"

#include <string.h>

static void make_key(struct buf *key, uint32_t uid, const char *id)
{
	buf_add(key, &uid, sizeof(uid));
	buf_add(key, id, strlen(id) + 1);
}

static bool is_at(const struct gang *g, const char *queue, const char *job_set)
{
	if (strcmp(g->queue, queue) != 0 || !job_set != !g->job_set)
		return false;
	return !job_set || strcmp(g->job_set, job_set) == 0;
}

struct gang *gang_find_id(const struct state *state, uint32_t uid, const char *id)
{
	struct buf key CLEANUP_BUF = {0};
	struct gang *g;

	make_key(&key, uid, id);
	HASH_FIND(hh, state->gangs, key.data, key.len, g);
	return g;
}

struct gang *gang_find(const struct state *state, uint32_t uid, const char *queue,
		       const char *job_set, const char *id)
{
	struct gang *g = gang_find_id(state, uid, id);

	while (g && !is_at(g, queue, job_set))
		g = g->next;
	return g;
}

static struct gang *make(struct state *state, const struct job *j, const char *job_set)
{
	struct gang *first = gang_find_id(state, j->user->uid, j->spec->gang->id);
	struct gang *g = xcalloc(1, sizeof(*g));
	struct buf key CLEANUP_BUF = {0};

	make_key(&key, j->user->uid, j->spec->gang->id);
	g->key = xmemdup(key.data, key.len);
	g->key_len = key.len;
	g->queue = xstrdup(j->queue->name);
	g->job_set = job_set ? xstrdup(job_set) : NULL;
	g->slot = slot_take(&state->gang_places);
	if (first) {
		g->next = first->next;
		first->next = g;
	} else {
		HASH_ADD_KEYPTR(hh, state->gangs, g->key, g->key_len, g);
	}
	return g;
}

void gang_join(struct state *state, struct job *j)
{
	const struct gang_spec *said = j->spec->gang;
	const char *job_set;
	struct gang *g;

	if (!said)
		return;
	job_set = said->of_queue ? NULL : j->spec->job_set;
	g = gang_find(state, j->user->uid, j->queue->name, job_set, said->id);
	if (!g)
		g = make(state, j, job_set);
	GROW(g->members, g->cap, g->count + 1);
	g->members[g->count++] = j; /* ids only grow, so the list stays sorted */
	j->gang = g;
}

static void drop(struct state *state, struct gang *g)
{
	struct gang *first;

	HASH_FIND(hh, state->gangs, g->key, g->key_len, first);
	if (first == g) {
		HASH_DEL(state->gangs, g);
		if (g->next)
			HASH_ADD_KEYPTR(hh, state->gangs, g->next->key, g->next->key_len, g->next);
	} else {
		while (first->next != g)
			first = first->next;
		first->next = g->next;
	}
	slot_give_back(&state->gang_places, g->slot);
	free(g->members);
	free(g->queue);
	free(g->job_set);
	free(g->key);
	free(g);
}

void gang_leave(struct state *state, struct job *j)
{
	struct gang *g = j->gang;
	size_t at = 0;

	if (!g)
		return;
	job_hold(j, false, ARMADA__HOLDER__HOLDER_OWNER);
	j->gang = NULL;
	while (g->members[at] != j)
		at++;
	memmove(&g->members[at], &g->members[at + 1], (--g->count - at) * sizeof(*g->members));
	if (!g->count)
		drop(state, g);
}

void gang_leased(struct job *j, uint32_t together, bool ordered)
{
	if (!j->gang)
		return;
	if (together)
		j->gang->together = together;
	j->gang->begun |= ordered || gang_is_fewer(together, j->spec->gang->cardinality);
}

void gang_ordered(struct job *j)
{
	if (j->gang)
		j->gang->begun = true;
}

const struct element *gang_element(const struct job *member)
{
	return element_find(member, 0);
}

void gang_pause(struct state *state, struct gang *g, int64_t until_us)
{
	for (size_t i = 0; i < g->count; i++) {
		struct element *e = element_find(g->members[i], 0);

		if (e && !e->task_count && e->not_before_us < until_us)
			element_pause(state, e, until_us);
	}
}

const struct job *gang_lead(const struct gang *g)
{
	return g->members[0];
}

bool gang_is_whole(const struct gang *g)
{
	return g->count >= gang_says(g)->cardinality || g->begun;
}

uint32_t gang_least(const struct gang *g)
{
	uint32_t min = gang_says(g)->min;

	return g->count < min ? (uint32_t)g->count : min;
}

bool gang_is_ready(const struct gang *g)
{
	return gang_is_whole(g) && !g->held && !g->withheld && !g->paused && !g->active;
}

bool task_starts_with_others(const struct task *t)
{
	const struct element *e = t->element;

	return e->task_count > 1 || (e->job->gang && e->job->gang->together > 1);
}
