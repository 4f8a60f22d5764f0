/* Leading: the epoch and the lease. */
#pragma once

#include "head.h"

/* After the lock of the directory was taken: who wanted to lead before. */
void lead_read_owner(struct engine *e);
/* Notes the beat of the leader, as the thread of follow sees it. */
void lead_observe(struct engine *e, const struct link *l, const struct head *h);
/* 0, or an error: this controller does not lead, or data is missing. */
int lead_check(struct engine *e, struct armada_error *err);
/* After an answer of a script: -ESTALE ends the lead. Returns rc. */
int lead_answer(struct engine *e, int rc);
/* A write that began at start_us was confirmed. */
void lead_renewed(struct engine *e, int64_t start_us);

int lead_take(void *handle, uint64_t least, struct armada_replica_lead *ret_lead,
	      struct armada_error *err);
int lead_renew(void *handle, struct armada_error *err);
int64_t lead_until(void *handle);
void lead_mark(void *handle, struct armada_replica_mark *ret_mark);
int lead_check_mark(void *handle, const struct armada_replica_mark *mark, struct armada_error *err);
int lead_resign(void *handle, const char *heir, struct armada_error *err);
