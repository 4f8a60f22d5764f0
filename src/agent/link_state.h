/*
 * The state of a link, private to its files.
 */
#pragma once

#include "agent/lease.h"
#include "agent/link.h"
#include "agent/task_hash_key.h"
#include "proto/usage.h"
#include "util/log.h"

#include <uthash.h>

struct queued_step; /* link_steps.c */

enum link_state {
	LINK_IDLE = 1,         /* before the first hello of the launcher */
	LINK_WAITING = 2,      /* waits to dial again */
	LINK_DIALLING = 4,     /* waits for the session to open */
	LINK_LISTING = 8,      /* waits for the launcher's inventory */
	LINK_REGISTERING = 16, /* waits for Registered */
	LINK_OPEN = 32,
};

enum {
	LINK_HEARTBEATS = 8, /* stored send times; a session ends before this many are unanswered */
	LINK_SILENCE = 3,    /* intervals without an answer that end a session */
	LINK_REPORTS = 256,  /* in one message */
	LINK_TEXTS_MAX = 8 << 20, /* bytes of a registration; above it, texts of ends wait */
};

/* The last report of the launcher about an attempt. */
struct pending {
	struct task_hash_key hash_key;
	Armada__Report *report;
	uint64_t seen; /* number of the inventory that contained it */
	bool due;      /* to be sent with the next flush */
	/* the controller has acknowledged the start; an acknowledged end is dropped */
	bool acked;
	int64_t sent_us; /* in this session */
	/* what the task has used; what the controller knows of it */
	struct task_usage usage, usage_told;
	bool has_usage, told_usage;
	UT_hash_handle hh;
};

struct link {
	struct link_config config;
	uint64_t random;
	enum link_state state;
	uint64_t session;
	size_t address;
	bool named;        /* a standby has named the leader in this round of dialling */
	unsigned failures; /* rounds of dialling since the last registration */
	int64_t due_us;    /* WAITING: when to dial; until OPEN: when to give up */

	struct ledger_meta meta;
	char local_address[256];
	uint64_t inventory;

	int64_t registered_us; /* when RegisterNode was sent */
	int64_t heartbeat_us, lease_us;
	int64_t renewed_us, extended_us; /* as the controller computes them; 0: none */
	bool warned;
	uint8_t stamp[STAMP_SIZE];
	uint8_t cluster_id[16];
	uint64_t epoch; /* of this session */
	uint64_t beats, answered;
	int64_t beat_us[LINK_HEARTBEATS]; /* when each was sent, by number */
	int64_t next_beat_us;
	int64_t free_memory_bytes;
	double load;
	char *health; /* NULL: not known */
	char *cpus;   /* how tasks get their cpus; NULL: as in config.describe */
	bool leaving;

	/* link_usage.h; at: INT64_MAX: nothing to send */
	int64_t usage_us, usage_sent_us, usage_at_us;

	struct pending *pending;
	size_t due;

	/* link_steps.h; at: INT64_MAX: nothing to send */
	bool takes_steps; /* the controller */
	struct queued_step *steps;
	size_t step_count, step_cap;
	int64_t steps_at_us;
};
