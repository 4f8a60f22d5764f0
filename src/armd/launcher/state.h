/*
 * The state of the launcher, which all files of this folder share. launcher.c owns it.
 *
 * In each iteration of the loop the inputs that have arrived go into the ledger; then the effects
 * that it returned are applied, writes first, with one sync for all new names. The ledger makes all
 * decisions.
 */
#pragma once

#include "agent/lease.h"
#include "armd/shepherd/control.h"
#include "armd/launcher/credential.h"
#include "armd/launcher/launcher.h"
#include "armd/pipe/pipe.h"
#include <armada/contain.h>

#include <poll.h>

/* An order that was received in this iteration. It is kept until it is written to the spool. */
struct received_order {
	struct task_key key;
	enum order_kind kind;
	bool used; /* a step or a read: its effect was applied */
	uint8_t bytes[ORDER_SIZE];
	uint8_t *body; /* owned */
	size_t len;
};

/* A task whose shepherd is alive as far as the launcher knows. */
struct live_task {
	struct task_key key;
	pid_t pid; /* 0: not a child of this launcher; found through its lock */
	struct place place;
	bool started;
	bool ended; /* its exit record was read */
	/* it left no record; remaining processes of the task must be killed first */
	bool shepherd_dead;
	bool died_unattended; /* it died while no launcher was running */
	bool left_logged;     /* a warning about processes that cannot be killed was logged */
	bool stuck;           /* the task survives SIGKILL */
	bool kill_pending;    /* its socket was full */
	bool ready, release_pending;
	struct control_order kill;
	char *kill_text; /* for the owner of the task; NULL: none */
};

/* A step that waits for room in its shepherd's socket. */
struct waiting_step {
	struct task_key key;
	struct control_order order;
	int fd; /* its payload, sealed */
};

/* A process that reads an output file (output_reads.h). */
struct output_read {
	uint64_t number;  /* of the order */
	pid_t pid;        /* 0: none */
	int fd;           /* of its result */
	int64_t until_us; /* CLOCK_BOOTTIME; 0: it was killed, and the order is answered */
};

enum { OUTPUT_READS = 8 };

struct launcher {
	const struct launcher_config *config;
	const struct armada_contain_ops *contain;
	struct spool spool;
	struct ledger *ledger;
	struct arena *arena; /* of the iteration */
	struct ledger_effects effects;
	struct received_order *orders; /* of the iteration */
	size_t order_count, order_cap;
	struct live_task *live;
	size_t live_count, live_cap;
	struct waiting_step *steps;
	size_t step_count, step_cap;
	struct output_read reads[OUTPUT_READS];
	int signals, notify;
	int64_t next_tick_us; /* 0: no need */

	struct pipe *pipe; /* NULL: no network process */
	pid_t network;     /* 0: none */
	int64_t network_from_us, respawn_at_us, respawn_pause_us;
	bool hello_due;

	uint8_t stamp_key[STAMP_KEY]; /* of this process alone */
	bool has_key;
	uint8_t public_key[32];
	struct credential credential;          /* being decoded */
	struct pipe_controller controller;     /* its sender */
	char last_credential[PIPE_CREDENTIAL]; /* the last good one */

	/* Whether tasks may be bound (cpus.c). */
	struct {
		int fd;     /* locked; -1: none */
		bool alone; /* no other armd uses the cpus, as far as known */
		char text[CPUS_TEXT];
		int64_t next_us; /* when to ask again */
	} cpus;
	pid_t reboot; /* pid of reboot_program; 0: it does not run */
	/* The health of the node (health.c). */
	struct {
		struct hook_run run;                   /* the check that runs; fd -1: none */
		int64_t next_us;                       /* CLOCK_BOOTTIME of the next; 0: never */
		bool known;                            /* the first check has ended */
		char text[HOOK_TEXT], lost[HOOK_TEXT]; /* of the check; of epilogs of lost jobs */
		char stuck[HOOK_TEXT];                 /* of a task that cannot be killed */
		char full[HOOK_TEXT];                  /* the spool is full; empty: it has room */
		int64_t room_us;                       /* when to check the free space again */
	} health;
	struct hook_run sweep; /* runs epilogs of jobs whose shepherds are dead */
	int64_t sweep_us;      /* CLOCK_BOOTTIME of the next sweep; 0: none is needed */

	struct pipe_msg in, out; /* here, because they are too large for the stack */
	bool ending;
	bool shutting_down; /* the machine is being shut down: no task is started */
	int64_t end_at_us;  /* while shutting down: until when to wait for acknowledgements */
	struct cached_user users[USER_CACHE_USERS];
	uint64_t logged[64]; /* hashes of sentences that shepherds sent for the log */
	size_t logged_count;
	struct err fatal; /* not empty: the launcher must exit */
};
