/*
 * Gangs of jobs in the scheduler's picture: one job, with the members as its parts.
 *
 * What happens to members is only noted until the record is over; then each gang it was about is
 * brought to what its members are by now. So it does not matter in which order one record speaks of
 * them, and a mirror filled from a snapshot comes to the same.
 *
 * The scheduler knows a gang while all of it waits and it is whole, and while any of it runs. Its
 * job there has the id of a member that has not ended: when that one ends, the rest is told anew.
 */
#include "feed/gang.h"

#include "core/txn/txn.h"
#include "feed/describe.h"
#include "util/mem.h"
#include "util/splitmix.h"

#include <string.h>

struct known_member {
	uint64_t id;
	struct known_gang *gang;
	struct buf submitted; /* packed */
	int64_t submit_us, start_us;
	uint32_t seats; /* nodes that it needs */
	uint32_t tasks_per_seat;
	bool held, waits, pinned, yields;
	bool ordered; /* its gang has begun: core/state/gang.h */
	bool fresh;   /* leased since the gang was settled */
	char **nodes; /* one for each seat; NULL: it has none */
};

/* A member's place in the job that the scheduler was told of. */
struct known_seat {
	uint64_t id;
	uint32_t first, count; /* members of that job */
	bool gone;             /* its nodes are free, or it never had any */
};

struct known_gang {
	struct known_member **members; /* by id */
	size_t count, cap;
	uint32_t cardinality, min;
	/* as the scheduler has it */
	uint64_t as; /* the id; 0: not at all */
	bool running;
	bool changed; /* members came or went since, or are to stand elsewhere */
	struct known_seat *seats;
	size_t seat_count;
	bool reordered; /* the place of what runs is another */
	bool unsettled;
	struct known_gang *next;
	size_t key_len;
	char *key;
	UT_hash_handle hh;
};

/* --- members ------------------------------------------------------------------------------- */

static struct known_member *touch(struct mirror *m, struct known_member *member)
{
	struct known_gang *g = member->gang;

	if (!g->unsettled) {
		g->unsettled = true;
		g->next = m->unsettled;
		m->unsettled = g;
	}
	return member;
}

static struct known_gang *gang_of(struct mirror *m, const Armada__JobSubmitted *sub)
{
	const Armada__JobSpec *s = sub->spec;
	struct buf key CLEANUP_BUF = {0};
	struct known_gang *g;

	buf_add(&key, &sub->uid, sizeof(sub->uid));
	buf_add(&key, s->queue, strlen(s->queue) + 1);
	buf_add(&key, s->job_set, strlen(s->job_set) + 1);
	buf_add(&key, s->gang_id, strlen(s->gang_id) + 1);
	HASH_FIND(hh, m->gangs, key.data, key.len, g);
	if (g)
		return g;
	g = xcalloc(1, sizeof(*g));
	g->key = xmemdup(key.data, key.len);
	g->key_len = key.len;
	g->cardinality = s->gang_cardinality;
	g->min = s->gang_min ? s->gang_min : s->gang_cardinality;
	HASH_ADD_KEYPTR(hh, m->gangs, g->key, g->key_len, g);
	return g;
}

void member_submitted(struct mirror *m, struct known_job *k, const Armada__JobSubmitted *sub,
		      int64_t submit_us)
{
	struct known_gang *g = gang_of(m, sub);
	struct known_member *member = xcalloc(1, sizeof(*member));

	member->id = sub->id;
	member->gang = g;
	member->submit_us = submit_us;
	member->seats = k->members;
	member->tasks_per_seat = k->tasks_per_member;
	msg_pack(sub, &member->submitted);
	GROW(g->members, g->cap, g->count + 1);
	g->members[g->count++] = member;
	g->changed = true;
	k->member = touch(m, member);
}

void member_held(struct mirror *m, struct known_job *k, bool held)
{
	touch(m, k->member)->held = held;
}

void member_waits(struct mirror *m, struct known_job *k)
{
	struct known_member *member = touch(m, k->member);

	free(member->nodes);
	member->nodes = NULL;
	member->waits = true;
	member->pinned = member->yields = false;
}

