/*
 * Requests: one handler each, one file each. Who may send what: core/rights.h.
 *
 * A handler runs with c->in set, has validated nothing yet, and answers exactly once: with
 * reply() or refuse(), or later (WAIT_JOB, what the shell answers from the history). It changes the
 * state through emit() alone, and only after everything that could refuse has passed.
 */
#ifndef CORE_REQUEST_H
#define CORE_REQUEST_H

#include "core/fold.h"
#include "core/rights.h"

/* Answer the request being handled. */
void reply(struct core *c, enum msg_type type, const void *message);
void reply_ok(struct core *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* code: an exit code (1 refused, 3 not found, 4 not permitted, 75 try again). */
void refuse(struct core *c, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* One handler for each request of the table in routes.c. */
void req_ping(struct core *c, const void *message);
void req_submit(struct core *c, const void *message);
void req_cancel(struct core *c, const void *message);
void req_hold(struct core *c, const void *message);
void req_requeue(struct core *c, const void *message);
void req_preempt(struct core *c, const void *message);
void req_update_job(struct core *c, const void *message);
void req_list_jobs(struct core *c, const void *message);
void req_step(struct core *c, const void *message);
void req_history(struct core *c, const void *message);
void req_show_job(struct core *c, const void *message);
void req_wait_job(struct core *c, const void *message);
void req_explain(struct core *c, const void *message);
void req_round(struct core *c, const void *message);
void req_shares(struct core *c, const void *message);
void req_extend_lease(struct core *c, const void *message);
void req_list_nodes(struct core *c, const void *message);
void req_update_node(struct core *c, const void *message);
void req_queue(struct core *c, const void *message);
void req_list_queues(struct core *c, const void *message);
void req_permissions(struct core *c, const void *message);
void req_reconfigure(struct core *c, const void *message);
void req_shutdown(struct core *c, const void *message);
void req_register_node(struct core *c, const void *message);
void req_heartbeat(struct core *c, const void *message);
void req_reports(struct core *c, const void *message);

/* One handler for each kind of input. */
void route_message(struct core *c);
void input_begin(struct core *c);
void input_closed(struct core *c);
void input_tick(struct core *c);
void input_decisions(struct core *c);
void input_policy(struct core *c);
void input_explained(struct core *c);
void input_fenced(struct core *c);

/*
 * round.c: what the last round did, for ROUND. Begin before its decisions are carried out, note each
 * one, end after the last; free with the core.
 */
void round_begin(struct core *c, const struct input *in);
void round_decided(struct core *c, const struct sched_decision *d, bool accepted);
/* The same of one that was carried out for all jobs of a gang. */
void round_decided_gang(struct core *c, const struct gang *g, const struct sched_decision *d);
void round_end(struct core *c);
void round_free(struct core *c);
/* A queue's share as a message in the arena. */
Armada__QueueShare *share_message(const struct core *c, const struct sched_share *s,
				  struct arena *a);

/*
 * filter.c: does this job (and element; NULL: its waiting part) match? One that the caller may not see
 * never does.
 */
bool filter_job(struct core *c, const Armada__JobFilter *f, const struct job *j);
bool filter_element(const Armada__JobFilter *f, const struct job *j, const struct element *e);
/* Does this waiting element match? */
bool filter_waiting(const Armada__JobFilter *f, const struct job *j, uint32_t index);
/* The elements of one job that the ids of a filter name; true: all of them. */
bool filter_elements(const Armada__JobFilter *f, uint64_t job, struct rangeset *ret_set);
/* Ids that are not in memory, as ranges in the arena of the input. */
Armada__JobRange **filter_missing(struct core *c, const Armada__JobFilter *f, size_t *ret_count);
/* Into how many pieces its steps divide the elements it names; FILTER_PIECES are too many. */
enum { FILTER_PIECES = 100000, REASON_LONGEST = 1000 };
uint64_t filter_pieces(const Armada__JobFilter *f);
/* What it costs to ask it of one job, to bound the work of one request (S26). */
int64_t filter_cost(const Armada__JobFilter *f);
/* Nothing selected at all. */
bool filter_is_empty(const Armada__JobFilter *f);

/* declare.c: queues that armada.conf names. The spec borrows from the policy and lives in the arena. */
Armada__QueueSpec *declared_spec(const struct core_queue *p, struct arena *a);
/* The same for a queue that is there; NULL: it is not. */
Armada__QueueSpec *declared_for(const struct queue *q, const struct core_queue *p, struct arena *a);
const struct core_queue *declared_find(const struct core_policy *p, const char *name);
void queues_declare(struct core *c);
/* reconfigure.c: what armada.conf says of nodes may be another thing than it was. */
void nodes_expect(struct core *c);

/*
 * hold.c: a hold of the caller of this input. Of two the stronger stays: an administrator's, that of
 * who may cancel in its queue, its owner's. True: it is there only now, or stronger than before.
 */
bool job_hold_by_caller(struct core *c, const struct job *j);
void job_release(struct core *c, const struct job *j);
bool may_release(const struct core *c, const struct job *j);
/* Of a job that is held; constant. */
const char *held_reason(const struct job *j, enum sched_why *ret_why);

/* life.c: what the core does with elements and nodes, whoever caused it. */
struct lease {
	char **nodes; /* by rank */
	size_t node_count;
	bool promised;         /* its room is not there yet */
	uint32_t gang_members; /* leased with it, itself too; 0: it is in no gang of jobs */
	uint32_t *groups;      /* tasks of each group, where some are left out */
	size_t group_count;    /* 0: none is, or there is only one group */
};
/* Its orders leave too, unless it is promised or in a gang of jobs: they are told of each other. */
void element_lease_on(struct core *c, struct job *j, uint32_t index, const struct lease *lease);
void element_launch(struct core *c, struct element *e);
/* Begin to end an active element that is not promised: kill orders leave. */
void element_end(struct core *c, struct element *e, Armada__EndReason why, const char *text,
		 uint32_t by_uid);
/* Waiting elements end at once. */
void waiting_end(struct core *c, struct job *j, const struct rangeset *which, const char *reason);
/* A task ended: note it and conclude its element if it was the last. */
void task_end(struct core *c, struct task *t, const Armada__TaskEnd *end);
void task_start(struct core *c, struct task *t, int64_t start_us);
/* Of an end with this cause, so that it is tried elsewhere? */
bool node_is_to_blame(uint8_t cause);

/* req_agent.c: the state that its tasks say an element is in; can all be asked? n has registered. */
Armada__JobState element_true_state(const struct element *e);
bool element_answers(const struct element *e, const struct node *n);

/* promise.c: room on nodes, and leases whose room others still have. */
enum room {
	ROOM_NONE,     /* it is taken for good */
	ROOM_PROMISED, /* it is there once those who yield have ended */
	ROOM_FREE,
};
/* For so much of an element that is about to be leased. */
enum room room_find(const struct core *c, const struct node *n, struct job *j, uint32_t index,
		    const struct resources *want);
/* Is there room on the node for this task that has none, of which nobody has been promised any? */
bool room_is_free(const struct node *n, const struct task *t);
/* For so much of a gang of jobs that is about to be leased. */
enum room room_find_for(const struct core *c, const struct node *n, const struct gang *g,
			const struct resources *want, bool exclusive);
/* May tasks be started there at all? */
bool node_takes(const struct node *n);
/* The node may have more room than before: promises that have theirs are kept, the oldest first. */
void promises_keep(struct core *c, struct node *n);
/* It may have less of everything: promises that cannot be kept are withdrawn, the youngest first. */
void promises_fit(struct core *c, struct node *n);
/* Nothing is started there any more. */
void promises_withdraw(struct core *c, struct node *n, const char *reason);
/*
 * One promise: back to waiting; or ended, and its job may have left memory. The rest of its gang
 * goes back with it.
 */
void promise_withdraw(struct core *c, struct element *e, const char *reason);
void promise_cancel(struct core *c, struct element *e, const char *reason);
/* Has it all its room? Never between inputs. */
bool promise_is_due(const struct element *e);

/*
 * signal.c: send a signal to the tasks of an element that run and can be reached. Returns how many;
 * ret_gap: why it is not all of them, a sentence in the arena, or NULL.
 */
uint32_t element_signal(struct core *c, struct element *e, int sig, bool first_only,
			const char **ret_gap);

/* orders.c */
void order_launch_task(struct core *c, struct task *t);
void order_kill_task(struct core *c, struct task *t, Armada__EndCause cause);
/* Its node must be connected. */
void order_signal_task(struct core *c, struct task *t, int sig, bool first_only);
/* Orders that the node has not confirmed, again. */
void orders_resend(struct core *c, struct node *n, bool all);

/* env.c: ARMADA_* of a task, and its file names. */
char **task_environment(struct core *c, const struct task *t, const Armada__JobSpec *spec,
			size_t *ret_count);
/* Node and address of each rank, a line for each, for who needs them; else nothing. */
void task_hosts(struct core *c, const struct task *t, const Armada__JobSpec *spec,
		ProtobufCBinaryData *ret_hosts);
char *expand_pattern(struct core *c, const char *pattern, const struct task *t,
		     const Armada__JobSpec *spec);


#endif
