/*
 * A machine that is being shut down takes no new task. Its tasks are requeued, unless their job
 * forbids it.
 */
#include "asim/storm/client.h"
#include "asim/storm/invariant/table.h"
#include "asim/storm/node.h"

#include <string.h>

static void on_effect(struct storm *s, void *own UNUSED, const struct sim_node *n,
		      const struct ledger_effect *e, const struct sim_attempt *a UNUSED)
{
	if (e->kind == LEDGER_WRITE_ACCEPT && n->leaving)
		storm_violate(s, "%s takes a task, and its machine is being shut down", n->name);
}

static void on_row(struct storm *s, void *own UNUSED, const struct sim_job *j,
		   const struct armada_history_row *row)
{
	const Armada__JobRow *m;
	struct err err;

	if (row->state != ARMADA__JOB_STATE__JOB_NODE_FAIL || j->no_requeue || !row->row)
		return;
	m = msg_unpack_as(&armada__job_row__descriptor, row->row, row->row_len, s->arena, &err);
	if (m && strstr(m->reason, "was shut down"))
		storm_violate(s, "%llu_%u was ended for good by the shutdown of its machine",
			      (unsigned long long)j->id, row->first_element);
}

const struct invariant invariant_shutdown = {.on_effect = on_effect, .on_row = on_row};
