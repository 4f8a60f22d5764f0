/*
 * What a launcher and a shepherd tell each other, in datagrams between sockets in the spool.
 *
 * The shepherd listens at tasks/<name>.ctl, a socket that the launcher binds before it forks, so
 * that nothing is sent too early. The launcher listens at tasks/notify; a shepherd that finds nobody
 * there drops what it had to say, for all of it is also in the attempt's file. The directory is
 * private: whoever can send is who we are.
 */
#pragma once

#include "armd/shepherd/user_cache.h"
#include "armd/spool/spool.h"

/* Numbers are for ever: a shepherd may be of the release before. */
enum control_kind {
	CONTROL_KILL = 0x4c4c494b,    /* cause, grace_ms */
	CONTROL_RELEASE = 0x45534c52, /* the gated task may run its program */
	CONTROL_STEP =
		0x50455453, /* run the io stub too; a sealed memfd with its payload comes along */
	CONTROL_SIGNAL = 0x4c4e4753, /* cause: the signal, as in an order of ORDER_SIGNAL */
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
	CONTROL_STUCK = 4,      /* SIGKILL does not end the task; said again while that is so */
	CONTROL_SHUTDOWN = 5,   /* of no task: the machine is being shut down (armd/shutdown.h) */
	CONTROL_LOG = 6,        /* something for the log of armd */
	CONTROL_CACHE_USER = 7, /* the user has been looked up */
};

enum { CONTROL_TEXT = 256 };

/* Without a text it ends before it: so they all were once, and are yet. */
struct control_notice {
	uint32_t magic;
	uint32_t event;
	struct task_key key;
	char text[CONTROL_TEXT]; /* CONTROL_LOG; a struct cached_user of CONTROL_CACHE_USER */
};

enum { CONTROL_NOTICE_MAGIC = 0x4557454e };

/* The launcher's own socket; and one for a shepherd to be. Non-blocking. A descriptor or an error. */
int control_listen(const struct spool *s, struct err *err);
int control_bind(const struct spool *s, const struct task_key *key, struct err *err);

void control_unlink(const struct spool *s, const struct task_key *key);
/* Is it still there? A shepherd removes its own when it has cleaned up. */
bool control_exists(const struct spool *s, const struct task_key *key);

/*
 * Ask the shepherd of key; fd: what comes along, borrowed, -1: nothing. -EAGAIN: ask again later;
 * -ECONNREFUSED, -ENOENT: there is none.
 */
int control_send(const struct spool *s, const struct task_key *key, const struct control_order *o,
		 int fd);
void control_notify(const struct spool *s, const struct task_key *key, enum control_event event);
void control_send_log(const struct spool *s, const struct task_key *key, const char *text);
void control_cache_user(const struct spool *s, const struct task_key *key,
			const struct cached_user *u);

/*
 * 1, 0 when nothing (more) is there. What is not one of ours is skipped. *ret_fd: what came along,
 * the caller's now; -1: nothing.
 */
int control_receive(int fd, struct control_order *ret_order, int *ret_fd);
int control_receive_notice(int fd, struct control_notice *ret_notice);
