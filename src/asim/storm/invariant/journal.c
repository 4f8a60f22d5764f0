/*
 * Checks against the journal of the tasks: no attempt runs twice (I2), no two attempts of a task
 * run at once (I3), no node holds more than it has (I6).
 */
#include "asim/storm/invariant/group.h"
#include "asim/storm/journal.h"
#include "asim/storm/node.h"

static void on_start(struct storm *s, void *own UNUSED, const struct sim_node *n,
		     const struct task_key *key)
{
	const struct sim_journal *j = s->journal;
	int used = invariant_group_cpus(s, key);
	char text[64];

	task_key_format(key, text);
	for (size_t i = 0; i < j->count; i++) {
		const struct sim_run *r = &j->runs[i];

		if (task_key_equal(&r->key, key))
			storm_violate(s, "I2: %s runs a second time, on %s after n%d", text,
				      n->name, r->node);
		else if (r->live && r->key.job == key->job && r->key.element == key->element &&
			 r->key.rank == key->rank)
			storm_violate(s, "I3: %s runs on %s while attempt %u runs on n%d", text,
				      n->name, r->key.attempt, r->node);
		if (r->live && r->node == n->index)
			used += invariant_group_cpus(s, &r->key);
	}
	if (used > n->cpus)
		storm_violate(s, "I6: with %s, tasks of %d cpus run on %s, which has %d", text,
			      used, n->name, n->cpus);
}

const struct invariant invariant_journal = {.on_start = on_start};
