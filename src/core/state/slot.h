/*
 * Slots: the places of volatile data that belongs to a noun of the state.
 *
 * A noun with volatile data (core/txn/live.h) has a slot. A slot is a small number that no other
 * noun of its kind has at the same time, and a birth number that differs from those of all earlier
 * nouns in that place. The state only assigns the slots; it does not know the data that is stored
 * under them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct slot {
	uint32_t at;
	uint32_t born; /* never 0 */
};

/* The slots of one kind of noun. All zero is empty. O(1) for each call. */
struct slots {
	uint32_t *free;
	size_t free_count, free_cap;
	uint32_t used; /* slots that were ever assigned */
	uint32_t born;
};

struct slot slot_take(struct slots *s);
void slot_give_back(struct slots *s, struct slot place);
void slots_done(struct slots *s);
