/*
 * What happens to elements and nodes, whoever caused it: decisions become events here.
 */
#pragma once

#include "core/txn/txn.h"

/* What an element is given. */
struct lease {
	char **nodes; /* by rank */
	size_t node_count;
	bool promised;         /* its room is not there yet */
	uint32_t gang_members; /* leased with it, itself too; 0: it is in no gang of jobs */
	uint32_t *groups;      /* tasks of each group, where some are left out */
	size_t group_count;    /* 0: none is, or there is only one group */
};

/* Its orders leave too, unless it is promised or in a gang of jobs: they are told of each other. */
void element_lease_on(struct txn *txn, const struct job *j, uint32_t index,
		      const struct lease *lease);
void element_launch(struct txn *txn, const struct element *e);
/* Begin to end an active element that is not promised: kill orders leave. */
void element_end(struct txn *txn, const struct element *e, Armada__EndReason why, const char *text,
		 uint32_t by_uid);
/* Waiting elements end at once. */
void waiting_end(struct txn *txn, const struct job *j, const struct rangeset *which,
		 const char *reason);
void task_start(struct txn *txn, const struct task *t, int64_t start_us);
/* Of an end with this cause, so that it is tried elsewhere? */
bool node_is_to_blame(uint8_t cause);
/* A task ended: note it and conclude its element if it was the last. */
void task_end(struct txn *txn, const struct task *t, const Armada__TaskEnd *end);
