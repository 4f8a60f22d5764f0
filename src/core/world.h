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
 */
#ifndef CORE_WORLD_H
#define CORE_WORLD_H

#include "core/core.h"
#include "util/rangeset.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/queue.h>
#include <uthash.h>

enum { CORE_RESOURCES = SCHED_RESOURCES, HASH_SIZE = 32, RECORD_VERSION = 1 };

/* A script or an environment, stored once. */
struct blob {
	uint8_t hash[HASH_SIZE];
	uint32_t refs;
	size_t len;
	uint8_t *data;
	UT_hash_handle hh;
};

struct resources {
	int64_t amount[CORE_RESOURCES];
};

/* A packed JobSpec, shared by every job that asked for the same, and what is needed often. */
struct spec {
	uint8_t hash[HASH_SIZE];
	uint32_t refs;
	uint32_t len;
	uint8_t *packed;
	struct blob *script, *env; /* counted; NULL: none */
	uint32_t tasks;            /* of an element */
	uint32_t throttle;
	int32_t priority;
	int64_t grace_ms;
	struct resources request; /* of one task */
	uint32_t per_member;	  /* tasks that share a node */
	bool array, no_requeue, exclusive, distinct;
	const char *queue, *job_set, *name; /* own copies */
	UT_hash_handle hh;
};

/* Who submitted: uid, gid, name and groups as they were then. */
struct user {
	uint32_t refs;
	uint32_t uid, gid;
	char *name;
	uint32_t *gids;
	size_t gid_count;
	size_t key_len;
	char *key; /* all of the above as bytes */
	UT_hash_handle hh;
};

struct queue {
	char *name;
	double factor;
	char **owners, **group_owners;
	size_t owner_count, group_owner_count;
	bool cordoned, automatic;
	int64_t created_us;
	char *created_by;
	uint64_t jobs, waiting, active; /* jobs in memory; elements */
	UT_hash_handle hh;
};

struct node;
struct element;

enum task_state { TASK_LEASED = 0, TASK_STARTED = 1, TASK_ENDED = 2 };

struct task {
	struct element *element;
	struct node *node;
	LIST_ENTRY(task) on_node;
	uint32_t rank;
	uint8_t state; /* enum task_state */
	uint8_t cause; /* enum EndCause once ended */
	bool accepted; /* volatile: the node has it in its spool */
	int32_t exit_code, exit_signal;
	int64_t start_us, end_us;
	int64_t sent_us; /* volatile: steady time of the last order */
	char *text;      /* of the end; NULL */
	int64_t cpu_us, max_rss, read_bytes, written_bytes;
};

struct element {
	struct job *job;
	uint32_t index;
	uint32_t attempt; /* the last number used */
	uint8_t state;    /* enum JobState; PENDING when it waits again */
	uint8_t why;      /* enum EndReason while COMPLETING */
	uint32_t task_count;
	struct task *tasks;
	uint64_t seq; /* of the record that leased it */
	int64_t start_us;
	char *text; /* why it is being ended, or last requeued; NULL */
};

struct job {
	uint64_t id;
	struct spec *spec;
	struct user *user;
	struct queue *queue;
	int64_t submit_us;
	struct rangeset waiting;
	struct element **elements; /* by index */
	size_t element_count, element_cap;
	bool held;
	uint8_t worst;                  /* enum JobState: the worst terminal state so far */
	int32_t exit_code, exit_signal; /* highest so far */
	char *end_reason;               /* of the worst */
	uint64_t *ended;  /* arrays: how many elements, by terminal state; NULL: none yet */
	char *reason;     /* volatile: why it waits, from the last round that looked at it */
	uint32_t waiters; /* volatile: entries in core->waiters */
};

struct node {
	char *name;
	uint8_t node_id[16], spool_id[16];
	char boot_id[64];
	Armada__NodeSet *set; /* unpacked from set_packed, the last registration */
	struct arena *set_arena;
	struct buf set_packed;
	struct resources total;
	uint8_t state; /* enum NodeState: UP, DRAINED (shown DRAINING while tasks run), UNKNOWN, DOWN */
	char *reason, *reason_by;
	int64_t reason_us;
	bool linked;
	LIST_HEAD(, task) tasks;
	/* volatile */
	uint64_t conn;
	int64_t heard_us; /* steady */
	int64_t seen_us;  /* wall */
	UT_hash_handle hh;
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
	LIST_ENTRY(waiter) all;
};

