/*
 * Tells invariants of records: event by event, so that each finds the books of all others, and the
 * history, as they were before the event.
 */
#include "asim/storm/invariant.h"
#include "asim/storm/commit.h"
#include "asim/storm/history.h"

void invariant_init(struct storm *s)
{
	size_t n = 0;

	while (s->opt->invariants[n])
		n++;
	s->invariants = xcalloc(n + 1, sizeof(*s->invariants));
	for (size_t i = 0; i < n; i++)
		s->invariants[i] = xcalloc(1, s->opt->invariants[i]->size + 1);
}

void invariant_done(struct storm *s)
{
	for (size_t i = 0; s->opt->invariants[i]; i++) {
		const struct invariant *row = s->opt->invariants[i];

		if (row->done || row->forget)
			(row->done ? row->done : row->forget)(s->invariants[i]);
		free(s->invariants[i]);
	}
	free(s->invariants);
}

void *invariant_own(const struct storm *s, const struct invariant *row)
{
	size_t i = 0;

	while (s->opt->invariants[i] != row)
		i++;
	return s->invariants[i];
}

static void follow(struct storm *s, const Armada__Record *r, bool again)
{
	const struct invariant *const *rows = s->opt->invariants;

	for (size_t i = 0; rows[i]; i++)
		if (rows[i]->before_record)
			rows[i]->before_record(s->invariants[i], r);
	for (size_t k = 0; k < r->n_events; k++) {
		const Armada__Event *ev = r->events[k];

		for (size_t i = 0; rows[i] && ev->kind_case < INVARIANT_EVENTS; i++)
			if (rows[i]->on_event[ev->kind_case] && (rows[i]->forget || !again))
				rows[i]->on_event[ev->kind_case](s, s->invariants[i], ev, r);
		sim_history_note(s, ev, r);
	}
	for (size_t i = 0; rows[i]; i++)
		if (rows[i]->after_record)
			rows[i]->after_record(s, s->invariants[i], r);
}

void invariant_record(struct storm *s, const Armada__Record *r)
{
	follow(s, r, false);
}

void invariant_restart(struct storm *s)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);

	for (size_t i = 0; s->opt->invariants[i]; i++)
		if (s->opt->invariants[i]->forget)
			s->opt->invariants[i]->forget(s->invariants[i]);
	sim_history_forget(s);
	for (size_t i = 0; i < s->disk->count; i++) {
		const Armada__Record *r =
			msg_unpack_own(&armada__record__descriptor, s->disk->records[i].data,
				       s->disk->records[i].len, arena);

		if (r)
			follow(s, r, true);
		arena_clear(arena);
	}
}

void invariant_check(struct storm *s)
{
	for (size_t i = 0; s->opt->invariants[i]; i++)
		if (s->opt->invariants[i]->check)
			s->opt->invariants[i]->check(s, s->invariants[i]);
}
