/*
 * The room that the last rounds left (round_rooms.h).
 *
 * Input: rounds, each after its decisions. Output: rows for ROUND. The rounds are a ring in txn->live; its
 * oldest entry is replaced. A row has no names of jobs, so everybody may see it.
 */
#include "core/view/round_rooms.h"

static struct round_room *room_at(struct live *l, uint64_t number)
{
	return &l->rooms.list[number % ROUND_ROOMS];
}

static double seconds_since(const struct txn *txn, int64_t steady_us)
{
	return (double)(txn->in->steady_us - steady_us) / 1e6;
}

void round_rooms_note(struct txn *txn, const struct noted_round *n)
{
	struct round_rooms *all = &txn->live->rooms;
	const Armada__Reservation *v = n->round.reservation;
	struct round_room *r = room_at(txn->live, all->count), *last;

	if (n->round.fault[0])
		return;
	if (all->count) {
		last = room_at(txn->live, all->count - 1);
		last->lasts_s = seconds_since(txn, last->at_us);
	}
	*r = (struct round_room){.number = n->round.number,
				 .started = n->round.started,
				 .preempted = n->round.preempted,
				 .start_us = n->round.start_us,
				 .at_us = txn->in->steady_us,
				 .need = v ? v->need : 0,
				 .idle = v ? v->idle : 0,
				 .recovered = v ? v->recovered : 0};
	for (size_t i = 0; i < n->share_count; i++)
		r->used += n->shares[i].cost_after;
	all->count++;
}

static Armada__RoundRoom *room_message(const struct txn *txn, const struct round_room *r,
				       bool is_last)
{
	Armada__RoundRoom *m = arena_alloc(txn->arena, sizeof(*m));

	armada__round_room__init(m);
	m->number = r->number;
	m->start_us = r->start_us;
	m->started = r->started;
	m->preempted = r->preempted;
	m->used = r->used;
	m->need = r->need;
	m->idle = r->idle;
	m->recovered = r->recovered;
	m->lasts_s = is_last ? seconds_since(txn, r->at_us) : r->lasts_s;
	return m;
}

void round_rooms_list(const struct txn *txn, Armada__RoundReply *ret_reply)
{
	uint64_t count = txn->live->rooms.count, n = count < ROUND_ROOMS ? count : ROUND_ROOMS;

	ret_reply->rooms = arena_alloc(txn->arena, (n + 1) * sizeof(*ret_reply->rooms));
	for (uint64_t i = 0; i < n; i++)
		ret_reply->rooms[ret_reply->n_rooms++] =
			room_message(txn, room_at(txn->live, count - 1 - i), i == 0);
}
