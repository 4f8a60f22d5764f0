/*
 * What the parts of a storm call of one another. The parts are noun by noun: controller, node, link
 * and ledger of a node, tasks, network, clients, checks.
 */
#ifndef ASIM_STORM_PARTS_H
#define ASIM_STORM_PARTS_H

#include "asim/storm.h"

uint64_t storm_random(struct storm *s, uint64_t below);
/* True once in `in` times, while faults are on. */
bool storm_fault(struct storm *s, uint64_t in);
void storm_trace(struct storm *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An invariant does not hold. The first one counts. */
void storm_violate(struct storm *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* storm_ctl.c */
void ctl_start(struct storm *s);
void ctl_crash(struct storm *s);
void ctl_commit(struct storm *s);
void ctl_round(struct storm *s);
/* storm_explain.c: before a round, and of its result; the jobs that were said to start between. */
enum { EXPLAINED = 3 };
void explain_some(struct storm *s, const struct sched_round *round, uint64_t *ret_starting);
void explain_check(struct storm *s, const struct sched_result *r, const uint64_t *starting);
void ctl_decide(struct storm *s);
void ctl_reconfigure(struct storm *s); /* the policy is another */
/* storm_policy.c: as it is without limits; and others. Takes effect with ctl_reconfigure. */
void policy_reset(struct storm *s);
void policy_draw(struct storm *s);

/* storm_queue.c: one or two queues become something else. */
void client_queue(struct storm *s);

/* storm_most.c: limits of queues and users in absolute numbers; and whose a submission is. */
void most_draw(struct storm *s);
void most_reset(struct storm *s);
void most_check_all(struct storm *s, const struct input *in);
void most_done(struct storm *s);
const char *most_user(const struct storm *s, uint64_t number);
void ctl_tick(struct storm *s);
void ctl_fenced(struct storm *s, const struct happening *h);
void ctl_message(struct storm *s, const struct happening *h);
void ctl_closed(struct storm *s, uint64_t conn);
void ctl_free(struct storm *s);

/* storm_node.c */
void node_init(struct storm *s, int index);
void node_start(struct storm *s, struct storm_node *n);
void node_crash(struct storm *s, struct storm_node *n);
void node_reboot(struct storm *s, struct storm_node *n);
void node_tick(struct storm *s, struct storm_node *n);
void node_message(struct storm *s, const struct happening *h);
void node_turn(struct storm *s, struct storm_node *n);
void node_replay_captured(struct storm *s, struct storm_node *n);
void node_say_health(struct storm_node *n);
void node_turn_ill(struct storm *s, struct storm_node *n, bool ill);
bool node_is_drained_as_ill(const struct storm *s, const struct storm_node *n);
void node_free(struct storm *s, struct storm_node *n);
void node_connected(struct storm *s, struct storm_node *n, uint64_t session);
void node_closed(struct storm *s, struct storm_node *n, uint64_t session);
/* storm_shutdown.c */
void node_shut_down(struct storm *s, struct storm_node *n);
void node_say_leaving(struct storm *s, struct storm_node *n);
void node_off(struct storm *s, const struct happening *h);
void shutdown_check(struct storm *s, const struct storm_job *j,
		    const struct armada_history_row *row);
/* storm_link.c */
void node_link_effect(struct storm *s, struct storm_node *n, const struct link_effect *e);
void node_link_effects(struct storm *s, struct storm_node *n, struct link_effects *list);
/* An order reaches the launcher, from the network or from one who kept it. */
void node_order(struct storm *s, struct storm_node *n, const struct storm_order *x);
/* Carry out a ledger's effects one by one; armd may be killed between any two. */
void node_ledger_effects(struct storm *s, struct storm_node *n, struct ledger_effects *list);

/* storm_task.c */
struct storm_attempt *attempt_find(struct storm_node *n, const struct task_key *key);
void attempt_fork(struct storm *s, struct storm_node *n, struct storm_attempt *a);
void attempt_kill(struct storm *s, struct storm_node *n, struct storm_attempt *a, uint32_t cause,
		  int64_t grace_ms);
void attempt_release(struct storm *s, struct storm_node *n, struct storm_attempt *a);
void attempt_started(struct storm *s, const struct happening *h);
void attempt_ended(struct storm *s, const struct happening *h);
void journal_start(struct storm *s, const struct storm_node *n, const struct task_key *key);
void journal_end(struct storm *s, const struct task_key *key);

/* storm_lease.c */
void lease_init(struct storm *s, struct storm_node *n);
void lease_armd_starts(struct storm *s, struct storm_node *n);
void lease_boots(struct storm *s, struct storm_node *n);
void lease_stamp(struct storm *s, struct storm_node *n);
void lease_renewed(struct storm *s, struct storm_node *n, const struct ledger_effect *e);
void lease_foul(struct storm *s, struct storm_node *n);
/* Does a network process in foul hands withhold it, for later? */
bool lease_keeps(struct storm *s, struct storm_node *n, const struct order *o,
		 const uint8_t *bytes);
bool lease_takes(const struct storm_node *n, const struct order *o);
/* What the body of a launch order says; 0: none. */
int64_t lease_of(struct storm *s, const struct order *o, const uint8_t *body, size_t len);
bool lease_begins(struct storm *s, struct storm_node *n, struct storm_attempt *a);
void lease_look(struct storm *s, const struct happening *h);
void lease_cut(struct storm *s, struct storm_node *n);
/* Is what would arrive then lost? It arrives later if not. */
bool lease_is_cut(struct storm *s, const struct storm_node *n, int64_t *at_us);
void fence_begin(struct storm *s, const char *name, uint64_t seq);
void fence_does(struct storm *s, const struct happening *h);
void node_wipe(struct storm *s, struct storm_node *n);
bool node_is_surely_dead(const struct storm *s, const struct storm_node *n);

/* storm_net.c */
struct storm_conn *conn_find(struct storm *s, uint64_t id);
void net_dial_ctl(struct storm *s, struct storm_node *n, uint64_t session);
void net_break(struct storm *s, struct storm_conn *c);
void net_to_ctl(struct storm *s, struct storm_conn *c, enum msg_type type, const void *message);
void net_to_node(struct storm *s, struct storm_conn *c, enum msg_type type, const uint8_t *body,
		 size_t len);
void net_close_all(struct storm *s); /* the controller died */

/* storm_clock.c: of the controller. */
int64_t clock_wall_us(const struct storm *s);
int64_t clock_steady_us(const struct storm *s);
void clock_start(struct storm *s); /* a new life of it */
void clock_jump(struct storm *s);

/* storm_signal.c */
/* For some task that runs. */
void client_signal(struct storm *s);
void client_step(struct storm *s);

/* storm_preempt.c: somebody wants the room of this job, of a node, of a queue or of a class. */
void client_preempt(struct storm *s, const struct storm_job *j, const struct storm_node *n);
/* What for runs here; and no copy of its order was carried out before. */
void signal_check(struct storm *s, const struct storm_node *n, const struct storm_attempt *a,
		  const char *what);
void signal_once(struct storm *s, const struct storm_node *n, const struct order *o);

/* storm_client.c */
/* Sent if there is a controller; its answer goes to job `number`, STORM_JOBS: to nobody. */
void client_ask(struct storm *s, uint32_t number, enum msg_type type, const void *message);
void client_act(struct storm *s);
void client_settle(struct storm *s);
void client_submit(struct storm *s, struct storm_job *j);
void client_reply(struct storm *s, const struct happening *h);
void client_history(struct storm *s, const struct armada_history_row *row);

/* storm_gang.c: gangs of jobs begin in one record; what follows from those that are durable. */
void gangs_follow(struct storm *s, const Armada__Record *r);
void gangs_restart(struct storm *s);
/* NULL: it is of no gang, or no record tells of it. */
struct storm_member *gang_member(struct storm *s, uint64_t job);

/* storm_group.c: tasks one by one, by the durable records. */
void groups_follow(struct storm *s, const Armada__Record *r);
void groups_forget(struct storm *s);
void groups_done(struct storm *s);
/* Has this task failed, and the element goes on all the same? */
bool group_does_without(struct storm *s, uint64_t job, uint32_t element, uint32_t rank);
int group_cpus(struct storm *s, const struct task_key *key);

/* storm_gate.c: who is set up, and who may run (I7). */
bool gate_of(struct storm *s, const struct order *o, const uint8_t *body, size_t len);
void gate_reached(struct storm *s, const struct task_key *key);
void gate_check(struct storm *s, const struct task_key *key);
void gate_follow(struct storm *s, const Armada__Record *r);
void gate_restart(struct storm *s);

/* storm_deps.c: what jobs wait for, from the records; and as the history tells of what has ended. */
void deps_follow(struct storm *s, const Armada__Record *r);
void deps_restart(struct storm *s);
void deps_done(struct storm *s);
struct core_past *deps_past(struct storm *s, size_t *ret_count);
void deps_past_free(struct core_past *past, size_t count);
/* What a new job waits for; and as a spec says it. */
void deps_draw(struct storm *s, struct storm_job *j);
void deps_spec(const struct storm_job *j, Armada__Dependency *deps, Armada__Dependency **list,
	       Armada__JobSpec *spec);

/* storm_check.c */

bool check_drained(struct storm *s);
void check_end(struct storm *s);

#endif
