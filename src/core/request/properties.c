/*
 * PROPERTIES: how the last round keeps what the scheduler promises, in numbers (armada-fairness(7)).
 *
 * Output: one row for each number, with a sentence about the worst case. The round gives sharing
 * incentive, envy and preemptions; the present state gives the waste. Names of queues are no secret: ROUND
 * shows them, too.
 */
#include "core/request/request.h"
#include "core/request/unused_room.h"
#include "core/txn/reply.h"
#include "core/view/round_properties.h"

enum { ROWS_MAX = 32, TRY_AGAIN = 75 };

struct rows {
	struct txn *txn;
	Armada__PropertiesReply reply;
	Armada__Property *list[ROWS_MAX];
};

static void add(struct rows *r, const char *name, double value, const char *unit, const char *text)
{
	Armada__Property *m = arena_alloc(r->txn->arena, sizeof(*m));

	armada__property__init(m);
	m->name = (char *)(uintptr_t)name;
	m->value = value;
	m->unit = (char *)(uintptr_t)unit;
	m->text = (char *)(uintptr_t)text;
	r->list[r->reply.n_rows++] = m;
}

static void add_incentive(struct rows *r, const struct noted_round *n,
			  const struct round_properties *p)
{
	const struct sched_share *s = &n->shares[p->lacking];
	const char *text = "no queue lacks a part of the cluster";

	if (p->below)
		text = arena_printf(
			r->txn->arena,
			"of the cluster, in all; most: queue %s uses %.4g %%, and its share is %.4g %%",
			s->queue, 100 * s->cost_after, 100 * s->fair);
	add(r, "queues", (double)n->share_count, "", "queues that took part in the round");
	add(r, "incentive_below", (double)p->below, "",
	    "queues with less than their demand and less than their share");
	add(r, "incentive_lacks", p->lacks, "fraction", text);
}

static void add_envy(struct rows *r, const struct noted_round *n, const struct round_properties *p)
{
	struct arena *a = r->txn->arena;
	const char *text = "no queue envies another";

	if (p->envious)
		text = arena_printf(
			a,
			"most: queue %s runs %.4g %% of its demand, and would run %.4g %% with "
			"what queue %s has, by their weights",
			n->shares[p->envier].queue, 100 * p->has, 100 * p->would_have,
			n->shares[p->envied].queue);
	add(r, "envy_pairs", (double)p->envious, "",
	    arena_printf(
		    a,
		    "of %zu ordered pairs of queues: the first would run more with what the second has",
		    p->pairs));
	add(r, "envy_most", p->would_have - p->has, "fraction", text);
}

static const char *whys_text(struct txn *txn, const struct unused_room *u)
{
	CLEANUP_BUF struct buf text = {0};

	for (int i = 0; i < UNUSED_WHYS; i++)
		if (u->by_why[i])
			buf_addf(&text, "%s%s %" PRIu64, text.len ? ", " : ": ", why_word(i),
				 u->by_why[i]);
	if (u->left_out)
		buf_addf(&text, "; %" PRIu64 " of gangs of jobs and with --uniformity are left out",
			 u->left_out);
	if (u->cut)
		buf_addf(&text, "; there was no time to look at all");
	buf_addstr(&text, "");
	return arena_strdup(txn->arena, (const char *)text.data);
}

static void add_waste(struct rows *r)
{
	static const char *const units[] = {
		[RESOURCE_MILLI] = "cpu", [RESOURCE_SIZE] = "bytes", [RESOURCE_COUNT] = ""};
	struct unused_room u;

	unused_room_find(r->txn, &u);
	add(r, "waste_elements", (double)u.elements, "",
	    arena_printf(r->txn->arena, "pending elements that free room could hold at once%s",
			 whys_text(r->txn, &u)));
	for (size_t i = 0; i < resource_count(); i++)
		add(r, arena_printf(r->txn->arena, "waste_%s", resource_plural(i)),
		    (double)u.used.amount[i], units[resource_unit(i)],
		    arena_printf(r->txn->arena, "free %s that they would use", resource_name(i)));
}

static void add_preempted(struct rows *r, const struct noted_round *n)
{
	const struct live *live = r->txn->live;

	add(r, "preempted_fair_share", (double)n->for_shares, "",
	    "elements that the round preempted for queues below their share");
	add(r, "preempted_urgency", (double)n->for_urgency, "",
	    "elements that the round preempted for more urgent classes");
	add(r, "preempted_scavenging", (double)n->scavengers, "",
	    "scavenging elements that the round preempted for others");
	add(r, "preempted_fair_share_total", (double)live->for_shares, "",
	    "the same since the controller started");
	add(r, "preempted_urgency_total", (double)live->for_urgency, "",
	    "the same since the controller started");
	add(r, "preempted_scavenging_total", (double)live->scavengers, "",
	    "the same since the controller started");
}

void req_properties(struct txn *txn, const Armada__PropertiesRequest *m)
{
	struct noted_round *n = txn->live->last_round;
	struct rows r = {.txn = txn, .reply = ARMADA__PROPERTIES_REPLY__INIT};
	const struct round_properties *p;

	(void)m;
	if (!n) {
		reply_refuse(txn, TRY_AGAIN,
			     "there has been no scheduling round since the controller started");
		return;
	}
	p = round_properties(n);
	r.reply.rows = r.list;
	add_incentive(&r, n, p);
	add_envy(&r, n, p);
	add_waste(&r);
	add_preempted(&r, n);
	r.reply.round = n->round.number;
	r.reply.start_us = n->round.start_us;
	r.reply.time_us = txn->clock_us;
	reply(txn, MSG_PROPERTIES_REPLY, &r.reply);
}
