/*
 * Queues: the struct queue, and the canonical form of its specification.
 *
 * Input: a QueueSpec from an event, a snapshot or a request. Output: the queue in state->queues,
 * and members such as limits and permissions that are derived from the spec. Equal specs must be
 * equal bytes in the snapshot, so queue_spec_settle() sorts lists, drops entries that this release
 * does not know, and clears flags that belong to a request. Caveats: set_spec() frees the previous
 * spec and all that was derived from it. Nothing here refuses a spec.
 */
#include "core/state/write.h"

#include "core/state/queue.h"
#include "conf/conf.h"

#include "conf/permit_message.h"
#include "conf/queue_spec.h"
#include "core/state/fraction.h"
#include "core/state/share_note.h"
#include "core/state/state.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

#define SAME(name) (int)QUOTA_##name == (int)ARMADA__LIMIT_KIND__LIMIT_##name
_Static_assert(SAME(RUNNING) && SAME(WAITING) && SAME(CPU) && SAME(MEMORY) && SAME(GPU) &&
		       SAME(SUBMIT_RATE) && SAME(SUBMIT_BURST),
	       "the kinds of limits have the schema's numbers");

void queue_quota_take(Armada__Limit *const *list, size_t n, struct quota *ret)
{
	*ret = (struct quota){0};
	for (size_t i = 0; i < n; i++)
		if (quota_of_kind((int)list[i]->kind) && list[i]->value >= 0)
			quota_put(ret, (enum quota_kind)list[i]->kind, list[i]->value);
}

void queue_limits_take(const Armada__QueueSpec *m, bool of_user, struct quota *ret)
{
	Armada__Resource *const *list = of_user ? m->user_max_resources : m->max_resources;
	size_t n = of_user ? m->n_user_max_resources : m->n_max_resources;

	if (of_user)
		queue_quota_take(m->user_quota, m->n_user_quota, ret);
	else
		queue_quota_take(m->quota, m->n_quota, ret);
	for (size_t i = 0; i < n; i++) {
		int r = resource_index(list[i]->name);

		if (r >= 0)
			quota_lower(ret, quota_of_resource(list[i]->name, (size_t)r),
				    list[i]->amount);
	}
}

Armada__Limit **queue_quota_give(const struct quota *m, struct arena *a, size_t *ret_n)
{
	Armada__Limit **list = arena_alloc(a, QUOTA_KINDS * sizeof(*list));

	*ret_n = 0;
	for (int k = 1; k < QUOTA_KINDS; k++) {
		Armada__Limit *l;

		if (!quota_has(m, k))
			continue;
		l = list[(*ret_n)++] = arena_alloc(a, sizeof(*l));
		armada__limit__init(l);
		l->kind = (Armada__LimitKind)k;
		l->value = m->of[k];
	}
	return list;
}

/* ---- the canonical form ---- */

static void settle_fractions(Armada__Fraction ***list, size_t *n, struct arena *a)
{
	struct sched_fraction f;

	fraction_take(resource_names(), resource_count(), *list, *n, &f);
	*list = fraction_give(resource_names(), resource_count(), &f, a, n);
}

static void settle_quota(Armada__Limit ***list, size_t *n, struct arena *a)
{
	struct quota m;

	queue_quota_take(*list, *n, &m);
	*list = queue_quota_give(&m, a, n);
}

/* In the order of the resources. Of a resource that is listed twice, the first entry counts. */
static void settle_resources(Armada__Resource ***at, size_t *count, struct arena *a)
{
	Armada__Resource **list = arena_alloc(a, resource_count() * sizeof(*list));
	size_t n = 0;

	for (size_t r = 0; r < resource_count(); r++)
		for (size_t i = 0; i < *count; i++)
			if (strcmp((*at)[i]->name, resource_name(r)) == 0) {
				list[n++] = (*at)[i];
				break;
			}
	*at = list;
	*count = n;
}

static int by_number(const void *a, const void *b)
{
	Armada__QueueVerb x = *(const Armada__QueueVerb *)a, y = *(const Armada__QueueVerb *)b;

	return (x > y) - (x < y);
}

void queue_spec_settle(Armada__QueueSpec *m, struct arena *a)
{
	queue_spec_clear_flags(m);
	m->declared = 0;
	settle_fractions(&m->limits, &m->n_limits, a);
	for (size_t i = 0; i < m->n_class_limits; i++)
		settle_fractions(&m->class_limits[i]->limits, &m->class_limits[i]->n_limits, a);
	settle_quota(&m->quota, &m->n_quota, a);
	settle_quota(&m->user_quota, &m->n_user_quota, a);
	settle_resources(&m->default_resources, &m->n_default_resources, a);
	settle_resources(&m->max_resources, &m->n_max_resources, a);
	settle_resources(&m->user_max_resources, &m->n_user_max_resources, a);
	for (size_t i = 0; i < m->n_permissions; i++)
		if (m->permissions[i]->n_verbs)
			qsort(m->permissions[i]->verbs, m->permissions[i]->n_verbs,
			      sizeof(*m->permissions[i]->verbs), by_number);
}

