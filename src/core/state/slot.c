/*
 * Slots: reuses the place that was freed last, and assigns a new birth number. The birth number
 * skips 0.
 */
#include "core/state/slot.h"

#include "util/mem.h"

struct slot slot_take(struct slots *s)
{
	struct slot place = {.born = ++s->born ? s->born : ++s->born};

	place.at = s->free_count ? s->free[--s->free_count] : s->used++;
	return place;
}

void slot_give_back(struct slots *s, struct slot place)
{
	GROW(s->free, s->free_cap, s->free_count + 1);
	s->free[s->free_count++] = place.at;
}

void slots_done(struct slots *s)
{
	free(s->free);
	*s = (struct slots){0};
}