/* Names are the nodes' own: what the scheduler is told of outlives the record. */
static char *node_name(const struct mirror *m, const char *name)
{
	struct known_node *n;

	HASH_FIND_STR(m->nodes, name, n);
	return n ? n->name : NULL;
}

void member_leased(struct mirror *m, struct known_job *k, char *const *nodes, int64_t start_us)
{
	struct known_member *member = touch(m, k->member);

	free(member->nodes);
	member->nodes = xcalloc(member->seats, sizeof(*member->nodes));
	for (uint32_t i = 0; i < member->seats; i++)
		member->nodes[i] = node_name(m, nodes[i * member->tasks_per_seat]);
	member->start_us = start_us;
	member->waits = member->pinned = member->yields = false;
	member->fresh = true;
}

bool member_is_fewer(const struct known_job *k, uint32_t together)
{
	return gang_is_fewer(together, k->member->gang->cardinality);
}

void member_ordered(struct mirror *m, struct known_job *k)
{
	touch(m, k->member)->ordered = true;
}

static struct known_member *timed_by(const struct known_gang *g);

void member_began(struct mirror *m, struct known_job *k, int64_t start_us)
{
	struct known_member *member = k->member;

	member->start_us = start_us;
	/* of 10,000 that begin one by one, one is told */
	if (timed_by(member->gang) == member)
		touch(m, member);
}

void member_reordered(struct mirror *m, struct known_job *k, int32_t priority)
{
	struct known_member *member = k->member;
	Armada__JobSubmitted *sub =
		msg_unpack_own(&armada__job_submitted__descriptor, member->submitted.data,
			       member->submitted.len, m->arena);

	if (sub->spec->priority == priority)
		return;
	sub->spec->priority = priority;
	buf_clear(&member->submitted);
	msg_pack(sub, &member->submitted);
	touch(m, member)->gang->changed = true;
	member->gang->reordered = true;
}

void member_pinned(struct mirror *m, struct known_job *k, bool pinned)
{
	touch(m, k->member)->pinned = pinned;
}

void member_yields(struct mirror *m, struct known_job *k)
{
	touch(m, k->member)->yields = true;
}

static void member_free(struct known_member *member)
{
	buf_done(&member->submitted);
	free(member->nodes);
	free(member);
}

void member_ended(struct mirror *m, struct known_job *k)
{
	struct known_member *member = touch(m, k->member);
	struct known_gang *g = member->gang;
	size_t at = 0;

	while (g->members[at] != member)
		at++;
	memmove(&g->members[at], &g->members[at + 1], (--g->count - at) * sizeof(*g->members));
	g->changed = true;
	k->member = NULL;
	member_free(member);
}

/* --- the gang as one job ------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_names(const char *const *a, const char *const *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

/* May both stand in one part? */
static bool is_alike(const struct sched_job *a, const struct sched_job *b)
{
	if (memcmp(a->request, b->request, sizeof(a->request)) != 0 ||
	    a->selector_count != b->selector_count || a->toleration_count != b->toleration_count ||
	    a->include_count != b->include_count || a->exclude_count != b->exclude_count)
		return false;
	for (size_t i = 0; i < a->selector_count; i++)
		if (a->selectors[i].negate != b->selectors[i].negate ||
		    !same_text(a->selectors[i].key, b->selectors[i].key) ||
		    !same_text(a->selectors[i].value, b->selectors[i].value))
			return false;
	for (size_t i = 0; i < a->toleration_count; i++)
		if (!same_text(a->tolerations[i].key, b->tolerations[i].key) ||
		    !same_text(a->tolerations[i].op, b->tolerations[i].op) ||
		    !same_text(a->tolerations[i].value, b->tolerations[i].value))
			return false;
	return same_names(a->include, b->include, a->include_count) &&
	       same_names(a->exclude, b->exclude, a->exclude_count);
}

static void open_member(struct mirror *m, const struct known_member *member, struct sched_job *ret)
{
	const Armada__JobSubmitted *sub =
		msg_unpack_own(&armada__job_submitted__descriptor, member->submitted.data,
			       member->submitted.len, m->arena);

	mirror_describe(m, sub, member->submit_us, ret);
}

