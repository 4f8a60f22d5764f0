/*
 * What the files of the launcher share: one struct, and who does what with it.
 *
 * The loop takes turns: whatever has arrived goes into the ledger, then the effects that came out
 * are carried out, writes first, with one sync for all new names of the turn. Everything decided is
 * decided in the ledger.
 */
#ifndef ARMD_LAUNCHER_BODY_H
#define ARMD_LAUNCHER_BODY_H

#include "agent/lease.h"
#include "agent/ledger.h"
#include "armd/control.h"
#include "armd/hook.h"
#include "armd/credential.h"
#include "agent/place.h"
#include "armd/launcher.h"
#include "armd/pipe.h"
#include "armd/spool.h"
#include <armada/contain.h>

#include <poll.h>

/* An order of this turn, until it is written down. */
struct taken_order {
	struct task_key key;
	enum order_kind kind;
	bool used; /* a step: it was passed on */
	uint8_t bytes[ORDER_SIZE];
	uint8_t *body; /* owned */
	size_t len;
};

/* A shepherd that lives, as far as we know. */
struct live {
	struct task_key key;
	pid_t pid; /* 0: not our child, found through its lock */
	struct place place;
	bool started;
	bool ended;        /* its exit record was seen */
	bool gone;         /* it is dead and left no record: what it left behind must die first */
	bool away;         /* and it died while no launcher was there */
	bool told;         /* that what it left behind does not die */
	bool stuck;        /* SIGKILL does not end it */
	bool kill_pending; /* its socket was full */
	bool ready, release_pending;
	struct control_order kill;
};

/* A step that its shepherd has no room for yet. */
struct waiting_step {
	struct task_key key;
	int fd; /* its payload, sealed */
};

struct launcher {
	const struct launcher_config *config;
	const struct armada_contain_ops *contain;
	struct spool spool;
	struct ledger *ledger;
	struct arena *arena; /* of the turn */
	struct ledger_effects effects;
	struct taken_order *orders; /* of the turn */
	size_t order_count, order_cap;
	struct live *live;
	size_t live_count, live_cap;
	struct waiting_step *steps;
	size_t step_count, step_cap;
	int signals, notify;
	int64_t next_tick_us; /* 0: no need */

	struct pipe *pipe; /* NULL: no network process */
	pid_t network;     /* 0: none */
	int64_t network_from_us, respawn_at_us, respawn_pause_us;
	bool hello_due;

	uint8_t stamp_key[STAMP_KEY]; /* of this process alone */
	bool has_key;
	uint8_t public_key[32];
	struct credential credential;           /* being decoded */
	struct pipe_controller controller;      /* who sent it */
	char known_credential[PIPE_CREDENTIAL]; /* the last good one */

	pid_t reboot; /* the program that does it; 0: none runs */
	/* What the node says of its own health (launcher_health.c). */
	struct {
		struct hook_run run;                   /* the check that runs; fd -1: none */
		int64_t next_us;                       /* CLOCK_BOOTTIME of the next; 0: never */
		bool known;                            /* something can be said */
		char text[HOOK_TEXT], lost[HOOK_TEXT]; /* of the check; of epilogs of lost jobs */
		char stuck[HOOK_TEXT];                 /* of a task that cannot be killed */
		char full[HOOK_TEXT]; /* the spool has no room for work; empty: it has */
		int64_t room_us;      /* when to look at that again */
	} health;
	struct hook_run sweep; /* epilogs that nobody lives to run */
	int64_t sweep_us;      /* CLOCK_BOOTTIME of when to look for some; 0: no need */

	struct pipe_msg in, out; /* large, so here */
	bool ending;
	bool leaving;      /* the machine is being shut down: nothing is started any more */
	int64_t end_at_us; /* leaving and ending: when the last reports are not waited for any more */
	struct known_user known[KNOWN_USERS];
	uint64_t said[64]; /* hashes of what shepherds had for the log */
	size_t said_count;
	struct err fatal; /* not empty: we cannot go on */
};

/* launcher_load.c: the spool as it was left. */
int launcher_load(struct launcher *l, struct err *err);

/*
 * launcher_network.c: the network process, and what it says. One that does not listen to the answers is
 * not heard either, or its questions would fill our memory.
 */
