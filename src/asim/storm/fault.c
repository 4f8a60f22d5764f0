/*
 * The table of faults.
 *
 * Input: the random numbers of the seed. Output: one fault on one node. While faults are on, one
 * happens about every three seconds, to a node that is drawn first. In about half of the cases a
 * user acts as well. A new row changes the run of every seed.
 */
#include "asim/storm/fault.h"
#include "asim/storm/byzantine.h"
#include "asim/storm/clock.h"
#include "asim/storm/ctl.h"
#include "asim/storm/effects.h"
#include "asim/storm/health.h"
#include "asim/storm/net.h"
#include "asim/storm/policy.h"
#include "asim/storm/shutdown.h"
#include "asim/storm/user.h"

static void kill_controller(struct storm *s, struct sim_node *n UNUSED)
{
	sim_ctl_crash(s);
}

/* With short leases machines restart less often, so that some leases end by time. */
static void restart_machine(struct storm *s, struct sim_node *n)
{
	if (!s->policy->short_leases || storm_random(s, 6) == 0)
		sim_node_reboot(s, n);
}

static void break_connection(struct storm *s, struct sim_node *n UNUSED)
{
	struct sim_conn *c = &s->net->conns[storm_random(s, SIM_CONNS)];

	if (c->id && c->node >= 0)
		sim_net_break(s, c);
}

static void show_old_order(struct storm *s, struct sim_node *n)
{
	const struct sim_order *x = n->up ? sim_byzantine_draw(s, n) : NULL;

	if (x)
		sim_effects_order(s, n, x);
}

static void turn_health(struct storm *s, struct sim_node *n)
{
	sim_health_set(s, n, !n->unhealthy);
}

static void use_it(struct storm *s, struct sim_node *n UNUSED)
{
	sim_user_act(s);
}

static void cut_off(struct storm *s, struct sim_node *n)
{
	if (storm_random(s, 4) == 0)
		sim_byzantine_begin(s, n);
	sim_net_cut(s, n);
}

static void lose_disk(struct storm *s, struct sim_node *n)
{
	if (storm_random(s, 8) == 0)
		sim_node_wipe(s, n);
}

static void jump_clock(struct storm *s, struct sim_node *n UNUSED)
{
	sim_clock_jump(s);
}

/*
 * The frequency of a fault is the number of its indices. A new row changes the run of every seed.
 */
static void (*const faults[])(struct storm *s, struct sim_node *n) = {
	[0] = kill_controller,
	[1 ... 2] = sim_node_crash,
	[3] = restart_machine,
	[4 ... 5] = break_connection,
	[6 ... 7] = show_old_order,
	[8] = sim_shutdown_begin,
	[9] = turn_health,
	[10] = use_it,
	[11] = cut_off,
	[12] = lose_disk,
	[13] = jump_clock,
};

void fault_plan(struct storm *s)
{
	int64_t in_us = storm_random(s, 6000000);

	if (s->faults)
		storm_plan(s, in_us, (struct sim_event){.kind = SIM_FAULT});
}

void fault_inject(struct storm *s, const struct sim_event *ev UNUSED)
{
	struct sim_node *n = &s->nodes[storm_random(s, SIM_NODES)];

	faults[storm_random(s, ARRAY_SIZE(faults))](s, n);
	if (storm_random(s, 2))
		sim_user_act(s);
	if (storm_random(s, 2))
		sim_user_steps(s);
	fault_plan(s);
}
