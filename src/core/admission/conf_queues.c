#include "core/admission/conf_queues.h"

#include "core/txn/emit.h"

#include <string.h>

Armada__QueueSpec *conf_queues_spec(const Armada__QueueSpec *said, const struct queue *q,
				    struct arena *a)
{
	Armada__QueueSpec *m = queue_spec_copy(said, a);

	if (m->priority_factor == 0)
		m->priority_factor = 1;
	if (q && !said->set_cordoned)
		m->cordoned = q->spec->cordoned;
	queue_spec_settle(m, a);
	return m;
}

const Armada__QueueSpec *conf_queues_find(const struct core_policy *p, const char *name)
{
	for (size_t i = 0; i < p->queue_count; i++)
		if (strcmp(p->queues[i].name, name) == 0)
			return &p->queues[i];
	return NULL;
}

/* Both are packed by the controller in the same order, so equal specifications are equal bytes. */
static bool differs(const struct queue *q, const Armada__QueueSpec *want, struct arena *a)
{
	CLEANUP_BUF struct buf now = {0}, then = {0};
	Armada__QueueSpec *is;

	if (!q)
		return true;
	is = queue_spec(q, a);
	is->automatic = want->automatic;
	msg_pack(is, &now);
	msg_pack(want, &then);
	return now.len != then.len || memcmp(now.data, then.data, now.len) != 0;
}

void conf_queues_apply(struct txn *txn)
{
	for (size_t i = 0; i < txn->policy->queue_count; i++) {
		const Armada__QueueSpec *said = &txn->policy->queues[i];
		const struct queue *q = queue_find(txn->state, said->name);
		Armada__QueueSpec *want = conf_queues_spec(said, q, txn->arena);
		Armada__QueueSet *m;
		Armada__Event *ev;

		if (!differs(q, want, txn->arena))
			continue;
		ev = emit_make(txn, ARMADA__EVENT__KIND_QUEUE_SET, &m);
		m->by = (char *)"armada.conf";
		m->spec = want;
		emit_event(txn, ev);
	}
}
