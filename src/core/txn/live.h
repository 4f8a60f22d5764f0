/*
 * Volatile data: connections, reasons why jobs wait, steady times, and reports of nodes since they
 * registered. A restart forgets all of it, and nothing durable may depend on it.
 *
 * Data about a noun of the state is found by its slot (core/state/slot.h). It starts zeroed with
 * the noun, and takes no memory for nouns without data. The tables do not shrink: their length is
 * the highest number of nouns of a kind that existed at once. live_X never returns NULL; the
 * pointer is valid until the noun is freed. O(1).
 *
 * Code that may only read the state may write here, because this data is not part of the record.
 */
#pragma once

#include "core/state/gang.h"
#include "core/state/state.h"
#include "core/txn/preempted_work.h"
#include "proto/usage.h"

struct bucket;
struct noted_round;
struct output_read;
struct step;
struct steps;
struct waiter;
struct waiting_conn;
struct waiting_user;

struct job_live {
	char *reason;        /* why it waits, from the last round that checked it; NULL: none */
	int64_t expected_us; /* from that round: the latest start; 0: not known */
	uint64_t changed;    /* the last record with an event of this job */
	int64_t look_us;     /* dependency_timers.h: when to check its dependencies ... */
	uint32_t look_place; /* ... and its place in that heap; 0: not in it */
	uint8_t why;         /* enum sched_why, from that round */
	LIST_HEAD(, waiter) waiters; /* core/txn/waiters.h */
};

struct gang_live {
	bool lost; /* a member left before the gang was whole */
};

struct task_live {
	uint64_t seq;           /* sequence of the lease that this data belongs to */
	int64_t sent_us;        /* steady time of the last order */
	uint64_t settings;      /* the number of the settings that the task has obeyed */
	uint64_t sent_settings; /* the greatest such number that was sent to it */
	char *reason;           /* why a task to be replaced waits; NULL: not known */
	bool accepted;          /* the node has the task in its spool */
	bool ready, released;   /* it waits at the start barrier; its release was ordered */
	bool usage_known;       /* the node has reported: */
	struct task_usage usage;
};

struct element_live {
	uint64_t seq; /* sequence of the lease that this data belongs to */
	struct task_live *tasks;
	uint32_t task_count;
	bool barrier_open, start_barrier_check; /* core/lifecycle/start_barrier.h */
	char *extras_reason; /* why its extra tasks wait (core/state/extra.h); NULL: not known */
	int64_t told_us;     /* steady: when all its tasks were told of a change of hosts at once */
	struct steps *steps; /* core/txn/steps.h; NULL: none */
};

enum { NODE_FAILED_MAX = 16 };

struct node_live {
	uint64_t conn;            /* 0: none */
	int64_t heard_us;         /* steady */
	int64_t seen_us;          /* wall */
	bool silent;              /* the node is drained, and its silence was noted */
	uint8_t stamp[16];        /* last stamp of its launcher; orders carry it back */
	int64_t extended_from_us; /* steady */
	/* jobs that it failed to start, without a success between them */
	uint64_t failed[NODE_FAILED_MAX];
	uint32_t failed_count;
	bool refresh; /* it is asked for its resources with the next answer */
	bool fencing; /* the fence program runs */
	/* steady: earliest next attempt; the pause before it */
	int64_t fence_at_us, fence_pause_us;
	int64_t reboot_sent_us; /* steady */
	/* Its report is being compared with its tasks; no task is started on it meanwhile. */
	bool registering;
	bool registered; /* it has registered since the controller started */
	bool steps;      /* it reports steps, and takes their numbers */
};

/* Data by slot, in pieces that do not move. */
struct live_table {
	char **pieces;
	size_t piece_count, piece_cap;
};

struct look; /* dependency_timers.c */

/* Counts of nodes, from the record with this sequence (core/view/up_nodes.h). */
struct up_nodes {
	uint64_t seq;
	uint32_t count, linked, registered; /* of state UP */
	bool counted;
};

struct running_array {
	uint64_t job, seq;
	uint32_t running;
};

