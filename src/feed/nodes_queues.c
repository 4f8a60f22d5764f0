/*
 * Events of nodes and queues, applied to the scheduler's model.
 *
 * Input: one event of a record or of a snapshot. Output: calls of sched_node_* and sched_queue_*. A copy of
 * each node is kept, because its registration, state and link change in separate events, but
 * sched_node_set() takes all of them. Caveat: a new epoch marks all nodes as not linked, as the fold does,
 * because a new controller has no connections.
 */
#include "feed/nodes_queues.h"

#include "conf/selectors.h"
#include "core/state/fraction.h"
#include "core/txn/txn.h"
#include "sched/floating_total.h"
#include "sched/queue_constraint.h"
#include "sched/usage_history.h"
#include "util/mem.h"

#include <string.h>

static void free_node(struct sched_feed *m, struct known_node *n)
{
	HASH_DEL(m->nodes, n);
	arena_free(n->arena);
	free(n->name);
	free(n);
}

static void push_node(struct sched_feed *m, const struct known_node *k)
{
	size_t n_labels = k->set->n_labels, n_taints = k->set->n_taints;
	struct sched_label *labels = arena_alloc(m->arena, n_labels * sizeof(*labels));
	struct sched_taint *taints = arena_alloc(m->arena, n_taints * sizeof(*taints));
	struct sched_node n = {
		.name = k->name,
		.labels = labels,
		.label_count = n_labels,
		.taints = taints,
		.taint_count = n_taints,
		.schedulable = k->linked && k->state == ARMADA__NODE_STATE__NODE_UP,
	};

	for (size_t i = 0; i < n_labels; i++)
		labels[i] = (struct sched_label){k->set->labels[i]->key, k->set->labels[i]->value};
	for (size_t i = 0; i < n_taints; i++)
		taints[i] = (struct sched_taint){k->set->taints[i]->key, k->set->taints[i]->value,
						 k->set->taints[i]->effect};
	sched_feed_amounts(m, k->set->resources, k->set->n_resources, n.total);
	sched_node_set(m->sched, &n);
}

struct known_node *sched_feed_node(const struct sched_feed *m, const char *name)
{
	struct known_node *k;

	HASH_FIND_STR(m->nodes, name, k);
	return k;
}

static void set_node(struct sched_feed *m, const Armada__NodeSet *set)
{
	struct known_node *k = sched_feed_node(m, set->name);
	struct buf packed CLEANUP_BUF = {0};

	if (!k) {
		k = xcalloc(1, sizeof(*k));
		k->name = xstrdup(set->name);
		k->arena = arena_new(0);
		HASH_ADD_KEYPTR(hh, m->nodes, k->name, strlen(k->name), k);
	}
	msg_pack(set, &packed);
	arena_clear(k->arena);
	k->set = msg_unpack_own(&armada__node_set__descriptor, packed.data, packed.len, k->arena);
}

static void on_node_set(struct sched_feed *m, const Armada__NodeSet *set)
{
	set_node(m, set);
	push_node(m, sched_feed_node(m, set->name));
}

static void on_node_state(struct sched_feed *m, const char *name, const int *state,
			  const bool *linked)
{
	struct known_node *k = sched_feed_node(m, name);

	if (!k)
		return;
	if (state)
		k->state = *state;
	if (linked)
		k->linked = *linked;
	push_node(m, k);
}

static void on_node_deleted(struct sched_feed *m, const char *name)
{
	struct known_node *n = sched_feed_node(m, name);

	sched_node_remove(m->sched, name);
	if (n)
		free_node(m, n);
}

static void on_epoch(struct sched_feed *m)
{
	for (struct known_node *k = m->nodes; k; k = k->hh.next) {
		k->linked = false;
		push_node(m, k);
	}
}

static void on_snap_node(struct sched_feed *m, const Armada__SnapNode *s)
{
	int state = s->state;
	bool linked = s->linked;

	set_node(m, s->node);
	on_node_state(m, s->node->name, &state, &linked);
}

static void on_class_limits(struct sched_feed *m, const Armada__QueueSpec *q)
{
	struct sched_class_limit *list = xcalloc(q->n_class_limits + 1, sizeof(*list));

	for (size_t i = 0; i < q->n_class_limits; i++) {
		list[i].class_name = q->class_limits[i]->priority_class;
		fraction_take((const char *const *)m->resources, m->resource_count,
			      q->class_limits[i]->limits, q->class_limits[i]->n_limits,
			      &list[i].limit);
	}
	sched_queue_class_limits(m->sched, q->name, list, q->n_class_limits);
	free(list);
}