/* ---- the struct ---- */

/* A part of a permission that a later release wrote and this one does not know gives no right. */
static void derive_permissions(struct queue *q, struct arena *a)
{
	q->permission_count = q->spec->n_permissions;
	q->permissions = arena_zalloc(a, q->permission_count + 1, sizeof(*q->permissions));
	for (size_t i = 0; i < q->permission_count; i++)
		permit_take_known(q->spec->permissions[i], &q->permissions[i]);
}

/* Derive from q->spec the members that are needed often. */
static void derive(struct queue *q, struct arena *a)
{
	const Armada__QueueSpec *m = q->spec;

	derive_permissions(q, a);
	q->class_limits = arena_zalloc(a, m->n_class_limits + 1, sizeof(*q->class_limits));
	fraction_take(resource_names(), resource_count(), m->limits, m->n_limits, &q->limit);
	for (size_t i = 0; i < m->n_class_limits; i++)
		fraction_take(resource_names(), resource_count(), m->class_limits[i]->limits,
			      m->class_limits[i]->n_limits, &q->class_limits[i]);
	queue_limits_take(m, false, &q->quota);
	queue_limits_take(m, true, &q->user_quota);
}

static Armada__QueueSpec *copy_spec(const struct buf *packed, struct arena *a)
{
	Armada__QueueSpec *m =
		msg_unpack_own(&armada__queue_spec__descriptor, packed->data, packed->len, a);

	assert(m); /* this process packed it */
	return m;
}

Armada__QueueSpec *queue_spec_copy(const Armada__QueueSpec *m, struct arena *a)
{
	struct buf packed CLEANUP_BUF = {0};

	msg_pack(m, &packed);
	return copy_spec(&packed, a);
}

static void set_spec(struct queue *q, const Armada__QueueSpec *spec)
{
	struct arena *scratch CLEANUP_ARENA = arena_new(0);
	Armada__QueueSpec *settled = queue_spec_copy(spec, scratch);

	queue_spec_settle(settled, scratch);
	buf_clear(&q->packed);
	msg_pack(settled, &q->packed);
	arena_clear(q->arena);
	q->spec = copy_spec(&q->packed, q->arena);
	derive(q, q->arena);
}

void queue_set(struct state *state, const Armada__QueueSpec *spec, int64_t now_us, const char *by)
{
	struct queue *q = queue_find(state, spec->name);

	if (!q) {
		q = xcalloc(1, sizeof(*q));
		q->arena = arena_new(0);
		q->name = xstrdup(spec->name);
		q->created_us = now_us;
		q->created_by = xstrdup(by);
		HASH_ADD_KEYPTR(hh, state->queues, q->name, strlen(q->name), q);
	}
	set_spec(q, spec);
}

void queue_drop(struct state *state, struct queue *q)
{
	HASH_DEL(state->queues, q);
	arena_free(q->arena);
	buf_done(&q->packed);
	free(q->name);
	free(q->created_by);
	share_note_free(q->noted);
	free(q);
}

struct queue *queue_find(const struct state *state, const char *name)
{
	struct queue *q;

	HASH_FIND_STR(state->queues, name, q);
	return q;
}

Armada__QueueSpec *queue_spec(const struct queue *q, struct arena *a)
{
	return copy_spec(&q->packed, a);
}

/* ---- what follows from the specification ---- */

const struct queue *queue_imagine(const Armada__QueueSpec *spec, const char *name, struct arena *a)
{
	struct queue *q = arena_zalloc(a, 1, sizeof(*q));

	q->name = (char *)name;
	q->spec = spec;
	derive(q, a);
	return q;
}

const struct sched_fraction *queue_class_limit(const struct queue *q, const char *class_name)
{
	for (size_t i = 0; i < q->spec->n_class_limits; i++)
		if (strcmp(q->spec->class_limits[i]->priority_class, class_name) == 0)
			return &q->class_limits[i];
	return NULL;
}

int64_t queue_default(const struct queue *q, const char *resource)
{
	for (size_t i = 0; i < q->spec->n_default_resources; i++)
		if (strcmp(q->spec->default_resources[i]->name, resource) == 0)
			return q->spec->default_resources[i]->amount;
	return -1;
}
