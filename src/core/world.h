/*
 * The nouns of the controller, as the core's own files share them.
 *
 * struct core owns everything: jobs (sorted by id), queues, nodes, users, interned specs and blobs.
 * Other files borrow pointers for the length of one input. A job leaves memory with the event that
 * ends its last element; an element exists while it is active or once it has used an attempt
 * number, never for waiting elements that were not tried yet: those are ranges in job->waiting.
 *
 * Always true between inputs: an element with tasks is CONFIGURING, RUNNING, COMPLETING or UNKNOWN;
 * an element in job->waiting is PENDING or has no struct; what a node has allocated is the sum over
 * its tasks and is kept nowhere else (F8).
 *
 * Room on a node is counted twice. What really runs there, or may (every task that has not ended,
 * but for promised ones), never exceeds what the node has. Neither does what is to stay: every task
 * that has not ended, promised ones too, but for those of elements that yield. core/promise.c.
 */
#ifndef CORE_WORLD_H
#define CORE_WORLD_H

#include "conf/permit.h"
#include "core/element.h"
#include "core/intern.h"
#include "core/nodes.h"
#include "util/rangeset.h"

#include <sys/queue.h>

enum { RECORD_VERSION = 1 };

/* What it is stands in its specification (queue.h); the rest follows from that. */
struct queue {
	char *name;
	struct buf packed; /* the specification ... */
	struct arena *arena;
	const Armada__QueueSpec *spec; /* ... as the arena holds it, and what is said of it below */
	double factor;
	char **owners, **group_owners;
	size_t owner_count, group_owner_count;
	struct permit *permissions;
	size_t permission_count;
	bool cordoned, automatic;
	struct sched_fraction limit;
	struct sched_fraction *class_limits; /* by spec->class_limits */
	struct most most, user_most;         /* of all its jobs; of those of each user in it */
	int64_t default_time_s, max_time_s;  /* of its jobs; 0: none */
	int64_t lease_s;                     /* of their tasks; 0: as all */
	int64_t created_us;
	char *created_by;
	struct share_note *noted;       /* its share when that was last noted; NULL: never */
	uint64_t jobs, waiting, active; /* jobs in memory; elements */
	struct resources used;          /* by the active ones: core/tenant.h */
	UT_hash_handle hh;
};

struct node;
struct element;
struct gang;
struct share_note;
struct depend;
struct target;
struct namesake;
struct tenant;
struct account;

struct job {
	uint64_t id;
	struct spec *spec;
	struct user *user;
	struct queue *queue;
	struct tenant *tenant;
	struct gang *gang; /* of separate jobs, core/gang.h; NULL: it is no member of one */
	int64_t submit_us;
	struct rangeset waiting;
	struct element **elements; /* by index */
	size_t element_count, element_cap;
	struct avoids *avoids; /* nodes that failed it just now; NULL: none */
	bool held;
	uint8_t held_by;                /* enum Holder */
	uint8_t worst;                  /* enum JobState: the worst terminal state so far */
	uint8_t why;                    /* volatile, of the last round: enum sched_why */
	int32_t exit_code, exit_signal; /* highest so far */
	uint32_t excess;  /* more run than its throttle says, which was lowered: so many; 0: no */
	uint32_t waiters; /* volatile: entries in core->waiters */
	char *end_reason; /* of the worst */
	struct array_ends *ends; /* arrays: what has ended; NULL: nothing yet */
	struct depend *depend;   /* what it waits for besides room; NULL: nothing */
	struct target *target;   /* what hangs on it; NULL: nothing */
	struct namesake *namesake;
	TAILQ_ENTRY(job) by_name;
	char *reason;        /* volatile: why it waits, from the last round that looked at it */
	int64_t expected_us; /* volatile, of that round: when it starts at the latest; 0: not known */
	uint64_t changed;    /* volatile: the last record with an event of it */
};

struct submit_key {
	struct {
		uint8_t key[16];
		uint32_t uid;
	} id;
	uint32_t jobs;
	uint64_t first;
	int64_t until_us;
	TAILQ_ENTRY(submit_key) by_age;
	UT_hash_handle hh;
};

struct waiter {
	uint64_t conn, job;
	uint32_t request;
	bool hides; /* other jobs are not named to it */
	LIST_ENTRY(waiter) all;
};

/* What the caller of an input sees, as far as it was found out. */
struct sight {
	bool known, all;           /* whether it is all */
	const struct queue *queue; /* whose jobs were looked at last; NULL: none's */
	bool in_queue;             /* they are seen */
};

struct core {
	const struct core_policy *policy;
	uint8_t cluster_id[16];
	char *cluster;
	uint64_t seq, epoch, next_job;
	uint64_t others_changed; /* volatile: the last record with an event of no job */
	int64_t last_wall_us;
	bool begun;
	char *release;
	int64_t started_us;
	uint64_t stale;   /* messages of past attempts or epochs */
	uint64_t signals; /* volatile: orders of a signal in this epoch */

	struct job **jobs; /* sorted by id; NULL: left memory */
	size_t job_slots, job_cap, job_live;
	uint64_t *job_ids; /* parallel to jobs */
	size_t id_cap;
	uint64_t waiting, active; /* elements */

	struct queue *queues;
	struct node *nodes;
	struct spec *specs;
	struct user *users;
	struct account *accounts;
	struct tenant *tenants;
	struct bucket *buckets; /* volatile: core/bucket.h */
	TAILQ_HEAD(, bucket) buckets_by_use;
	struct blob *blobs;
	struct gang *gangs;
	struct vacancy *vacancies; /* by id */
	uint64_t next_vacancy;
	struct namesake *namesakes;
	struct depend **wakes; /* core/depend.h; a heap */
	size_t wake_count, wake_cap;
	struct submit_key *keys;
	TAILQ_HEAD(, submit_key) keys_by_age;
	LIST_HEAD(, waiter) waiters;
	LIST_HEAD(, avoids) avoiding;
	int64_t shares_noted_us;  /* of the youngest note of a queue that there is */
	int64_t shares_looked_us; /* volatile: when it was looked for what is new */
	bool shares_due;          /* volatile: something was not noted, for it was too soon */
	struct noted_round *last_round, *acted_round; /* volatile; NULL: none, or the same */

	char *resource_names[CORE_RESOURCES]; /* [0] cpu, [1] memory */
	size_t resource_count;

	/* the input being handled */
	struct opened_spec *opened;       /* what spec_open unpacked last into the arena */
	const Armada__JobSpec *looked_at; /* the last that could start, or NULL */
	int64_t looked_work;              /* look.c */
	const struct input *in;
	struct sight sight; /* rights.c */
	struct arena *arena;
	Armada__Record record;
	Armada__Event **events;
	size_t event_count, event_cap;
	struct buf packed;
	struct effect *effects;
	size_t effect_count, effect_cap;
	bool wants_round, replaying;
	bool unfinished; /* somebody is due whom this input did not come to */
	int64_t now_us;  /* wall time of the record */
};

#endif
