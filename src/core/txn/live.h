/*
 * What the controller knows and does not keep: connections, why jobs wait, steady times, what nodes
 * said since they registered. A restart forgets all of it, and nothing durable may depend on it.
 *
 * Facts about a noun of the state are found by its slot (core/state/slot.h): they begin zeroed with the
 * noun, and cost nothing for nouns that nobody noted anything about. The tables do not shrink: they are as
 * long as there were ever nouns of a kind at once. live_X never gives NULL; the
 * pointer is good until the noun goes. O(1).
 *
 * Those who only read the state may write here: the controller's own memory is not its record.
 */
#pragma once

#include "core/state/gang.h"
#include "core/state/state.h"

struct bucket;
struct noted_round;

struct job_live {
	char *reason; /* why it waits, from the last round that looked at it; NULL: none did */
	int64_t expected_us; /* of that round: when it starts at the latest; 0: not known */
	uint64_t changed;    /* the last record with an event of it */
	int64_t look_us;     /* dependency_timers.h: when its dependencies are looked at ... */
	uint32_t look_place; /* ... and its place in that heap; 0: it is not there */
	uint32_t waiters;    /* entries in waiters */
	uint8_t why;         /* enum sched_why, of that round */
};

struct gang_live {
	bool lost; /* a member left before it was whole */
};

struct task_live {
	uint64_t seq;         /* of the lease that this was noted of */
	int64_t sent_us;      /* steady time of the last order */
	char *reason;         /* of one that is to be replaced: why it waits; NULL: not known */
	bool accepted;        /* the node has it in its spool */
	bool ready, released; /* it waits at the gate; its release was ordered */
};

struct element_live {
	uint64_t seq; /* of the lease that this was noted of */
	struct task_live *tasks;
	uint32_t task_count;
	bool gate_open, start_barrier_check; /* core/lifecycle/start_barrier.h */
};

enum { NODE_FAILED_MAX = 16 };

struct node_live {
	uint64_t conn;            /* 0: none */
	int64_t heard_us;         /* steady */
	int64_t seen_us;          /* wall */
	bool silent;              /* drained, and its silence has been noted */
	uint8_t stamp[16];        /* of its launcher, the last that came; orders bring it back */
	int64_t extended_from_us; /* steady */
	uint64_t failed[NODE_FAILED_MAX]; /* jobs in a row that it failed to start */
	uint32_t failed_count;
	bool fencing;                        /* a program is at it */
	int64_t fence_at_us, fence_pause_us; /* steady: not before; until it is tried again */
	int64_t reboot_sent_us;              /* steady */
	bool registering; /* what runs there is being gone through: nothing is started meanwhile */
};

struct waiter {
	uint64_t conn, job;
	uint32_t request;
	bool hides; /* other jobs are not named to it */
	LIST_ENTRY(waiter) all;
};

/* Facts by slot, in pieces that do not move. */
struct live_table {
	char **pieces;
	size_t piece_count, piece_cap;
};

struct look; /* dependency_timers.c */

struct live {
	struct live_table jobs, gangs, elements, nodes;
	struct look *looks;
	size_t look_count, look_cap;
	uint64_t others_changed; /* the last record with an event of no job */
	bool begun;
	char *release;
	int64_t started_us;
	uint64_t stale;         /* messages of past attempts or epochs */
	uint64_t signals;       /* orders of a signal in this epoch */
	struct bucket *buckets; /* core/txn/rate_limit.h */
	TAILQ_HEAD(, bucket) buckets_by_use;
	LIST_HEAD(, waiter) waiters;
	int64_t shares_looked_us; /* when it was looked for what is new */
	bool shares_due;          /* something was not noted, for it was too soon */
	struct noted_round *last_round,
		*acted_round; /* core/view/round_report.h; NULL: none, or the same */
};

struct live *live_new(void);
/* Its buckets and rounds are freed before by those who know them. */
void live_free(struct live *l);

struct job_live *live_job(struct live *l, const struct job *j);
struct gang_live *live_gang(struct live *l, const struct gang *g);
struct element_live *live_element(struct live *l, const struct element *e);
struct task_live *live_task(struct live *l, const struct task *t);
struct node_live *live_node(struct live *l, const struct node *n);
/* The node of this connection; NULL: it is of none. O(nodes). */
const struct node *live_node_by_conn(struct live *l, const struct state *state, uint64_t conn);
/* The noun is about to go: what was noted of it is freed now, not when another gets its place. */
void live_forget_job(struct live *l, const struct job *j);
void live_forget_element(struct live *l, const struct element *e);
/* Why it waits, by a round; text is copied. NULL, 0, 0: that is not known any more. */
void live_note_reason(struct live *l, const struct job *j, const char *text, uint8_t why,
		      int64_t expected_us);