/*
 * What holds for all: no two nodes alike if any member wants that, the longest time limit and
 * grace, and of the minimum so much that each member left out may cost a whole one more.
 */
static void join(const struct known_gang *g, const struct sched_job *each, struct sched_job *whole)
{
	uint32_t min = g->count < g->min ? (uint32_t)g->count : g->min;

	for (size_t i = 1; i < g->count; i++) {
		whole->members += each[i].members;
		whole->distinct |= each[i].distinct && each[i].members > 1;
		if (!each[i].time_limit_us || !whole->time_limit_us)
			whole->time_limit_us = 0;
		else if (each[i].time_limit_us > whole->time_limit_us)
			whole->time_limit_us = each[i].time_limit_us;
		if (each[i].grace_us > whole->grace_us)
			whole->grace_us = each[i].grace_us;
	}
	whole->min_members = whole->members - ((uint32_t)g->count - min);
	whole->elements = (uint32_t)g->count;
}

/* Those alike that stand side by side are one part; one part is the whole. */
static void set_parts(struct mirror *m, const struct known_gang *g, const struct sched_job *each,
		      struct sched_job *whole)
{
	struct sched_job *parts = arena_alloc(m->arena, g->count * sizeof(*parts));
	size_t n = 0;

	for (size_t i = 0; i < g->count; i++) {
		if (n && is_alike(&parts[n - 1], &each[i])) {
			parts[n - 1].members += each[i].members;
		} else {
			parts[n] = each[i];
			parts[n++].uniformity = NULL;
		}
		parts[n - 1].min_members = parts[n - 1].members;
	}
	if (n == 1)
		return;
	whole->parts = parts;
	whole->part_count = n;
	whole->selector_count = whole->toleration_count = 0;
	whole->include_count = whole->exclude_count = 0;
}

/*
 * Whose id the gang has in the scheduler. While it waits that is the first, by whom the core knows it.
 * While it runs, any member will do for the core; members mostly end in order, and if each of 10,000
 * led until it ended, as many times all the rest would be told anew. Chosen by lot, some ten lead.
 */
static uint64_t lead_of(const struct known_gang *g, bool runs)
{
	uint64_t lead = g->count ? g->members[0]->id : 0;

	for (size_t i = 1; runs && i < g->count; i++)
		if (splitmix_mix(g->members[i]->id) < splitmix_mix(lead))
			lead = g->members[i]->id;
	return lead;
}

static void tell(struct mirror *m, struct known_gang *g, uint64_t lead)
{
	struct sched_job *each = arena_alloc(m->arena, g->count * sizeof(*each)), whole;
	uint32_t first = 0;

	free(g->seats);
	g->seats = xcalloc(g->count, sizeof(*g->seats));
	g->seat_count = g->count;
	for (size_t i = 0; i < g->count; i++) {
		open_member(m, g->members[i], &each[i]);
		g->seats[i] = (struct known_seat){g->members[i]->id, first, each[i].members, false};
		first += each[i].members;
	}
	whole = each[0];
	whole.id = lead;
	whole.distinct = whole.distinct && whole.members > 1;
	join(g, each, &whole);
	set_parts(m, g, each, &whole);
	sched_job_add(m->sched, &whole);
	g->as = whole.id;
	g->running = g->changed = false;
	sched_wait(m->sched, g->as, 0, 0, 1);
}

/* --- settling ------------------------------------------------------------------------------ */

static struct known_member *find_member(const struct known_gang *g, uint64_t id)
{
	size_t low = 0, high = g->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (g->members[middle]->id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < g->count && g->members[low]->id == id ? g->members[low] : NULL;
}

/*
 * By whose start the gang's time counts: they begin together, so any will do as long as it is always
 * the same one. The member that leads it, or the first with nodes; NULL: none has any.
 */
static struct known_member *timed_by(const struct known_gang *g)
{
	struct known_member *lead = g->as ? find_member(g, g->as) : NULL;

	if (lead && lead->nodes)
		return lead;
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->nodes)
			return g->members[i];
	return NULL;
}

static bool any_runs(const struct known_gang *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->nodes)
			return true;
	return false;
}

static bool is_fresh(const struct known_gang *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->fresh)
			return true;
	return false;
}

