/*
 * The table of events: the owner of each kind, and its handler. An event of a controller, an armd
 * or a machine that has been restarted since has no effect.
 */
#include "asim/storm/dispatch.h"
#include "asim/storm/armd.h"
#include "asim/storm/client.h"
#include "asim/storm/ctl.h"
#include "asim/storm/fault.h"
#include "asim/storm/fence.h"
#include "asim/storm/lease.h"
#include "asim/storm/round.h"
#include "asim/storm/shutdown.h"
#include "asim/storm/task.h"
#include "asim/storm/user.h"

/* The owner of an event. An event of an older life has no effect. */
enum owner { NOBODY, CTL, DEAD_CTL, ARMD, DEAD_ARMD, MACHINE };

static const struct {
	enum owner owner;
	void (*happen)(struct storm *s, const struct sim_event *ev);
} kinds[SIM_KINDS] = {
	[SIM_COMMIT] = {CTL, sim_ctl_commit},
	[SIM_ROUND] = {CTL, sim_round_run},
	[SIM_DECIDE] = {CTL, sim_ctl_decide},
	[SIM_CTL_TICK] = {CTL, sim_ctl_tick},
	[SIM_CTL_START] = {DEAD_CTL, sim_ctl_start},
	[SIM_TO_CTL] = {CTL, sim_ctl_message},
	[SIM_CTL_CLOSED] = {CTL, sim_ctl_closed},
	[SIM_FENCED] = {CTL, sim_ctl_fenced},
	[SIM_TO_NODE] = {ARMD, sim_armd_receive},
	[SIM_NODE_CONNECTED] = {ARMD, sim_armd_receive},
	[SIM_NODE_CLOSED] = {ARMD, sim_armd_receive},
	[SIM_NODE_TICK] = {ARMD, sim_armd_receive},
	[SIM_NODE_START] = {DEAD_ARMD, sim_armd_start},
	[SIM_NODE_OFF] = {MACHINE, sim_shutdown_off},
	[SIM_TASK_START] = {MACHINE, sim_task_started},
	[SIM_TASK_END] = {MACHINE, sim_task_ended},
	[SIM_LEASE] = {MACHINE, sim_lease_check},
	[SIM_FENCE] = {NOBODY, sim_fence_act},
	[SIM_CLIENT] = {NOBODY, sim_user_retry},
	[SIM_CLIENT_REPLY] = {NOBODY, sim_client_reply},
	[SIM_FAULT] = {NOBODY, fault_inject},
	[SIM_SETTLE] = {NOBODY, sim_user_settle},
};

static bool is_void(const struct storm *s, const struct sim_event *ev, enum owner owner)
{
	if (owner == CTL || owner == DEAD_CTL)
		return ev->life != s->ctl->life || (owner == CTL && !s->ctl->up);
	if (owner == ARMD || owner == DEAD_ARMD)
		return ev->life != s->nodes[ev->node].life ||
		       (owner == ARMD && !s->nodes[ev->node].up);
	return owner == MACHINE && ev->life != (uint32_t)s->nodes[ev->node].boot;
}

void dispatch(struct storm *s, const struct sim_event *ev)
{
	enum owner owner = kinds[ev->kind].owner;

	if (is_void(s, ev, owner))
		return;
	kinds[ev->kind].happen(s, ev);
	if (owner >= ARMD && s->nodes[ev->node].up)
		sim_armd_step(s, &s->nodes[ev->node]);
}
