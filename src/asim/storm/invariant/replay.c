/*
 * I8: a replay of the log gives the present state. (Snapshots are checked when the controller
 * starts, which may continue from one.)
 */
#include "asim/storm/ctl.h"
#include "asim/storm/invariant/table.h"

#include <string.h>

static void check(struct storm *s, void *own UNUSED)
{
	struct core *copy = sim_ctl_replay(s);
	uint8_t a[32], b[32];

	if (!copy)
		return;
	core_hash(s->ctl->core, a);
	core_hash(copy, b);
	core_free(copy);
	if (memcmp(a, b, sizeof(a)) != 0)
		storm_violate(s, "I8: a replay of the log differs from the present state");
}

const struct invariant invariant_replay = {.check = check};
