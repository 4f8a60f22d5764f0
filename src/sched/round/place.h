/*
 * Gang placement: nodes for all members (or for the minimum, where that is allowed), or for none.
 * All changes are in a journal and can be undone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model;
struct sched;

struct placing {
	/* A change made for the current gang: a member got a node, or a victim lost its nodes. */
	struct placing_change {
		uint32_t index,
			shape; /* index: of the node, or of the victim among the running gangs */
		uint32_t cutoff;
		bool victim, urgency;
		size_t place; /* of the victim in the list of its member's level */
	} * journal;
	size_t journal_count, journal_cap;
	uint32_t *members; /* the nodes of the gang's members; NIL: none */
	size_t member_count, member_cap;
	uint32_t mark;
	bool free_only; /* nobody is displaced */
};

/*
 * Places a gang, and may displace others. True: its nodes are in s->placing.members. found: the
 * number of members that had room.
 */
bool place_gang(struct sched *s, uint32_t shape, uint32_t *ret_found);
void place_undo(struct sched *s); /* revert the journal of the current gang */
/* May a member of the shape run on this node now? */
bool place_fits(struct model *m, uint32_t shape, uint32_t node);
/* A gang loses its nodes to the gang in hand. place: in the list (victim_list.h). */
void place_displace(struct sched *s, uint32_t gang, size_t place, bool urgency);
