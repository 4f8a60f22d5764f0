/*
 * A storm: the real core, scheduler, ledger and link under simulated network, disk and clock, with
 * faults drawn from a seed.
 *
 * All events are in one queue ordered by virtual time, so the same seed gives the same run to the
 * byte; its trace is hashed and printed. The storm simulates the programs around the state
 * machines: it commits records before effects are sent, carries out a ledger's effects one by one,
 * and runs tasks and connections.
 *
 * This header has the state that all parts of a storm share. Each part is declared by the header of
 * its noun and changed by the file of that noun; seed.c puts them together.
 */
#pragma once

#include "asim/storm/event.h"
#include "util/arena.h"
#include "util/buf.h"
#include "util/mem.h"

enum {
	SIM_NODES = 4,
	SIM_JOBS = 400,
	SIM_RANKS = 16, /* most tasks that an element can have */
	SIM_GROUPS = 2, /* of its tasks */
};

/* All functions of a table have the same parameters, but not all functions use each of them. */
#define UNUSED __attribute__((unused))

struct storm_options {
	uint64_t seed;
	uint64_t steps;      /* number of events while faults are on */
	const char *plugins; /* directory of the policy plugins */
	bool verbose;
	bool explain;     /* explain some jobs before each round */
	uint64_t elastic; /* percentage of elastic jobs */
	uint32_t tasks;   /* most tasks of an element, at most SIM_RANKS */
	/* the invariants that are checked, ended by NULL */
	const struct invariant *const *invariants;
};

/* The trace. */
struct storm_log {
	struct buf trace; /* its last part */
	uint8_t hash[32]; /* of all of it */
	char violation[512];
};

/* Counts for the line of a seed. */
struct storm_count {
	uint64_t ctl_crashes, armd_crashes, reboots, shutdowns, lost, doubled, runs, ended, retries;
	uint64_t waited, given_up, requeues, updates, user_preempts;
	uint64_t preempted, pending_leases, released, replaced, restarted, changed;
	uint64_t leases, cuts, fenced, wiped, confirmed, signals, steps, joined, left, scaled,
		pauses;
};

struct storm {
	const struct storm_options *opt;
	uint64_t rng;
	int64_t now_us; /* virtual */
	uint64_t step;
	bool faults;
	struct arena *arena; /* of the current event */
	struct arena *run;   /* of the whole run */
	struct sim_events events;
	struct sim_clock *clock;
	struct sim_policy *policy;
	struct sim_ctl *ctl;
	struct sim_disk *disk;
	struct sim_round *round;
	struct sim_net *net;
	struct sim_node *nodes; /* SIM_NODES of them */
	struct sim_byzantine *byzantine;
	struct sim_job *jobs; /* the jobs of the clients: job_count of SIM_JOBS */
	size_t job_count;
	struct sim_journal *journal;
	struct sim_history *history;
	void **invariants; /* the state of each, as opt->invariants */
	struct storm_log log;
	struct storm_count count;
};

/* Room for one more element after the first `count` of a list that lives as long as the run. */
#define RUN_GROW(s, list, cap, count)                                                              \
	((list) = arena_grow((s)->run, (list), &(cap), (count), sizeof(*(list))))

/* The next number of the seed, from 0 to below - 1. */
uint64_t storm_random(struct storm *s, uint64_t below);
/* True once in `in` times, while faults are on. */
bool storm_fault(struct storm *s, uint64_t in);
/* The event happens in_us later. Takes its body. */
void storm_plan(struct storm *s, int64_t in_us, struct sim_event ev);
void storm_trace(struct storm *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An invariant is violated. The first violation counts. */
void storm_violate(struct storm *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
