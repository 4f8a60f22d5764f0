/*
 * The controller's shell. The core uses no clock, disk, socket or thread; the shell provides them.
 *
 * Only the thread of the loop calls the core. An input goes in through ctld_input; its record
 * goes to the scheduler's feed and to the commit, its effects leave through effects_apply once the
 * record is durable.
 */
#pragma once

#include "armctld/commit.h"
#include "armctld/counters.h"
#include "armctld/disk.h"
#include "armctld/faults.h"
#include "armctld/fence.h"
#include "armctld/floating_sources.h"
#include "armctld/history.h"
#include "armctld/history_copy.h"
#include "armctld/orderkey.h"
#include "armctld/plugins.h"
#include "armctld/replica.h"
#include "armctld/replica_facts.h"
#include "armctld/policy.h"
#include "armctld/rounds.h"
#include "armctld/sessions.h"
#include "armctld/snapshots.h"
#include "armctld/watchers.h"
#include "util/memory_use.h"

#include <stdatomic.h>

struct event;
struct event_base;
struct snapshot_child;
struct workers;

enum { SIGNALS = 3 };

struct ctld {
	const char *conf_file; /* as given; NULL: the installed one */
	const char *name;      /* of this controller, as given; NULL: found by its host */
	bool level_given;      /* the command line chose the log level ... */
	bool format_given;     /* ... and the form of the log */
	struct conf *conf;     /* the present configuration */
	struct conf *boot;     /* started with: what was opened then borrows from it */
	struct policy *policy;
	bool old_classes; /* the state keeps the old default classes: core_keeps_old_classes */
	struct plugins plugins;
	const struct armada_auth_ops *auth;
	void *auth_handle;
	const struct armada_state_ops *state;
	void *state_handle;
	struct armada_state_info found; /* when the state was opened */
	struct order_key key;
	char host[256];
	struct replica *replica;          /* NULL: the state belongs to this controller alone */
	struct session_standing standing; /* as peers are told */
	struct buf facts;                 /* as other controllers are told */
	atomic_bool restarts;             /* the program starts again after the stop ... */
	char heir[ARMADA_REPLICA_NAME_MAX +
		  1]; /* ... and this controller takes the lead; "": any */

	struct event_base *base;
	struct event *tick, *again, *signals[SIGNALS], *drain;
	struct core *core;
	struct workers *workers, *name_workers; /* name_workers: of name_lookup.c, one thread */
	struct identity_cache *identities;
	struct history *history;
	struct history_copy *history_copy; /* NULL: the history lacks nothing */
	struct commit *commit;             /* NULL: this controller stands by */
	struct rounds *rounds;
	struct faults faults; /* of the scheduler's plugins */
	struct sessions *sessions;
	struct watchers *watchers;
	struct fences *fences;
	struct notify *notify; /* NULL: nothing is notified */
	struct floating_sources *sources;

	struct snapshots snapshots;
	struct snapshot_child *snapshot_child; /* takes a snapshot; NULL: none does ... */
	int64_t snapshot_us;                   /* ... since (steady) */
	struct counters counters;
	struct disk disk;
	struct memory_use memory;
	int64_t memory_us; /* steady, of the last look at it */
	bool reloading;
	atomic_bool stopping;
	unsigned lookup_count; /* name_lookup.c: lookups that wait or run */
	int64_t stop_by_us;    /* steady */
};

/*
 * Pass an input to the core, unless the process stops. Its record goes to the scheduler and the
 * commit, its effects to the commit.
 */
void ctld_input(struct ctld *c, struct input *in);
/* Begin a snapshot of the state, after many records. Nothing happens while one is being taken. */
void ctld_snapshot(struct ctld *c);
/* Answer requests in progress, write a snapshot, then leave the loop. */
void ctld_stop(struct ctld *c, const char *why);
