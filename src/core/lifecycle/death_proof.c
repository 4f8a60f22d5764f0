/*
 * Proofs of death: the only callers of task_end().
 *
 * A task on a silent node may still run. If the controller took silence for an end, it would give
 * the room to other tasks and start the program a second time. So silence only makes the element
 * UNKNOWN, and each end of a task passes through this file with one of the six proofs
 * (death_proof.h). ARCHITECTURE.md explains why the end of a lease is a proof.
 *
 * Input: a report of a node (END, REFUSAL), or a proof about a node (BOOT, ADMIN, FENCE, LEASE)
 * with a condition on its tasks. Output: task_ended for each task that the proof covers, with the
 * cause of the proof, and everything that follows from it. Tasks of pending leases are skipped:
 * they were never ordered, so no proof is needed.
 */
#define LOG_AREA LOG_AREA_NODE
#include "core/lifecycle/death_proof.h"

#include "core/lifecycle/element.h"
#include "core/txn/effects.h"
#include "util/plural.h"

#include <assert.h>

#define END(name) ARMADA__END_CAUSE__END_##name

static const struct {
	Armada__EndCause cause; /* of the end; UNSET: the reported one */
	const char *what;
} proofs[PROOF_COUNT] = {
	/* clang-format off */
	[PROOF_END]	= {END(UNSET),	 "reported"},
	[PROOF_REFUSAL]	= {END(REFUSED), "refused for good"},
	[PROOF_BOOT]	= {END(LOST),	 "the machine was restarted"},
	[PROOF_ADMIN]	= {END(LOST),	 "confirmed by an administrator"},
	[PROOF_FENCE]	= {END(LOST),	 "power off, proved by the fence program"},
	[PROOF_LEASE]	= {END(LEASE),	 "its lease is over"},
	/* clang-format on */
};

void death_proof_report(struct txn *txn, const struct task *t, const Armada__TaskEnd *end)
{
	/* a node that durably refuses a started task has lost it; task_end() handles this */
	assert(t->state != TASK_ENDED);
	task_end(txn, t, end);
}

bool task_is_live(const struct txn *txn, const struct task *t, const void *arg)
{
	(void)txn;
	(void)arg;
	return t->state != TASK_ENDED && !t->element->lease_pending;
}

uint32_t node_live(const struct node *n)
{
	const struct task *t;
	uint32_t live = 0;

	LIST_FOREACH (t, &n->tasks, on_node)
		live += task_is_live(NULL, t, NULL);
	return live;
}

static const struct task *
find(const struct txn *txn, const struct node *n,
     bool (*which)(const struct txn *txn, const struct task *t, const void *arg), const void *arg)
{
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node)
		if (task_is_live(txn, t, NULL) && which(txn, t, arg))
			return t;
	return NULL;
}

/* Searches from the start after each end: an end may conclude a gang and free other tasks. */
uint32_t death_proof_ends(struct txn *txn, const struct node *n, enum proof p,
			  bool (*which)(const struct txn *txn, const struct task *t,
					const void *arg),
			  const void *arg, const char *text)
{
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;
	const struct task *t;
	uint32_t count = 0;

	assert(p > PROOF_REFUSAL && p < PROOF_COUNT);
	end.cause = proofs[p].cause;
	end.text = arena_strdup(txn->arena, text);
	end.end_us = txn->clock_us;
	for (; (t = find(txn, n, which, arg)); count++)
		task_end(txn, t, &end);
	if (count)
		effect_log_about(txn, LOG_FROM, LOG_NOTICE, &(struct log_about){.node = n->name},
				 "node %s: %u task%s ended: %s (%s)", n->name, count,
				 plural(count, "", "s"), text, proofs[p].what);
	return count;
}
