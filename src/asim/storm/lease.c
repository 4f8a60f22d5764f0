/*
 * The node's clock, its stamps, and how a shepherd handles the end of a lease.
 *
 * Times of leases are by the node's clock, which begins at 0 with each boot; events are by virtual
 * time.
 */
#include "asim/storm/lease.h"
#include "asim/storm/policy.h"

enum { PPM = 1000000, SKEW_MAX = 900 };

void sim_lease_init(struct storm *s, struct sim_node *n)
{
	n->skew = (int64_t)storm_random(s, 2 * SKEW_MAX) - SKEW_MAX;
}

static int64_t clock_of(const struct storm *s, const struct sim_node *n)
{
	int64_t up_us = s->now_us - n->booted_us;

	return up_us + up_us / PPM * n->skew;
}

/* The virtual time until the node's clock shows clock_us, or a little longer. */
static int64_t time_to(const struct storm *s, const struct sim_node *n, int64_t clock_us)
{
	int64_t left_us = clock_us - clock_of(s, n);

	return (left_us > 0 ? left_us - left_us / PPM * n->skew : 0) + 1;
}

void sim_lease_armd_starts(struct storm *s, struct sim_node *n)
{
	for (size_t i = 0; i < sizeof(n->stamp_key); i++)
		n->stamp_key[i] = (uint8_t)storm_random(s, 256);
}

void sim_lease_boots(struct storm *s, struct sim_node *n)
{
	n->booted_us = s->now_us;
	n->times = (struct lease_times){0};
}

void sim_lease_stamp(struct storm *s, struct sim_node *n)
{
	uint8_t stamp[STAMP_SIZE];

	stamp_make(n->stamp_key, clock_of(s, n), stamp);
	link_stamp(n->link, stamp);
}

void sim_lease_renewed(struct storm *s, struct sim_node *n, const struct ledger_effect *e)
{
	int64_t at_us = stamp_time_us(e->stamp), until_us = at_us + e->extension_ms * 1000;

	if (!stamp_verify(n->stamp_key, e->stamp))
		return;
	if (at_us > n->times.renewed_us)
		n->times.renewed_us = at_us;
	if (e->extension_ms > 0 && until_us > n->times.extended_us)
		n->times.extended_us = until_us;
	sim_lease_stamp(s, n);
}

bool sim_lease_accepts(const struct sim_node *n, const struct order *o)
{
	return o->kind != ORDER_LAUNCH || stamp_verify(n->stamp_key, o->stamp);
}

/* The launcher has forked it. If it is too late to begin, the attempt ends unstarted. */
bool sim_lease_begins(struct storm *s, struct sim_node *n, struct sim_attempt *a)
{
	if (!lease_may_start(clock_of(s, n), a->terms.stamp_us, a->terms.lease_us)) {
		a->cause = ARMADA__END_CAUSE__END_LEASE;
		s->count.leases++;
		sim_spool_plan(s, n, a, SIM_TASK_END, 1000);
		return false;
	}
	if (a->terms.lease_us)
		sim_spool_plan(
			s, n, a, SIM_LEASE,
			time_to(s, n,
				lease_end_us(&n->times, a->terms.stamp_us, a->terms.lease_us)));
	return true;
}

void sim_lease_check(struct storm *s, const struct sim_event *ev)
{
	struct sim_node *n = &s->nodes[ev->node];
	struct sim_attempt *a = sim_spool_find(n, &ev->key);
	int64_t end_us;

	if (!a || !a->alive || a->ended)
		return;
	end_us = lease_end_us(&n->times, a->terms.stamp_us, a->terms.lease_us);
	if (clock_of(s, n) < end_us) {
		sim_spool_plan(s, n, a, SIM_LEASE, time_to(s, n, end_us));
		return;
	}
	if (!a->cause)
		a->cause = ARMADA__END_CAUSE__END_LEASE;
	a->lapsed = true;
	s->count.leases++;
	storm_trace(s, "%s: a lease is over", n->name);
	sim_spool_plan(
		s, n, a, SIM_TASK_END,
		1 + (int64_t)storm_random(s, (uint64_t)s->policy->conf.lease_margin_us / 2 + 1));
}