static bool is_held(const struct known_gang *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->held)
			return true;
	return false;
}

static bool is_pinned(const struct known_gang *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->members[i]->nodes && g->members[i]->pinned)
			return true;
	return false;
}

/* Whole, and all of it waits. */
static bool is_ready(const struct known_gang *g)
{
	bool begun = false;

	for (size_t i = 0; i < g->count; i++) {
		if (!g->members[i]->waits)
			return false;
		begun |= g->members[i]->ordered;
	}
	return g->count && (begun || g->count >= g->cardinality);
}

static void untell(struct mirror *m, struct known_gang *g)
{
	if (!g->as)
		return;
	if (g->running)
		sched_end(m->sched, g->as, 0);
	else
		sched_unwait(m->sched, g->as, 0, 0);
	sched_job_remove(m->sched, g->as);
	g->as = 0;
	g->running = false;
}

/* On the nodes of those who have any; the others have ended, or wait for them to. */
static void run(struct mirror *m, struct known_gang *g)
{
	const struct known_seat *last = &g->seats[g->seat_count - 1];
	const char **nodes = arena_zalloc(m->arena, last->first + last->count, sizeof(*nodes));

	for (size_t i = 0; i < g->seat_count; i++) {
		struct known_seat *s = &g->seats[i];
		const struct known_member *member = find_member(g, s->id);

		s->gone = !member || !member->nodes;
		if (s->gone)
			continue;
		memcpy(&nodes[s->first], member->nodes, s->count * sizeof(*nodes));
	}
	sched_run(m->sched, g->as, 0, nodes, timed_by(g)->start_us);
	g->running = true;
}

static void let_go(struct mirror *m, struct known_gang *g)
{
	uint32_t left = 0;

	for (size_t i = 0; i < g->seat_count; i++) {
		struct known_seat *s = &g->seats[i];
		const struct known_member *member = find_member(g, s->id);
		bool there = member && member->nodes;

		left += there;
		if (s->gone || (there && !member->yields))
			continue;
		for (uint32_t k = 0; k < s->count; k++)
			if (there)
				sched_member_yield(m->sched, g->as, 0, s->first + k);
			else
				sched_member_end(m->sched, g->as, 0, s->first + k);
		s->gone = true;
	}
	sched_elements_left(m->sched, g->as, 0, left);
	if (timed_by(g))
		sched_started(m->sched, g->as, 0, timed_by(g)->start_us);
	sched_pin(m->sched, g->as, 0, is_pinned(g));
}

/* Of what runs nothing else is told anew. */
static void reorder(struct mirror *m, const struct known_gang *g)
{
	struct sched_job first;

	open_member(m, g->members[0], &first);
	first.id = g->as;
	sched_job_change(m->sched, &first);
}

static void settle(struct mirror *m, struct known_gang *g)
{
	bool runs = any_runs(g), fresh = is_fresh(g);
	uint64_t lead = lead_of(g, runs);

	if (g->as != lead || (g->running && (fresh || !runs)) ||
	    (!g->running && !runs && (g->changed || !is_ready(g))))
		untell(m, g);
	if (!g->as && (runs || is_ready(g)))
		tell(m, g, lead);
	if (g->as && runs && !g->running)
		run(m, g);
	if (g->running && g->reordered)
		reorder(m, g);
	g->reordered = false;
	if (g->running)
		let_go(m, g);
	if (g->as)
		sched_job_hold(m->sched, g->as, is_held(g));
	for (size_t i = 0; i < g->count; i++)
		g->members[i]->fresh = false;
}

static void gang_free(struct mirror *m, struct known_gang *g)
{
	HASH_DEL(m->gangs, g);
	for (size_t i = 0; i < g->count; i++)
		member_free(g->members[i]);
	free(g->members);
	free(g->seats);
	free(g->key);
	free(g);
}

void gangs_settle(struct mirror *m)
{
	while (m->unsettled) {
		struct known_gang *g = m->unsettled;

		m->unsettled = g->next;
		g->unsettled = false;
		settle(m, g);
		if (!g->count)
			gang_free(m, g);
	}
}

void gangs_free(struct mirror *m)
{
	while (m->gangs)
		gang_free(m, m->gangs);
}