struct core {
	const struct core_policy *policy;
	uint8_t cluster_id[16];
	char *cluster;
	uint64_t seq, epoch, next_job;
	int64_t last_wall_us;
	bool begun;
	char *release;
	int64_t started_us;
	uint64_t stale; /* messages of past attempts or epochs */

	struct job **jobs; /* sorted by id; NULL: left memory */
	size_t job_slots, job_cap, job_live;
	uint64_t *job_ids; /* parallel to jobs */
	size_t id_cap;
	uint64_t waiting, active; /* elements */

	struct queue *queues;
	struct node *nodes;
	struct spec *specs;
	struct user *users;
	struct blob *blobs;
	struct submit_key *keys;
	TAILQ_HEAD(, submit_key) keys_by_age;
	LIST_HEAD(, waiter) waiters;

	char *resource_names[CORE_RESOURCES]; /* [0] cpu, [1] memory; fixed once used */
	size_t resource_count;

	/* the input being handled */
	const struct input *in;
	struct arena *arena;
	Armada__Record record;
	Armada__Event **events;
	size_t event_count, event_cap;
	struct buf packed;
	struct effect *effects;
	size_t effect_count, effect_cap;
	bool wants_round, replaying;
	int64_t now_us; /* wall time of the record */
};

/* jobs.c */
struct job *job_find(const struct core *c, uint64_t id);
/* The slot of the first job with an id above after. */
size_t job_after(const struct core *c, uint64_t after);
struct job *job_insert(struct core *c, uint64_t id); /* id above every other */
void job_drop(struct core *c, struct job *j);
struct element *element_find(const struct job *j, uint32_t index);
struct element *element_obtain(struct job *j, uint32_t index);
void element_drop(struct element *e);
void element_lease(struct element *e, uint32_t task_count);
void element_free_tasks(struct element *e);
bool job_over(const struct job *j);
struct task *task_find(const struct core *c, const Armada__TaskKey *key);
struct task_key task_key_of(const struct task *t);
bool state_is_terminal(int state);

/* intern.c */
struct spec *spec_obtain(struct core *c, const Armada__JobSpec *spec);
void spec_release(struct core *c, struct spec *s);
/* Unpacked into the arena of the input. */
const Armada__JobSpec *spec_open(const struct core *c, const struct spec *s, struct arena *a);
struct user *user_obtain(struct core *c, const Armada__JobSubmitted *job);
void user_release(struct core *c, struct user *u);
struct blob *blob_find(const struct core *c, const uint8_t hash[HASH_SIZE]);
struct blob *blob_add(struct core *c, const uint8_t hash[HASH_SIZE], const void *data, size_t len);
void blob_drop_unused(struct core *c, struct blob *b);
void core_digest(const void *data, size_t len, uint8_t ret_hash[HASH_SIZE]);

/* places.c */
struct queue *core_find_queue(const struct core *c, const char *name);
void queue_set(struct core *c, const Armada__QueueSpec *spec, int64_t now_us, const char *by);
void queue_drop(struct core *c, struct queue *q);
Armada__QueueSpec *queue_spec(const struct queue *q, struct arena *a);
struct node *core_find_node(const struct core *c, const char *name);
struct node *node_set(struct core *c, const Armada__NodeSet *set);
void node_drop(struct core *c, struct node *n);
struct node *node_by_conn(const struct core *c, uint64_t conn);
/* Index of a resource name, made known if there is room; -1 when there is none. */
int resource_index(struct core *c, const char *name);
void resources_of(struct core *c, Armada__Resource *const *list, size_t n, struct resources *ret);
/* What the tasks on a node hold. */
void node_allocated(struct core *c, const struct node *n, struct resources *ret);
/* What one task of a spec asks for. */
void spec_task_request(struct core *c, const Armada__JobSpec *spec, struct resources *ret);

#endif
