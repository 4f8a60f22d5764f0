#include "core/admission/user_queue.h"

#include "core/admission/conf_queues.h"

#include <string.h>

Armada__QueueSpec *user_queue_spec(const struct txn *txn, const char *user, struct arena *a)
{
	Armada__QueueSpec *m = conf_queues_spec(txn->policy->user_queue, NULL, a);

	m->name = arena_strdup(a, user);
	m->owners = arena_memdup(a, &m->name, sizeof(m->name));
	m->n_owners = 1;
	m->automatic = true;
	return m;
}

const struct queue *user_queue_for(const struct txn *txn, const char *name)
{
	const struct queue *there = queue_find(txn->state, name);
	const char *user = txn->in->caller ? txn->in->caller->user : NULL;

	if (there || !txn->policy->user_queue || !user || strcmp(user, name) != 0)
		return there;
	return queue_imagine(user_queue_spec(txn, user, txn->arena), name, txn->arena);
}
