/*
 * Finds the waiting elements that the free room of the nodes could hold (unused_room.h).
 *
 * Input: the state. Output: their number, resources and reasons. The free room of a node is what it has less
 * its tasks, those of pending leases included, those that are preempted not. First fit, in the order
 * of the nodes; jobs of one shape share a cursor, because what did not fit once does not fit later.
 *
 * Caveats: first fit may find less than the best placement would, also for a user whose jobs keep nodes,
 * because jobs of all users share the cursor. All work is charged to one
 * budget, and what is left when it ends is not looked at.
 */
#include "core/request/unused_room.h"

#include "core/admission/feasibility.h"
#include "core/lifecycle/pending_lease.h"
#include "core/state/avoid.h"
#include "core/state/dependents.h"
#include "core/txn/effects.h"
#include "sched/why.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

enum { BUDGET = 1 << 20, UNPACK_COST = 10 };

struct free_room {
	const struct node *node;
	struct resources left;
	bool empty, closed; /* closed: a job has the node for itself */
	bool kept;          /* a job shares it only with jobs of its user */
	const char *user;   /* of all its tasks; NULL: several users, or it is empty */
};

/* Members that find room on the same nodes. */
struct shape {
	struct {
		struct resources request;
		const struct spec *spec; /* NULL: any node will do */
		bool exclusive;
	} key;
	size_t cursor; /* no room before it */
	UT_hash_handle hh;
};

/* A specification that was tried. */
struct tried {
	const struct spec *spec;
	const Armada__JobSpec *message;
	struct shape *shape;
	bool full; /* nothing fits any more */
	UT_hash_handle hh;
};

struct search {
	struct txn *txn;
	struct free_room *rooms;
	size_t count;
	size_t *taken; /* rooms of the members of the element in hand */
	size_t taken_cap;
	struct tried *tried;
	struct shape *shapes;
	int64_t budget;
	struct unused_room *found;
};

static bool charge(struct search *s, int64_t work)
{
	s->budget -= work;
	s->found->cut |= s->budget < 0;
	return s->budget >= 0;
}

static bool is_of(const struct free_room *r, const struct job *j)
{
	return r->user && strcmp(r->user, j->user->name) == 0;
}

/* A task of the job comes to the node. */
static void let_in(struct free_room *r, const struct job *j)
{
	r->user = r->empty || is_of(r, j) ? j->user->name : NULL;
	r->empty = false;
	r->closed |= j->spec->exclusive;
	r->kept |= j->spec->exclusive_user;
}

static void add_room(struct search *s, const struct node *n)
{
	struct free_room *r = &s->rooms[s->count];
	const struct task *t;

	*r = (struct free_room){.node = n, .left = n->total, .empty = true};
	LIST_FOREACH (t, &n->tasks, on_node) {
		if (!charge(s, 1))
			return;
		if (t->state == TASK_ENDED || t->element->yields || t->leaving)
			continue;
		resources_add(&r->left, task_request(t), -1);
		let_in(r, t->element->job);
	}
	s->count += !r->closed;
}

static void add_rooms(struct search *s)
{
	s->rooms = arena_alloc(s->txn->arena,
			       (HASH_COUNT(s->txn->state->nodes) + 1) * sizeof(*s->rooms));
	for (const struct node *n = s->txn->state->nodes; n && charge(s, 1); n = n->hh.next)
		if (node_takes(s->txn, n))
			add_room(s, n);
}

static bool avoids(const struct txn *txn, const struct job *j, const struct node *n)
{
	for (size_t i = 0; j->avoids && i < j->avoids->count; i++)
		if (j->avoids->list[i].until_us > txn->clock_us &&
		    strcmp(j->avoids->list[i].node, n->name) == 0)
			return true;
	return false;
}

static bool fits(const struct search *s, const struct job *j, const struct tried *t,
		 const struct free_room *r, const struct resources *want)
{
	for (size_t i = 0; i < CORE_RESOURCES; i++)
		if (want->amount[i] > r->left.amount[i])
			return false;
	if (!r->empty && (r->kept || j->spec->exclusive_user) && !is_of(r, j))
		return false;
	return !r->closed && (r->empty || !j->spec->exclusive) && node_suits(t->message, r->node) &&
	       !avoids(s->txn, j, r->node);
}

/* The members that are looked for: of an elastic job, and of one whose groups have minima, the minimum. */
static uint32_t members_of(const struct spec *s)
{
	return s->elastic || spec_has_minima(s) ? s->least : spec_members(s);
}

static uint32_t group_of(const struct spec *s, uint32_t member)
{
	uint32_t group = 0;

	if (!spec_has_minima(s))
		return spec_group_of(s, member);
	for (; group + 1 < s->group_count && member >= s->groups[group].least; group++)
		member -= s->groups[group].least;
	return group;
}