/* Reserved room since the controller started (core/view/round_report.h). */
struct reserved_room {
	double idle, recovered;     /* costs, since at_us */
	int64_t at_us;              /* steady */
	double idle_s, recovered_s; /* the same times seconds, up to at_us */
};

enum { ROUND_ROOMS = 128 };

/* What a round left of the cluster until the next one (core/view/round_rooms.h). */
struct round_room {
	uint64_t number, started, preempted;
	int64_t start_us, at_us;            /* wall, steady */
	double used, need, idle, recovered; /* costs */
	double lasts_s;                     /* until the next round; 0 for the last one */
};

struct round_rooms {
	struct round_room list[ROUND_ROOMS]; /* a ring */
	uint64_t count;                      /* since the controller started */
};

struct live {
	struct live_table jobs, gangs, elements, nodes;
	struct look *looks;
	size_t look_count, look_cap;
	uint64_t others_changed; /* the last record with an event that belongs to no job */
	bool begun;
	char *release;
	int64_t started_us;
	bool clock_is_behind; /* of the log's last record; logged once */
	char *problem;        /* of the controller's machine, for PING; NULL: none known */
	/* of the programs that say what others use of floating resources; NULL: none */
	char *floating_problems[RESOURCE_MAX];
	uint64_t stale; /* number of messages of past attempts or epochs */
	/* elements that rounds preempted since the start, by rule; and those preempted by request */
	uint64_t for_shares, for_urgency, scavengers, by_request;
	struct preempted_work preempted_work;
	uint64_t signals;       /* number of signal orders in this epoch */
	uint64_t outputs;       /* number of output orders in this epoch */
	struct bucket *buckets; /* core/txn/rate_limit.h */
	TAILQ_HEAD(, bucket) buckets_by_use;
	struct waiting_conn *waiting_conns; /* core/txn/waiters.h; by connection and by uid */
	struct waiting_user *waiting_users;
	uint64_t waiter_count;
	TAILQ_HEAD(, output_read) output_reads; /* core/txn/output_reads.h; the oldest first */
	uint64_t output_read_count;
	uint64_t step_tasks;            /* in the lists of steps that run, of all jobs */
	TAILQ_HEAD(, step) ended_steps; /* core/txn/steps.h, of all jobs; the oldest first */
	uint64_t ended_step_count;
	int64_t pause_us;         /* wall clock: no pause before a restart ends earlier */
	int64_t gangs_looked_us;  /* steady: last time that incomplete gangs were looked for */
	int64_t shares_looked_us; /* last time that shares were checked for changes */
	bool shares_due;          /* a change was not noted because it was too soon */
	struct noted_round *last_round,
		*acted_round; /* core/view/round_report.h; NULL: none, or the same */
	struct reserved_room reserved_room;
	struct round_rooms rooms;
	struct up_nodes up_nodes;
	struct running_array running_array; /* the last one that was asked for */
};

struct live *live_new(void);
/* rate_limits_free(), round_report_free() and output_reads_free() must be called before. */
void live_free(struct live *l);

struct job_live *live_job(struct live *l, const struct job *j);
struct gang_live *live_gang(struct live *l, const struct gang *g);
struct element_live *live_element(struct live *l, const struct element *e);
struct task_live *live_task(struct live *l, const struct task *t);
/* The node registers: what it reported of the task before does not count any more. */
void live_forget_reports(struct live *l, const struct task *t);
struct node_live *live_node(struct live *l, const struct node *n);
/* True if the silence of the node was noted: what its tasks do is not known. */
bool live_node_is_silent(struct live *l, const struct node *n);
/* The node of this connection; NULL: none. O(nodes). */
const struct node *live_node_by_conn(struct live *l, const struct state *state, uint64_t conn);
/* The noun is about to be freed: free its data now, not when another noun gets its slot. */
void live_forget_job(struct live *l, const struct job *j);
void live_forget_element(struct live *l, const struct element *e);
/* Set the reason from a round; text is copied. NULL, 0, 0: the reason is not known any more. */
void live_note_reason(struct live *l, const struct job *j, const char *text, uint8_t why,
		      int64_t expected_us);
