/*
 * A storm: the real core, scheduler, ledger and link under simulated network, disk and clock, with
 * faults drawn from a seed.
 *
 * Everything happens in one queue ordered by virtual time, so the same seed gives the same run to
 * the byte; its trace is hashed and printed. What is simulated is what the shells do: committing
 * records and only then letting effects out, carrying out a ledger's effects one by one, running
 * tasks, connections. Faults: the controller is killed at any step (what was not committed is gone;
 * what was committed may not have been said), armd is killed between any two effects (shepherds live
 * on), machines restart (shepherds die, the boot id changes), connections break, messages are lost,
 * delayed, doubled and overtake one another, and captured orders are shown to launchers again.
 *
 * The tasks keep the journal that proves I2 and I3. After the faults stop everything must drain
 * (I10).
 */
#ifndef ASIM_STORM_H
#define ASIM_STORM_H

#include "agent/lease.h"
#include "agent/ledger.h"
#include "agent/link.h"
#include "asim/queue.h"
#include "asim/storm_machine.h"
#include "core/core.h"
#include "core/mirror.h"
#include "util/mem.h"

enum { STORM_NODES = 4, STORM_JOBS = 400, TASK_RANKS = 4, CONNS = 64 };
enum { STORM_CLASSES = 5, STORM_QUEUES = 3, STORM_GROUPS = 2 };
extern const struct sched_class storm_classes[STORM_CLASSES];
extern const struct core_queue storm_queues[STORM_QUEUES];

struct storm_options {
	uint64_t seed;
	uint64_t steps;      /* happenings with faults on */
	const char *plugins; /* directory of the policy plugins */
	bool verbose;
	bool explain; /* explain some jobs before each round */
};

/* --- disk of the controller ------------------------------------------------------------------ */

struct storm_record {
	uint8_t *data;
	size_t len;
};

/* An output that waits for its record to be durable. */
struct storm_pending {
	uint8_t *record; /* NULL: nothing to commit */
	size_t len;
	struct effect *effects; /* own copies of everything they point to */
	size_t effect_count;
	struct arena *arena;
};

struct storm_ctl {
	bool up;
	uint32_t life; /* grows with every start; what belongs to an older one is void */
	struct core *core;
	struct sched *sched;
	struct mirror *mirror;
	struct storm_record *disk;
	size_t disk_count, disk_cap;
	struct storm_pending *pending;
	size_t pending_count, pending_cap;
	bool committing, round_due;
	struct sched_result result; /* of a round that the core has not heard of yet */
	bool deciding;              /* there is one */
	bool round_again;           /* one was due meanwhile */
	int64_t again_us;           /* when one is worth while though nothing happens; 0: never */
	int64_t steady_off_us;      /* of its steady clock, in this life */
};

/* --- connections ----------------------------------------------------------------------------- */

struct storm_conn {
	uint64_t id; /* 0: free */
	int node;    /* -1: a client */
	uint64_t session;
	bool open_ctl, open_node;
};

/* --- what is known to be true ---------------------------------------------------------------- */

enum { STORM_DEPS = 3 };
#define STORM_EPOCH_US INT64_C(1700000000000000) /* wall clock when the virtual time is 0 */

struct storm_dep {
	int type; /* enum DependencyType */
	uint64_t job;
	bool has_element;
	uint32_t element;
	int delay_s;
};

struct storm_job {
	uint8_t key[16];
	uint64_t id; /* 0: not acknowledged */
	uint32_t elements, tasks, least, cpus;
	const char *queue, *class_name;
	bool exclusive, no_requeue, stubborn, no_fence;
	int64_t lease_s;
	uint32_t first,
		first_cpus; /* tasks of the first of two groups, and their cpus; 0: there is one */
	bool service;       /* the first group is one */
	uint32_t policy;    /* enum TaskFailure */
	uint32_t gang, members, least_members; /* of a gang of jobs: its number; 0: of none */
	const char *name;
	struct storm_dep deps[STORM_DEPS];
	size_t dep_count;
	bool dep_any;
	int64_t begin_us; /* wall clock; 0: at once */
	uint32_t throttle;
	bool cancelled; /* its user was told that all of it is: nothing of it may be leased again */
	int tries;
	uint8_t *ended; /* state by element, 0: none */
};

/* A member of a gang of jobs, as the records tell of it. */
struct storm_member {
	uint64_t job, leased, ended; /* by which record, last; 0: by none */
	char gang[16];
	uint32_t cardinality, min;
	bool begun; /* orders of it have left */
	bool gang_had_begun;
};

/* An order that left, and what of its body matters here. */
struct storm_order {
	uint8_t bytes[ORDER_SIZE];
	bool gated;
	int64_t lease_us;
};

struct storm_run {
	struct task_key key;
	int node, cpus;
	bool live;
};

struct storm {
	struct storm_options opt;
	uint64_t rng;
	int64_t now_us;
	uint64_t step;
	bool faults, short_leases, clock_jumps;
	int64_t wall_off_us; /* of the controller's wall clock */
	struct happenings queue;
	struct core_policy policy; /* what armada.conf says now */
	struct sched_class classes[STORM_CLASSES];
	struct core_queue queues[STORM_QUEUES];
	struct plugin plugins[4];
	struct storm_ctl ctl;
	struct storm_conn conns[CONNS];
	uint64_t next_conn;
	struct storm_node nodes[STORM_NODES];
	struct storm_job jobs[STORM_JOBS];
	size_t job_count;
	struct storm_book *books; /* storm_deps.c; by id */
	size_t book_count, book_cap;
	struct storm_member *members;
	size_t member_count, member_cap;
	struct storm_shape *shapes; /* storm_group.c */
	struct storm_element *elements;
	size_t shape_count, shape_cap, element_count, element_cap;
	struct storm_run *runs;
	size_t run_count, run_cap;
	struct storm_lease *leases;
	size_t lease_count, lease_cap;
	struct task_key *reached; /* the gate */
	size_t reached_count, reached_cap;
	struct storm_order *captured;
	size_t captured_count, captured_cap;
	struct storm_signal *signals; /* storm_signal.c */
	size_t signal_count, signal_cap;
	struct storm_use *uses; /* storm_most.c */
	size_t use_count, use_cap;
	struct sched_user users[1];
	struct arena *arena; /* of the step */
	struct buf trace;    /* the last happenings, in words */
	uint8_t trace_hash[32];
	char violation[512];
	struct {
		uint64_t ctl_crashes, armd_crashes, reboots, shutdowns, lost, doubled, runs, ended,
			retries;
		uint64_t waited, given_up, requeues, updates, asked_to_go;
		uint64_t preempted, promised, released, replaced, restarted;
		uint64_t leases, cuts, fenced, wiped, confirmed, signals, steps;
	} count;
};

/* Returns 0, or 1 when an invariant was broken (it has been printed). */
int storm_run_seed(const struct storm_options *opt);

#endif
