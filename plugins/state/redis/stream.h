/* The log: append, replay, follow, snapshots and tidying. */
#pragma once

#include "head.h"

int stream_append(void *handle, const struct armada_state_record *records, size_t count,
		  struct armada_error *err);
int stream_replay(void *handle, armada_state_record_fn *on_chunk, armada_state_record_fn *on_record,
		  void *arg, struct armada_error *err);
/* The chunks of a snapshot. */
int stream_chunks(struct engine *e, struct link *l, const struct saved *s,
		  armada_state_record_fn *on_chunk, void *arg, struct armada_error *err);
int stream_follow(void *handle, uint64_t after, int timeout_ms, armada_state_record_fn *on_record,
		  void *arg, uint64_t *ret_seq, uint64_t *ret_acked, struct armada_error *err);
int stream_snapshot(void *handle, uint64_t seq, const struct armada_state_chunk *chunks,
		    size_t count, struct armada_error *err);
int stream_snapshot_part(void *handle, const struct armada_state_part *part,
			 struct armada_error *err);
int stream_tidy(void *handle, struct armada_error *err);