static void member_request(const struct job *j, uint32_t member, struct resources *ret)
{
	*ret = (struct resources){0};
	resources_add(ret, spec_request(j->spec, group_of(j->spec, member)),
		      spec_member_tasks(j->spec, member));
}

static void give_back(struct search *s, const struct job *j, uint32_t members)
{
	for (uint32_t i = 0; i < members; i++) {
		struct resources want;

		member_request(j, i, &want);
		resources_add(&s->rooms[s->taken[i]].left, &want, 1);
	}
}

/* Takes room for as many members as fit; returns their number. */
static uint32_t take_members(struct search *s, const struct job *j, struct tried *t)
{
	uint32_t members = members_of(j->spec), n = 0;
	size_t at = j->spec->groups ? 0 : t->shape->cursor, first = s->count;

	GROW(s->taken, s->taken_cap, members);
	for (; n < members; n++) {
		struct resources want;

		member_request(j, n, &want);
		if (j->spec->groups && !j->spec->distinct)
			at = 0;
		while (at < s->count && charge(s, 1) && !fits(s, j, t, &s->rooms[at], &want))
			at++;
		if (at == s->count || s->budget < 0)
			break;
		resources_add(&s->rooms[at].left, &want, -1);
		first = first == s->count ? at : first;
		s->taken[n] = at;
		at += j->spec->distinct || j->spec->exclusive;
	}
	if (!j->avoids && !j->spec->groups)
		t->shape->cursor = first;
	return n;
}

static bool take_element(struct search *s, const struct job *j, struct tried *t)
{
	uint32_t n = take_members(s, j, t), why = live_job(s->txn->live, j)->why;
	uint64_t tasks =
		(uint64_t)n * j->spec->per_member + (n < j->spec->larger ? n : j->spec->larger);

	if (!n || !spec_starts_with(j->spec, tasks)) {
		give_back(s, j, n);
		t->full |= !j->avoids && s->budget >= 0;
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct free_room *r = &s->rooms[s->taken[i]];
		struct resources want;

		member_request(j, i, &want);
		resources_add(&s->found->used, &want, 1);
		let_in(r, j);
	}
	s->found->elements++;
	s->found->by_why[why && why < UNUSED_WHYS ? why : WHY_PRIORITY]++;
	return true;
}

static struct shape *shape_of(struct search *s, const struct tried *t)
{
	const Armada__JobSpec *m = t->message;
	struct shape *shape, *made = arena_zalloc(s->txn->arena, 1, sizeof(*made));

	resources_add(&made->key.request, &t->spec->request, t->spec->per_member);
	made->key.exclusive = t->spec->exclusive;
	if (m->n_selectors || m->n_tolerations || m->n_nodes_include || m->n_nodes_exclude ||
	    t->spec->groups)
		made->key.spec = t->spec;
	HASH_FIND(hh, s->shapes, &made->key, sizeof(made->key), shape);
	if (shape)
		return shape;
	HASH_ADD(hh, s->shapes, key, sizeof(made->key), made);
	return made;
}

static struct tried *tried_of(struct search *s, const struct spec *spec)
{
	struct tried *t;

	HASH_FIND_PTR(s->tried, &spec, t);
	if (t)
		return t;
	charge(s, UNPACK_COST);
	t = arena_zalloc(s->txn->arena, 1, sizeof(*t));
	t->spec = spec;
	t->message = spec_open(s->txn, spec, s->txn->arena);
	t->shape = shape_of(s, t);
	HASH_ADD_PTR(s->tried, spec, t);
	return t;
}

/* The number of its elements that may start now, as far as the job and its queue are concerned. */
static uint64_t ready(const struct job *j)
{
	uint64_t n = j->waiting.total - job_withheld(j), running;

	if (j->held || j->queue->spec->cordoned)
		return 0;
	if (!n || !j->spec->throttle)
		return n;
	running = running_elements(j);
	if (running >= j->spec->throttle)
		return 0;
	return n < j->spec->throttle - running ? n : j->spec->throttle - running;
}

static void look_at(struct search *s, const struct job *j)
{
	uint64_t n = ready(j);
	struct tried *t;

	if (!n)
		return;
	if (j->gang) {
		s->found->left_out += n;
		return;
	}
	t = tried_of(s, j->spec);
	if (t->message->uniformity[0]) {
		s->found->left_out += n;
		return;
	}
	while (n-- && !t->full && charge(s, 1) && take_element(s, j, t))
		;
}

void unused_room_find(struct txn *txn, struct unused_room *ret)
{
	struct search s = {.txn = txn, .budget = BUDGET, .found = ret};

	*ret = (struct unused_room){0};
	add_rooms(&s);
	for (size_t i = 0; i < txn->state->job_slots && charge(&s, 1); i++)
		if (txn->state->jobs[i])
			look_at(&s, txn->state->jobs[i]);
	HASH_CLEAR(hh, s.tried);
	HASH_CLEAR(hh, s.shapes);
	free(s.taken);
}
