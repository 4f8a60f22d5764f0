/*
 * Messages between launcher and shepherd: datagrams between sockets in the spool.
 *
 * The shepherd listens at tasks/<name>.ctl, a socket that the launcher binds before it forks, so
 * that no order is sent too early. The launcher listens at tasks/notify. If no launcher listens,
 * the shepherd drops the notice, because all facts are also in the attempt's file. The directory is
 * private, so only processes of the same user can send.
 */
#pragma once

#include "armd/shepherd/user_cache.h"
#include "armd/spool/spool.h"
#include "proto/step_state.h"

/* Numbers never change: a shepherd may be of the previous release. */
enum control_kind {
	/* cause, grace_ms; a sealed memfd with a text for the owner of the task may be attached */
	CONTROL_KILL = 0x4c4c494b,
	CONTROL_RELEASE = 0x45534c52, /* the gated task may run its program */
	/*
	 * run an io stub; a sealed memfd with its payload is attached. cause: 1 + the number of the step, 0:
	 * none; grace_ms: its layer
	 */
	CONTROL_STEP = 0x50455453,
	CONTROL_SETTINGS = 0x54455320, /* a sealed memfd with a packed TaskSettings is attached */
	CONTROL_SIGNAL = 0x4c4e4753,   /* cause: the signal, as in an order of ORDER_SIGNAL */
	CONTROL_SIGNAL_STEP =
		0x50454753, /* cause: the signal, 0: end it; grace_ms: order_step_number() */
	CONTROL_TELL_STEPS = 0x4c4c4554, /* send a CONTROL_STEP_STATE for each step again */
};

struct control_order {
	uint32_t kind;
	uint32_t cause;   /* Armada__EndCause of the end that follows */
	int64_t grace_ms; /* negative: the task's own */
};

enum control_event {
	CONTROL_STARTED = 1,    /* the program runs */
	CONTROL_ENDED = 2,      /* the exit record is durable */
	CONTROL_READY = 3,      /* the gated task waits to be released */
	CONTROL_STUCK = 4,      /* the task survives SIGKILL; sent repeatedly */
	CONTROL_SHUTDOWN = 5,   /* without a task: the machine is shutting down (armd/shutdown.h) */
	CONTROL_LOG = 6,        /* a sentence for the log of armd */
	CONTROL_CACHE_USER = 7, /* the result of a user lookup */
	CONTROL_SETTINGS_SET = 8, /* text: the number of the settings that the task obeys now */
	CONTROL_USAGE = 9,        /* a struct task_usage: what the running task has used */
	CONTROL_STEP_STATE = 10,  /* a struct step_state: a step in the task runs, or has ended */
};

enum { CONTROL_TEXT = 256 };

/* A notice without a text ends before the member text, as in earlier releases. */
struct control_notice {
	uint32_t magic;
	uint32_t event;
	struct task_key key;
	/* of CONTROL_LOG and CONTROL_SETTINGS_SET; a struct cached_user of CONTROL_CACHE_USER,
	 * a struct task_usage of CONTROL_USAGE, a struct step_state of CONTROL_STEP_STATE */
	char text[CONTROL_TEXT];
};

enum { CONTROL_NOTICE_MAGIC = 0x4557454e };

/*
 * The socket of the launcher, and the socket of a new shepherd. Non-blocking. Return a descriptor
 * or an error.
 */
int control_listen(const struct spool *s, struct err *err);
int control_bind(const struct spool *s, const struct task_key *key, struct err *err);

void control_unlink(const struct spool *s, const struct task_key *key);
/* True if the socket exists. A shepherd removes its socket when it has cleaned up. */
bool control_exists(const struct spool *s, const struct task_key *key);

/*
 * Send an order to the shepherd of key. fd: a descriptor to attach, borrowed; -1: none. -EAGAIN:
 * try again later; -ECONNREFUSED, -ENOENT: no shepherd.
 */
int control_send(const struct spool *s, const struct task_key *key, const struct control_order *o,
		 int fd);
void control_notify(const struct spool *s, const struct task_key *key, enum control_event event);
void control_settings_set(const struct spool *s, const struct task_key *key, uint64_t number);
void control_send_log(const struct spool *s, const struct task_key *key, const char *text);
void control_cache_user(const struct spool *s, const struct task_key *key,
			const struct cached_user *u);
/* Dropped while the launcher is busy: the next figures follow. */
void control_send_usage(const struct spool *s, const struct task_key *key,
			const struct task_usage *u);
/* False: the launcher did not take it. */
bool control_send_step(const struct spool *s, const struct task_key *key,
		       const struct step_state *state);

/*
 * Returns 1 with a message, or 0 when no more have arrived. Invalid messages are skipped. *ret_fd:
 * the attached descriptor, owned by the caller; -1: none.
 */
int control_receive(int fd, struct control_order *ret_order, int *ret_fd);
int control_receive_notice(int fd, struct control_notice *ret_notice);
