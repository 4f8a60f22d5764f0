/*
 * A controller core for tests. Short calls make its inputs; its records are stored as a state
 * plugin would store them.
 *
 * The clock advances only with inputs and world_tick(). The effects of the last input can be looked
 * up. world_done() checks that a replay of the records and a restored snapshot give the same state
 * (I8), and frees everything.
 */
#pragma once

#include "core/core.h"
#include "unit/core/event_notes.h"

struct stored_record {
	uint8_t *data;
	size_t len;
};

struct test_world {
	struct core *core;
	struct core_policy policy;
	Armada__QueueSpec own_queue; /* the user_queues template */
	struct sched_class classes[2];
	int64_t wall_us, steady_us;
	struct stored_record *records;
	size_t record_count, record_cap;
	struct output out; /* of the last input */
	struct arena *arena;
	struct event_notes *events;      /* job events; event_notes.h */
	uint32_t key;                    /* of the next submission */
	const char *key_name;            /* of the next submission; NULL: its key has no name */
	int history_queries;             /* how often a request queried the history */
	int name_lookups;                /* how often a request looked up users or groups */
	uint32_t gid;                    /* of callers; 0: the group of the user */
	const struct token_scope *scope; /* of callers */
	uint64_t busy;                   /* connection of a node that takes no steps; 0: none */
};

enum { TEST_USER = 1000, OTHER_USER = 1001, ADMIN_USER = 0, CONTROLLER_USER = 999 };

void world_init(struct test_world *w);
void world_done(struct test_world *w);

/* Gives the core any input; the times are filled in. */
void world_feed(struct test_world *w, struct input *in);
void world_send(struct test_world *w, uint32_t uid, enum msg_type type, const void *message);
void world_agent(struct test_world *w, uint64_t conn, enum msg_type type, const void *message);
void world_closed(struct test_world *w, uint64_t conn);
void world_tick(struct test_world *w, int64_t later_us);
/*
 * A decision to start an element. nodes: the node of each task, separated by blanks; "-": not
 * started.
 */
void world_decide(struct test_world *w, uint64_t job, uint32_t element, const char *nodes);
void world_preempt(struct test_world *w, uint64_t job, uint32_t element);

/* Submits a job of one task with 1 cpu; change spec before. Returns its id; 0 if it is refused. */
void spec_init(Armada__JobSpec *spec, Armada__TaskGroup *group);
uint64_t world_submit(struct test_world *w, Armada__JobSpec *spec);
uint64_t world_submit_plain(struct test_world *w);
/* Sets the cpus that the only group requests; the caller owns the resource. */
void spec_cpus(Armada__TaskGroup *group, int cpus, Armada__Resource *ret_cpu,
	       Armada__Resource **ret_list);
void world_cancel(struct test_world *w, uint32_t uid, uint64_t job);
void world_hold(struct test_world *w, uint64_t job, bool release);
void world_drain(struct test_world *w, const char *node, const char *reason);
/* The first row of the job in a listing; NULL: none. */
const Armada__JobRow *world_row(struct test_world *w, uint64_t job);
/* The reason of the job in that row; "" without a row. */
const char *world_reason(struct test_world *w, uint64_t job);
/*
 * Registers a node over conn. boot: its boot id; spool: the first byte of its spool id. The node "plain"
 * cannot suspend tasks, and the node "old" knows no steps.
 */
void world_node(struct test_world *w, uint64_t conn, const char *name, int cpus, const char *boot,
		uint8_t spool);
/* Registers a node with 4 cpus and a label. */
void world_node_labelled(struct test_world *w, uint64_t conn, const char *name, const char *key,
			 const char *value);
void world_started(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element,
		   uint32_t rank, uint32_t attempt);
void world_ended(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element, uint32_t rank,
		 uint32_t attempt, Armada__EndCause cause, int code);

/* Reports that the task waits at the start barrier, or that it failed without having run. */
void world_ready(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element, uint32_t rank,
		 uint32_t attempt);
void world_failed(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element,
		  uint32_t rank, uint32_t attempt, Armada__EndCause cause, const char *text);
/* A heartbeat of the node on conn. */
void world_beat(struct test_world *w, uint64_t conn);
/* Restarts the controller from its records. All connections are closed. */
void world_restart(struct test_world *w);
/* The first event of this kind in the record of the last input; NULL: none. */
const Armada__Event *world_event(const struct test_world *w, Armada__Event__KindCase kind);

/* The decoded reply to the last request; NULL if there was none of this type. */
const void *world_reply(struct test_world *w, enum msg_type type);
/* The text of the last ERROR; "" without one. */
const char *world_error(struct test_world *w);
/* The number of orders of this kind that the last input sent. */
int world_orders(const struct test_world *w, enum order_kind kind);
/* The state of an element in LIST_JOBS; 0 if it is not in memory. */
int world_state(struct test_world *w, uint64_t job, uint32_t element);
/* The final state of an element in the history rows; 0: none. */
int world_ended_as(const struct test_world *w, uint64_t job, uint32_t element);
/* Suspends the job, or resumes it. */
void world_suspend(struct test_world *w, uint64_t job, bool resume);
