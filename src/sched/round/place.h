/*
 * A place for a gang: nodes for all members, or the minimum where that will do, or for none. What was
 * done is in a journal, so that it can be undone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct sched;

struct placing {
	/* What the gang in hand has done: a member got a node, or a gang lost its nodes. */
	struct step {
		uint32_t what, shape;
		uint32_t cutoff;
		bool victim;
	} * journal;
	size_t journal_count, journal_cap;
	uint32_t *members; /* the nodes of its members; NIL: none */
	size_t member_count, member_cap;
	uint32_t mark;
};

/*
 * Displacing others where that is allowed. The nodes are then in s->placing.members; found: how many
 * members had room.
 */
bool place_gang(struct sched *s, uint32_t shape, uint32_t *ret_found);
void place_undo(struct sched *s); /* what the gang in hand did */
/* May a member of the shape be on this node now? */
bool place_fits(struct model *m, uint32_t shape, uint32_t node);
/* An evicted gang loses its nodes (-1), or has them again (1). */
void place_displace(struct sched *s, uint32_t gang, int sign);
