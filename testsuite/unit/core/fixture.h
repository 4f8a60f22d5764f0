/*
 * A core to poke at: inputs by short calls, records kept as its disk would keep them.
 *
 * Time moves by hand. Effects of the last input can be looked up; everything is freed by
 * world_done, which also checks that a replay of the records, and a restored snapshot, give the
 * same state (I8).
 */
#pragma once

#include "core/core.h"

struct kept_record {
	uint8_t *data;
	size_t len;
};

struct test_world {
	struct core *core;
	struct core_policy policy;
	Armada__QueueSpec own_queue; /* the template of users' queues */
	struct sched_class classes[2];
	int64_t wall_us, steady_us;
	struct kept_record *records;
	size_t record_count, record_cap;
	struct output out; /* of the last input */
	struct arena *arena;
	uint32_t key;    /* of the next submission */
	int asked_past;  /* how often the history was asked for a request */
	int asked_names; /* ... and the directory */
	uint32_t gid;    /* that callers come with; 0: their own */
};

enum { TEST_USER = 1000, OTHER_USER = 1001, ADMIN_USER = 0 };

void world_init(struct test_world *w);
void world_done(struct test_world *w);

/* Any input; the times are filled in. */
void world_feed(struct test_world *w, struct input *in);
void world_send(struct test_world *w, uint32_t uid, enum msg_type type, const void *message);
void world_agent(struct test_world *w, uint64_t conn, enum msg_type type, const void *message);
void world_closed(struct test_world *w, uint64_t conn);
void world_tick(struct test_world *w, int64_t later_us);
/* nodes: one word for each member, "-" for one that is not started. */
void world_decide(struct test_world *w, uint64_t job, uint32_t element, const char *nodes);
void world_preempt(struct test_world *w, uint64_t job, uint32_t element);

/* Submit one job of a 1-cpu task; change spec before. Returns its id, 0 when refused. */
void spec_init(Armada__JobSpec *spec, Armada__TaskGroup *group);
uint64_t world_submit(struct test_world *w, Armada__JobSpec *spec);
uint64_t world_submit_plain(struct test_world *w);
/* Set what the only group asks for; the resource is the caller's. */
void spec_cpus(Armada__TaskGroup *group, int cpus, Armada__Resource *ret_cpu,
	       Armada__Resource **ret_list);
void world_cancel(struct test_world *w, uint32_t uid, uint64_t job);
void world_hold(struct test_world *w, uint64_t job, bool release);
void world_drain(struct test_world *w, const char *node, const char *reason);
/* The first row that a listing has of the job; NULL: none. */
const Armada__JobRow *world_row(struct test_world *w, uint64_t job);
/* Its reason, "" without a row. */
const char *world_reason(struct test_world *w, uint64_t job);
/* Register node "name" with cpus over conn. boot: its boot id; spool: first byte of its spool id. */
void world_node(struct test_world *w, uint64_t conn, const char *name, int cpus, const char *boot,
		uint8_t spool);
/* The same with 4 cpus and a label. */
void world_node_labelled(struct test_world *w, uint64_t conn, const char *name, const char *key,
			 const char *value);
void world_started(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element,
		   uint32_t rank, uint32_t attempt);
void world_ended(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element, uint32_t rank,
		 uint32_t attempt, Armada__EndCause cause, int code);

/* It waits at the gate; it failed there, without having run. */
void world_ready(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element, uint32_t rank,
		 uint32_t attempt);
void world_failed(struct test_world *w, uint64_t conn, uint64_t job, uint32_t element,
		  uint32_t rank, uint32_t attempt, Armada__EndCause cause, const char *text);
/* A heartbeat of the node on conn. */
void world_beat(struct test_world *w, uint64_t conn);
/* The controller is killed, and begins again from its records. Every connection is gone. */
void world_restart(struct test_world *w);
/* The first event of this kind in the record of the last input; NULL: none. */
const Armada__Event *world_event(const struct test_world *w, Armada__Event__KindCase kind);

/* The answer to the last request, decoded; NULL when there was none of this type. */
const void *world_reply(struct test_world *w, enum msg_type type);
/* The text of the last ERROR, "" without one. */
const char *world_error(struct test_world *w);
/* How many orders of this kind the last input gave. */
int world_orders(const struct test_world *w, enum order_kind kind);
/* The state of an element by LIST_JOBS; 0 when it is not in memory. */
int world_state(struct test_world *w, uint64_t job, uint32_t element);
/* The end of an element in the history rows so far; 0 for none. */
int world_ended_as(const struct test_world *w, uint64_t job, uint32_t element);
