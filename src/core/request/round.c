/* ROUND: the result of the last scheduling round, and of the last round that decided something. */
#include "core/request/request.h"
#include "core/txn/reply.h"
#include "core/view/rights.h"
#include "core/view/round_report.h"
#include "core/view/round_rooms.h"
#include "core/view/visibility.h"

/* Keeps the decisions that the caller may see. All callers see the counts. */
static void show_decisions(struct txn *txn, Armada__Round *m)
{
	Armada__RoundDecision **all = m->decisions;
	size_t count = m->n_decisions;

	m->n_decisions = 0;
	m->decisions = arena_alloc(txn->arena, (count + 1) * sizeof(*all));
	for (size_t i = 0; i < count; i++) {
		const struct job *j = job_find(txn->state, all[i]->for_job);
		Armada__RoundDecision *one;

		if (!rights_sees_named(txn, all[i]->user, all[i]->queue))
			continue;
		one = arena_memdup(txn->arena, all[i], sizeof(*one));
		one->text = visibility_text(txn, one->text);
		if (one->for_job && (!j || !rights_sees(txn, j))) {
			one->for_job = one->for_element = 0;
			one->for_is_array = false;
		}
		m->decisions[m->n_decisions++] = one;
	}
}

static bool sees_reservation(struct txn *txn, const Armada__Reservation *v)
{
	const struct job *j = v ? job_find(txn->state, v->job) : NULL;

	return j && rights_sees(txn, j);
}

static Armada__Round *round_message(struct txn *txn, const struct noted_round *n, bool shares)
{
	Armada__Round *m;

	if (!n)
		return NULL;
	m = arena_memdup(txn->arena, &n->round, sizeof(*m));
	m->queues = arena_alloc(txn->arena, (n->share_count + 1) * sizeof(*m->queues));
	for (size_t i = 0; shares && i < n->share_count; i++)
		m->queues[m->n_queues++] = round_report_share(&n->shares[i], txn->arena);
	if (rights_sees_all(txn))
		return m;
	show_decisions(txn, m);
	if (!sees_reservation(txn, m->reservation))
		m->reservation = NULL;
	return m;
}

void req_round(struct txn *txn, const Armada__RoundRequest *m)
{
	Armada__RoundReply r = ARMADA__ROUND_REPLY__INIT;
	struct reserved_room room = round_report_reserved(txn);

	r.last = round_message(txn, txn->live->last_round, true);
	r.acted = round_message(txn, txn->live->acted_round, false);
	r.time_us = txn->clock_us;
	r.idle_s = room.idle_s;
	r.recovered_s = room.recovered_s;
	if (m->rooms)
		round_rooms_list(txn, &r);
	reply(txn, MSG_ROUND_REPLY, &r);
}