bool launcher_hears_network(const struct launcher *l);
void launcher_start_network(struct launcher *l);
void launcher_network_died(struct launcher *l);
void launcher_stop_network(struct launcher *l);
void launcher_hear_network(struct launcher *l);
void launcher_hear_credential(struct launcher *l);
void launcher_report(struct launcher *l, const Armada__Report *report);
void launcher_say_hello(struct launcher *l);
void launcher_say_leaving(struct launcher *l);
void launcher_say_stamp(struct launcher *l);
void launcher_say_health(struct launcher *l, const char *text);
void launcher_say_problem(struct launcher *l, enum pipe_about about, const char *text);

/* launcher_orders.c: closes the body's descriptor. */
/* May tasks of the order's user run here? launcher_orders.c. */
bool launcher_allows(const struct launcher *l, const struct order *o, struct err *err);
void launcher_take_order(struct launcher *l, struct pipe_order *p);
void launcher_forget_orders(struct launcher *l);

/* launcher_leave.c: the machine is being shut down; and may we end, for we were told to? */
void launcher_leave(struct launcher *l);
bool launcher_may_end(struct launcher *l);

/* launcher_effects.c: all effects are carried out when it returns; a failed write is l->fatal. */
void launcher_carry_out(struct launcher *l);

/* launcher_reboot.c: the controller has ordered it, and nothing runs here. */
void launcher_reboot(struct launcher *l);
void launcher_reboot_ended(struct launcher *l, int status);

/*
 * launcher_place.c: cpus and gpus for an attempt, beside those who live; noted in its file (fd).
 */
struct attempt;
int launcher_place(struct launcher *l, int fd, const struct attempt *a, struct place *ret_place,
		   struct err *err);

/* launcher_health.c: checks of health, and epilogs of jobs whose shepherds were killed. */
enum { HEALTH_FDS = 2 };
void launcher_health_init(struct launcher *l);
void launcher_health_poll(const struct launcher *l, struct pollfd fds[HEALTH_FDS]);
/* Begin what is due, end what has ended. */
void launcher_health_turn(struct launcher *l, const struct pollfd fds[HEALTH_FDS]);
void launcher_health_reaped(struct launcher *l, pid_t pid);
/* To a network process that knows nothing yet. */
void launcher_health_say(struct launcher *l);
void launcher_health_stop(struct launcher *l);
/* Of a task that cannot be killed; empty: there is none (any more). */
void launcher_health_stuck(struct launcher *l, const char *text);
/* There was no room for an order: look at it in this turn. */
void launcher_health_full(struct launcher *l);

/* launcher_tasks.c: shepherds. */
void launcher_start_task(struct launcher *l, const struct task_key *key);
void launcher_kill_task(struct launcher *l, const struct task_key *key, uint32_t cause,
			int64_t grace_ms);
void launcher_release_task(struct launcher *l, const struct task_key *key);
/* Run a step in it; given up when its shepherd is gone. */
void launcher_step_task(struct launcher *l, const struct task_key *key, const uint8_t *payload,
			size_t len);
/* wish: as in an order of ORDER_SIGNAL. */
void launcher_signal_task(struct launcher *l, const struct task_key *key, uint32_t wish);
struct live *launcher_add_live(struct launcher *l, const struct task_key *key, pid_t pid);
void launcher_hear_shepherds(struct launcher *l);
void launcher_child_died(struct launcher *l, pid_t pid);
/* Its shepherd is dead, and died while armd was away: lost, once nothing of the task is left. */
void launcher_lose_task(struct launcher *l, const struct task_key *key);
bool launcher_lives(const struct launcher *l, const struct task_key *key);
/* What is only found by looking: once a second while there is something to look after. */
void launcher_tick(struct launcher *l);
/* launcher_clean.c: what dead shepherds left in their tasks' containment. */
/* Kill what is left of the attempt. True: nothing is; false: look again soon. */
bool launcher_reclaim(struct launcher *l, struct live *v);
/* At the start, when the spool is read: what is left of attempts that are none of those that run. */
void launcher_clean(struct launcher *l);

/* launcher_tasks.c: the attempt ended in a way that only the launcher can tell. */
void launcher_end_task(struct launcher *l, const struct task_key *key, uint32_t cause,
		       const char *why);

#endif
