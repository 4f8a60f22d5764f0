/*
 * Leases, and the other proofs that a silent node's tasks are over: what armd's launcher and shepherds
 * do about them, partitions that last longer, the site's fence program, administrators, wiped spools.
 *
 * A node's clock runs a little fast or slow. A task is not ended when its lease is over to the
 * microsecond: its machine may be slow to kill, by half the margin that the controller waits.
 */
#include "asim/storm_parts.h"

#include <string.h>

enum { PPM = 1000000, SKEW_MOST = 900 };

void lease_init(struct storm *s, struct storm_node *n)
{
	n->skew = (int64_t)storm_random(s, 2 * SKEW_MOST) - SKEW_MOST;
}

static int64_t clock_of(const struct storm *s, const struct storm_node *n)
{
	int64_t up_us = s->now_us - n->booted_us;

	return up_us + up_us / PPM * n->skew;
}

/* When the node's clock will say so, or a little later. */
static int64_t when(const struct storm *s, const struct storm_node *n, int64_t clock_us)
{
	int64_t left_us = clock_us - clock_of(s, n);

	return s->now_us + (left_us > 0 ? left_us - left_us / PPM * n->skew : 0) + 1;
}

void lease_armd_starts(struct storm *s, struct storm_node *n)
{
	for (size_t i = 0; i < sizeof(n->stamp_key); i++)
		n->stamp_key[i] = (uint8_t)storm_random(s, 256);
}

void lease_boots(struct storm *s, struct storm_node *n)
{
	n->booted_us = s->now_us;
	n->times = (struct lease_times){0};
}

void lease_stamp(struct storm *s, struct storm_node *n)
{
	uint8_t stamp[STAMP_SIZE];

	stamp_make(n->stamp_key, clock_of(s, n), stamp);
	link_stamp(n->link, stamp);
}

void lease_renewed(struct storm *s, struct storm_node *n, const struct ledger_effect *e)
{
	int64_t at_us = stamp_time_us(e->stamp), until_us = at_us + e->extension_ms * 1000;

	if (!stamp_verify(n->stamp_key, e->stamp))
		return;
	if (at_us > n->times.renewed_us)
		n->times.renewed_us = at_us;
	if (e->extension_ms > 0 && until_us > n->times.extended_us)
		n->times.extended_us = until_us;
	lease_stamp(s, n);
}

/* As if the orders had not come; then the node falls silent, and then it has them after all. */
void lease_foul(struct storm *s, struct storm_node *n)
{
	n->foul_until_us = s->now_us + (int64_t)storm_random(s, 200000000);
	storm_trace(s, "%s: keeps its orders to itself", n->name);
}

bool lease_keeps(struct storm *s, struct storm_node *n, const struct order *o, const uint8_t *bytes)
{
	if (o->kind != ORDER_LAUNCH || n->foul_until_us <= s->now_us)
		return false;
	for (size_t i = s->captured_count; i > 0 && !n->kept; i--)
		if (memcmp(s->captured[i - 1].bytes, bytes, ORDER_SIZE) == 0)
			n->kept = i;
	return true;
}

bool lease_takes(const struct storm_node *n, const struct order *o)
{
	return o->kind != ORDER_LAUNCH || stamp_verify(n->stamp_key, o->stamp);
}

int64_t lease_of(struct storm *s, const struct order *o, const uint8_t *body, size_t len)
{
	const Armada__TaskBody *b;
	struct err err;

	if (o->kind != ORDER_LAUNCH)
		return 0;
	b = msg_unpack_as(&armada__task_body__descriptor, body, len, s->arena, &err);
	return b ? b->lease_ms * 1000 : 0;
}

static void plan(struct storm *s, struct storm_node *n, const struct storm_attempt *a,
		 enum happening_kind kind, int64_t at_us)
{
	struct happening h = {.kind = kind,
			      .node = n->index,
			      .life = (uint32_t)n->boot,
			      .key = a->key,
			      .at_us = at_us};

	happenings_put(&s->queue, &h);
}

/* Forked by its launcher: is it too late to begin? Then it ends as it is. */
bool lease_begins(struct storm *s, struct storm_node *n, struct storm_attempt *a)
{
	if (!lease_may_start(clock_of(s, n), a->stamp_us, a->lease_us)) {
		a->cause = ARMADA__END_CAUSE__END_LEASE;
		s->count.leases++;
		plan(s, n, a, HAPPEN_TASK_END, s->now_us + 1000);
		return false;
	}
	if (a->lease_us)
		plan(s, n, a, HAPPEN_LEASE,
		     when(s, n, lease_end_us(&n->times, a->stamp_us, a->lease_us)));
	return true;
}

