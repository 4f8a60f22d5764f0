/*
 * A place beside the state for what is not durable.
 *
 * A noun that others keep volatile facts about (core/txn/live.h) has a slot: a small number that no
 * other noun of its kind has while it is there, and a birth number that tells it from whoever had that
 * place before. The state only hands the places out; nothing of what is kept there is known to it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct slot {
	uint32_t at;
	uint32_t born; /* never 0 */
};

/* The places of one kind of noun: zeroed it is empty. O(1) for each call. */
struct slots {
	uint32_t *free;
	size_t free_count, free_cap;
	uint32_t used; /* places that were ever handed out */
	uint32_t born;
};

struct slot slot_take(struct slots *s);
void slot_give_back(struct slots *s, struct slot place);
void slots_done(struct slots *s);
