/* The controllers and the copies, as a replica knows them from the store. */
#pragma once

#include "util/err.h"
#include <armada/state.h>

struct replica;

enum { REPLICA_CONTROLLERS = 16, REPLICA_HISTORY = 300 };

/* The controllers and the copies, as this process knows them. */
struct replica_view {
	struct replica_peer {
		char name[ARMADA_REPLICA_NAME_MAX + 1];
		char address[ARMADA_REPLICA_ADDRESS_MAX + 1];
		bool leads;
		uint64_t epoch, seq;
		int64_t age_us;        /* since it was heard; -1: not by this process */
		struct err difference; /* of its facts from ours; "": none */
		char history[REPLICA_HISTORY + 1];
	} peers[REPLICA_CONTROLLERS];
	size_t peer_count;
	struct armada_replica_copies copies;
	struct err problem; /* why the store does not answer; "": it does */
};

/* Any thread. */
void replica_look(struct replica *r, struct replica_view *ret_view);
/* A controller that was heard this long ago is away. */
enum { REPLICA_AWAY_US = 5000000 };
/* The address of the leader; false: none is known to be running. */
bool replica_leader(struct replica *r, char ret_address[ARMADA_REPLICA_ADDRESS_MAX + 1]);
/* By the announcer: asks the store, and logs what has changed. */
void replica_view_read(struct replica *r);
