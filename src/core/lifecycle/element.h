/*
 * Elements and their tasks: leases, starts, ends and the verdict. Decisions of all sources
 * (requests, reports, rounds, time) become events here.
 */
#pragma once

#include "core/txn/txn.h"

/* The nodes that an element gets, and how. */
struct lease {
	char **nodes; /* by rank */
	size_t node_count;
	bool lease_pending;    /* a pending lease: other elements still hold the room */
	uint32_t gang_members; /* members of its gang leased together, with itself; 0: no gang */
	uint32_t *groups;      /* number of tasks of each group, if some tasks are left out */
	int64_t limit_s;       /* a lowered time limit; 0: that of the job */
	size_t group_count;    /* 0: no task is left out, or there is only one group */
};

/*
 * Leases an element. Its launch orders leave too, except for a pending lease and for members of a
 * gang: their environment names all members, so the orders follow when all are leased.
 */
void element_lease_on(struct txn *txn, const struct job *j, uint32_t index,
		      const struct lease *lease);
void element_launch(struct txn *txn, const struct element *e);
/* Begins to end an active element without a pending lease: kill orders leave. */
void element_end(struct txn *txn, const struct element *e, Armada__EndReason why, const char *text,
		 uint32_t by_uid);
/* Concludes the element if all its tasks have ended and it waits for none. It may not exist afterwards. */
void element_conclude_if_over(struct txn *txn, const struct element *e);
/* Ends waiting elements as cancelled, at once. */
void waiting_end(struct txn *txn, const struct job *j, const struct rangeset *which,
		 const char *reason);
void task_start(struct txn *txn, const struct task *t, int64_t start_us);
/* True if an end with this cause is the node's fault, so that other nodes are tried first. */
bool node_is_to_blame(uint8_t cause);
/* Notes the end of a task and concludes its element after the last one. For death_proof.c only. */
void task_end(struct txn *txn, const struct task *t, const Armada__TaskEnd *end);
