/*
 * Passes records to the invariants, event by event: during an event all invariants and the history
 * have the state before it.
 */
#include "asim/storm/invariant.h"
#include "asim/storm/commit.h"
#include "asim/storm/history.h"

#include <string.h>

void invariant_init(struct storm *s)
{
	size_t n = 0;

	while (s->opt->invariants[n])
		n++;
	s->invariants = arena_zalloc(s->run, n + 1, sizeof(*s->invariants));
	for (size_t i = 0; i < n; i++)
		s->invariants[i] = arena_zalloc(s->run, 1, s->opt->invariants[i]->size + 1);
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

	INVARIANTS(s, before_record, r);
	for (size_t k = 0; k < r->n_events; k++) {
		const Armada__Event *ev = r->events[k];

		for (size_t i = 0; rows[i] && ev->kind_case < INVARIANT_EVENTS; i++)
			if (rows[i]->on_event[ev->kind_case] && (rows[i]->forgets || !again))
				rows[i]->on_event[ev->kind_case](s, s->invariants[i], ev, r);
		sim_history_note(s, ev, r);
	}
	INVARIANTS(s, after_record, r);
}

void invariant_record(struct storm *s, const Armada__Record *r)
{
	follow(s, r, false);
}

void invariant_restart(struct storm *s)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);

	for (size_t i = 0; s->opt->invariants[i]; i++) {
		const struct invariant *row = s->opt->invariants[i];

		if (row->forgets)
			memset((char *)s->invariants[i] + row->kept, 0, row->size - row->kept);
	}
	*s->history = (struct sim_history){0};
	for (size_t i = 0; i < s->disk->count; i++) {
		const Armada__Record *r =
			msg_unpack_own(&armada__record__descriptor, s->disk->records[i].data,
				       s->disk->records[i].len, arena);

		if (r)
			follow(s, r, true);
		arena_clear(arena);
	}
}
