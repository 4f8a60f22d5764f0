/* All of the durable state as records, in an order that depends only on the state. */
#pragma once

#include "core/state/state.h"

enum { RECORD_VERSION = 1 };

/* Each record is valid only during its call. O(state). */
void state_each_record(const struct state *state,
		       void (*on_record)(void *arg, const Armada__Record *record), void *arg);
/* The same records, packed. The same state gives the same bytes. */
void state_snapshot(const struct state *state,
		    void (*on_chunk)(void *arg, const void *data, size_t len), void *arg);
void state_snapshot_shared(const struct state *state,
			   void (*on_chunk)(void *arg, const void *data, size_t len,
					    struct shared *tail),
			   void *arg);
/* BLAKE2b-256 of the snapshot: equal states have equal hashes. */
void state_hash(const struct state *state, uint8_t ret_hash[32]);