void lease_look(struct storm *s, const struct happening *h)
{
	struct storm_node *n = &s->nodes[h->node];
	struct storm_attempt *a = attempt_find(n, &h->key);
	int64_t end_us;

	if (!a || !a->alive || a->ended)
		return;
	end_us = lease_end_us(&n->times, a->stamp_us, a->lease_us);
	if (clock_of(s, n) < end_us) {
		plan(s, n, a, HAPPEN_LEASE, when(s, n, end_us));
		return;
	}
	if (!a->cause)
		a->cause = ARMADA__END_CAUSE__END_LEASE;
	a->lapsed = true;
	s->count.leases++;
	storm_trace(s, "%s: a lease is over", n->name);
	plan(s, n, a, HAPPEN_TASK_END,
	     s->now_us + 1 + (int64_t)storm_random(s, (uint64_t)s->policy.lease_margin_us / 2 + 1));
}

/* --- partitions ------------------------------------------------------------------------------ */

void lease_cut(struct storm *s, struct storm_node *n)
{
	n->cut_until_us =
		s->now_us + (int64_t)storm_random(s, storm_random(s, 2) ? 60000000 : 400000000);
	s->count.cuts++;
	storm_trace(s, "%s: is cut off for %.0f s", n->name, (n->cut_until_us - s->now_us) / 1e6);
}

/* What is on its way is lost, or comes when the cut is over: the connection knows of nothing. */
bool lease_is_cut(struct storm *s, const struct storm_node *n, int64_t *at_us)
{
	if (n->cut_until_us <= s->now_us)
		return false;
	if (*at_us < n->cut_until_us)
		*at_us = n->cut_until_us + (int64_t)storm_random(s, 1000000);
	return storm_random(s, 3) == 0;
}

/* --- the fence program ----------------------------------------------------------------------- */

void fence_begin(struct storm *s, const char *name, uint64_t seq)
{
	struct happening h = {.kind = HAPPEN_FENCE, .life = s->ctl.life, .conn = seq};

	while (strcmp(s->nodes[h.node].name, name) != 0)
		h.node++;
	h.at_us = s->now_us + (int64_t)storm_random(s, 5000000);
	happenings_put(&s->queue, &h);
}

/* It may fail before it has done anything, or when it has; what it says comes later still. */
void fence_does(struct storm *s, const struct happening *h)
{
	struct storm_node *n = &s->nodes[h->node];
	struct happening said = *h;

	said.kind = HAPPEN_FENCED;
	said.at_us = s->now_us + (int64_t)storm_random(s, 90000000);
	said.number = storm_random(s, 3) != 0;
	said.body = NULL;
	if (said.number || storm_random(s, 2)) {
		s->count.fenced++;
		node_reboot(s, n);
	}
	happenings_put(&s->queue, &said);
}

/* --- administrators -------------------------------------------------------------------------- */

void node_wipe(struct storm *s, struct storm_node *n)
{
	node_reboot(s, n);
	storm_trace(s, "%s: comes back with an empty disk", n->name);
	s->count.wiped++;
	while (n->spool) {
		struct storm_attempt *a = n->spool;

		n->spool = a->next;
		free(a->end.text);
		free(a);
	}
	for (size_t i = 0; i < sizeof(n->meta.node_id); i++) {
		n->meta.node_id[i] = (uint8_t)storm_random(s, 256);
		n->meta.spool_id[i] = (uint8_t)storm_random(s, 256);
	}
	memset(n->meta.cluster_id, 0, sizeof(n->meta.cluster_id));
	n->meta.epoch = n->meta.floor = n->highest_epoch = 0;
	n->wiped = true;
}

/* Nothing of what it ran before is left: an administrator may answer for that. */
bool node_is_surely_dead(const struct storm *s, const struct storm_node *n)
{
	for (size_t i = 0; i < s->run_count; i++)
		if (s->runs[i].live && s->runs[i].node == n->index)
			return false;
	for (const struct storm_attempt *a = n->spool; a; a = a->next)
		if (a->boot == n->boot && !a->ended)
			return false;
	return n->wiped || !n->up;
}