static void on_constraint(struct sched_feed *m, const Armada__QueueSpec *q)
{
	struct selector_words *words = NULL;
	struct sched_selector *list;
	size_t count = 0;
	struct err err;

	/* a text that a later release accepted, and this one does not know, selects nothing */
	if (q->constraint[0] && selectors_parse(q->constraint, m->arena, &words, &count, &err) < 0)
		count = 0;
	list = arena_alloc(m->arena, (count + 1) * sizeof(*list));
	for (size_t i = 0; i < count; i++)
		list[i] = (struct sched_selector){words[i].key, words[i].value, words[i].negate,
						  words[i].alternative};
	sched_queue_constraint(m->sched, q->name, list, count);
}

static void on_queue(struct sched_feed *m, const Armada__QueueSpec *q)
{
	struct quota quota, user_quota;
	struct sched_fraction limit;

	fraction_take((const char *const *)m->resources, m->resource_count, q->limits, q->n_limits,
		      &limit);
	sched_queue_set(m->sched, q->name, q->priority_factor, q->cordoned);
	sched_queue_limit(m->sched, q->name, &limit);
	queue_limits_take(q, false, &quota);
	queue_limits_take(q, true, &user_quota);
	sched_queue_quota(m->sched, q->name, &quota);
	sched_queue_user_quota(m->sched, q->name, &user_quota);
	on_class_limits(m, q);
	on_constraint(m, q);
}

static int64_t memory_time_us(const Armada__ShareSample *s)
{
	return s->round_us ? s->round_us : s->time_us;
}

/*
 * Restores the usage history of the queue from its last share note. Without a note of the present fairness
 * plugin the history starts at 0 now.
 */
static void on_snap_queue(struct sched_feed *m, const Armada__Record *r, const Armada__SnapQueue *s)
{
	bool known = s->noted && strcmp(s->noted_fairness, sched_fairness(m->sched)) == 0;

	on_queue(m, s->spec);
	sched_queue_restore_history(m->sched, s->spec->name,
				    known ? memory_time_us(s->noted) : r->wall_us,
				    known ? s->noted->memory : 0);
	if (known)
		sched_queue_history_noted(m->sched, s->spec->name, memory_time_us(s->noted),
					  s->noted->memory);
}

/* The scheduler has these values already; it only notes that a restart would restore them. */
static void on_shares(struct sched_feed *m, const Armada__SharesNoted *e)
{
	for (size_t i = 0; i < e->n_queues; i++)
		if (strcmp(e->fairness, sched_fairness(m->sched)) == 0)
			sched_queue_history_noted(m->sched, e->queues[i]->queue,
						  memory_time_us(e->queues[i]),
						  e->queues[i]->memory);
}

static void on_floating(struct sched_feed *m, const Armada__FloatingSet *e)
{
	int r = resource_index(e->name);

	if (r >= 0 && resource_is_floating((size_t)r))
		sched_floating_set(m->sched, (size_t)r, e->total, e->outside);
}

void nodes_queues_apply(struct sched_feed *m, const Armada__Record *r, const Armada__Event *ev)
{
	int state;
	bool linked;

	switch (ev->kind_case) {
	case ARMADA__EVENT__KIND_EPOCH_BEGAN:
		on_epoch(m);
		break;
	case ARMADA__EVENT__KIND_QUEUE_SET:
		on_queue(m, ev->queue_set->spec);
		break;
	case ARMADA__EVENT__KIND_SNAP_QUEUE:
		on_snap_queue(m, r, ev->snap_queue);
		break;
	case ARMADA__EVENT__KIND_QUEUE_DELETED:
		sched_queue_remove(m->sched, ev->queue_deleted->name);
		break;
	case ARMADA__EVENT__KIND_SHARES_NOTED:
		on_shares(m, ev->shares_noted);
		break;
	case ARMADA__EVENT__KIND_FLOATING_SET:
		on_floating(m, ev->floating_set);
		break;
	case ARMADA__EVENT__KIND_NODE_DELETED:
		on_node_deleted(m, ev->node_deleted->name);
		break;
	case ARMADA__EVENT__KIND_NODE_SET:
		on_node_set(m, ev->node_set);
		break;
	case ARMADA__EVENT__KIND_SNAP_NODE:
		on_snap_node(m, ev->snap_node);
		break;
	case ARMADA__EVENT__KIND_NODE_STATE_SET:
		state = ev->node_state_set->state;
		on_node_state(m, ev->node_state_set->name, &state, NULL);
		break;
	case ARMADA__EVENT__KIND_NODE_LINKED:
		linked = ev->node_linked->linked;
		on_node_state(m, ev->node_linked->name, NULL, &linked);
		break;
	default:
		break;
	}
}

void nodes_queues_free(struct sched_feed *m)
{
	while (m->nodes)
		free_node(m, m->nodes);
}
