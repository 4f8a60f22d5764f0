/*
 * The list of gangs that the gang in hand may displace, from the least protected to the most.
 *
 * In it are (a) the evicted gangs that are not put back yet, of the class of the member that needs
 * room or a lower one, and (b) gangs of a lower class that urgency may displace, wherever they
 * stand in the round; not in (a) is the gang for which the one in hand was displaced before
 * (model/displaced.h). A gang is as urgent as its most urgent member. Under preempt/urgency only (b)
 * are in the list, under preempt/none nobody. Gangs that scavenge are in (b) for all others, under every
 * plugin, in a class below all others; for a gang that wants whole nodes they alone are in the list.
 *
 * The order: the next gang is one of the lowest class left; of those, one of the queue with the
 * greatest cost divided by weight, then with the greater name; of that queue, the last in running
 * order. A queue's cost counts all that it has running, and the whole gang in hand in its own
 * queue, less the gangs that are in the list before. This is progressive filling backwards
 * (progressive filling: Bertsekas and Gallager, Data Networks, 6.5.2; its cost is that of dominant
 * resource fairness, Ghodsi et al., NSDI 2011).
 *
 * The place of a gang does not change while one gang is in hand. So the list is a merge of the
 * queues' tails, and only the part that is asked for is made. It has a version for each level that
 * a member of the gang in hand has.
 */
#pragma once

#include "sched/round/running_gang.h"

struct victim_source;

enum { VICTIM_SEVERAL = UINT32_MAX - 1 };

/* A gang in the list, and its node; VICTIM_SEVERAL: it has several members. */
struct victim {
	uint32_t gang, node;
};

struct victims {
	struct victim_source **sources; /* by level of the member */
	uint32_t hand;       /* the number of the gang in hand; it grows from round to round */
	uint32_t shape, row; /* of that gang */
	/* The tasks that the gang in hand spares (displaced.h). */
	struct victim_exempt {
		uint32_t task, row;
	} exempt[DISPLACED_CHAIN];
	size_t exempt_count;
	uint32_t *row_at;         /* by row: its first running gang; and the end of the last row */
	uint32_t *bounds, *tails; /* by row and level: the running gangs of that level */
	/* By row: gangs started in this round, and running gangs of several classes; in order. */
	struct victim_odd {
		uint32_t *list, count;
		size_t cap;
	} * odd;
	int64_t *held; /* by row: of all its gangs that have nodes, evicted ones too */
};

/* A round begins: O(rows), and O(running gangs) if there are gangs of several classes. */
void victim_list_begin(struct round *r);
/*
 * The next gang in hand is this element: it spares the gang for which it was displaced. spares_all: it
 * displaces nobody.
 */
void victim_list_hand(struct sched *s, uint64_t job, uint32_t element, bool spares_all);
/* A gang of this shape, of the current row, is in hand: the list is made anew. O(1). */
void victim_list_take(struct sched *s, uint32_t shape);
/*
 * The gang at this place of the list for members at the level; NULL: the list ends before it. Valid
 * until the next call. A gang that was displaced for an earlier member of the gang in hand stays in
 * the list. Cost: for the first gang in hand and after many changes O(rows), then O(changed rows);
 * each entry O(log rows) when it is merged first, else O(1) or O(log of the changed rows); and the
 * entries that are skipped: they were displaced before, or have the same priority as others but a
 * class that urgency spares.
 */
const struct victim *victim_list_at(struct sched *s, uint32_t level, size_t place);
/* Does (b) hold for the gang and a member at the level? */
bool victim_list_is_urgency(const struct model *m, const struct running_gang *a, uint32_t level);
/* The gang was started in this round. */
void victim_list_add(struct round *r, uint32_t gang);
/* The gang at the head of its row was put back: only urgency may displace it now. */
void victim_list_put_back(struct round *r, uint32_t gang);
/* The gang lost its nodes for good. */
void victim_list_lose(struct round *r, uint32_t gang);
