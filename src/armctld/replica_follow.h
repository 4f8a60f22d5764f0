/* The log as a replica follows it: records go to the loop, in a list of bounded size. By the follower. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct replica;

enum {
	REPLICA_FOLLOW_MS = 250,
	REPLICA_AGAIN_US = 200000, /* the pause after a call that did not reach the store */
};

/* Once. 0: it may go on, also after an error that can pass. ret_all: it has all acknowledged records. */
int replica_follow(struct replica *r, int timeout_ms, bool *ret_all);
/* The loop has folded all that it got. Returns the next epoch; 0: the process ends. */
uint64_t replica_wait_folded(struct replica *r);
