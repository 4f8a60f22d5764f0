#include "core/depend.h"
#include "core/gang.h"
#include "util/mem.h"

#include <string.h>

static void make_key(struct buf *key, uint32_t uid, const char *queue, const char *job_set,
		     const char *id)
{
	buf_add(key, &uid, sizeof(uid));
	buf_add(key, queue, strlen(queue) + 1);
	buf_add(key, job_set, strlen(job_set) + 1);
	buf_add(key, id, strlen(id) + 1);
}

struct gang *gang_find(const struct core *c, uint32_t uid, const char *queue, const char *job_set,
		       const char *id)
{
	struct buf key CLEANUP_BUF = {0};
	struct gang *g;

	make_key(&key, uid, queue, job_set, id);
	HASH_FIND(hh, c->gangs, key.data, key.len, g);
	return g;
}

void gang_join(struct core *c, struct job *j)
{
	const struct gang_spec *said = j->spec->gang;
	struct buf key CLEANUP_BUF = {0};
	struct gang *g;

	if (!said)
		return;
	make_key(&key, j->user->uid, j->queue->name, j->spec->job_set, said->id);
	HASH_FIND(hh, c->gangs, key.data, key.len, g);
	if (!g) {
		g = xcalloc(1, sizeof(*g));
		g->key = xmemdup(key.data, key.len);
		g->key_len = key.len;
		HASH_ADD_KEYPTR(hh, c->gangs, g->key, g->key_len, g);
	}
	GROW(g->members, g->cap, g->count + 1);
	g->members[g->count++] = j; /* ids grow */
	j->gang = g;
	if (g->count >= said->cardinality)
		g->lost = false;
}

static void drop(struct core *c, struct gang *g)
{
	HASH_DEL(c->gangs, g);
	free(g->members);
	free(g->key);
	free(g);
}

void gang_leave(struct core *c, struct job *j)
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
		drop(c, g);
	else
		g->lost = !g->begun;
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

void job_hold(struct job *j, bool held, Armada__Holder by)
{
	if (j->gang && j->held != held)
		j->gang->held += held ? 1 : -1;
	j->held = held;
	j->held_by = held ? by : ARMADA__HOLDER__HOLDER_OWNER;
}

const struct element *gang_element(const struct job *member)
{
	return element_find(member, 0);
}

struct job *gang_lead(const struct gang *g)
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

static const struct job *find_held(const struct gang *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->held)
			return g->members[i];
	return NULL;
}

static char *withheld_reason(const struct gang *g, struct arena *a, enum sched_why *ret_why)
{
	int64_t at_us;

	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->depend)
			return arena_printf(a, "job %" PRIu64 " of its gang %s %s",
					    g->members[i]->id, gang_says(g)->id,
					    depend_reason(g->members[i], a, ret_why, &at_us));
	return NULL;
}

bool gang_is_ready(const struct gang *g)
{
	return gang_is_whole(g) && !g->held && !g->withheld && !g->active;
}

char *gang_reason(const struct job *j, struct arena *a, enum sched_why *ret_why)
{
	const struct gang *g = j->gang;
	const struct gang_spec *said = gang_says(g);

	*ret_why = WHY_GANG_INCOMPLETE;
	if (!gang_is_whole(g)) {
		uint32_t missing = said->cardinality - (uint32_t)g->count;

		if (g->lost)
			return arena_printf(a,
					    "gang %s lost a member: submit another with the same "
					    "gang id, or cancel the rest",
					    said->id);
		return arena_printf(a, "gang %s waits for %u of its %u members", said->id, missing,
				    said->cardinality);
	}
	if (g->held) {
		*ret_why = WHY_HELD;
		return arena_printf(a, "job %" PRIu64 " of its gang %s is held", find_held(g)->id,
				    said->id);
	}
	if (g->withheld)
		return withheld_reason(g, a, ret_why);
	if (g->active)
		return arena_printf(a, "gang %s goes back whole: %zu of it %s still being ended",
				    said->id, g->active, g->active == 1 ? "is" : "are");
	return NULL;
}
