/*
 * The engines that the suite runs against, behind the same functions. state/redis has three servers of the
 * test's own.
 */
#pragma once

#include "state/servers.h"
#include "unit/state/harness.h"

/* The rows of the option table of state/redis that tests set. */
enum {
	REDIS_SERVERS = 6,
	REDIS_SENTINELS,
	REDIS_PRIMARY_NAME,
	REDIS_PREFIX,
	REDIS_USER,
	REDIS_PASSWORD_FILE,
	REDIS_TLS,
	REDIS_DURABILITY,
	REDIS_COPIES,
	REDIS_LEASE,
	REDIS_TIMEOUT
};
enum { LEASE_MS = 500 };

/* Loads state/redis with the three servers, a prefix of its own and short times. */
void engine_load_redis(bool sentinels);
/* Another prefix: an empty state. */
void engine_next_prefix(void);
const char *engine_prefix(void);
/* A new state, opened, with the lead if it has one. */
void *engine_fresh(const char **ret_dir);
void *engine_reopen(const char *dir);
/* Takes the lead, waiting for earlier leases; returns the last error. Nothing to do for an engine without. */
int engine_lead(void *h, struct armada_replica_lead *ret_lead);
/* Appends records; repeats while the engine says that a copy is away, for some seconds. */
int engine_append(void *h, uint64_t first, uint64_t last);
/* Reads all records again; repeats while a server is not ready. Prints another error. */
int engine_replay(void *h, struct replayed *ret_seen);
/* Ends what stores the data at once, and starts it again with what is on disk. */
void engine_crash(void);
