/*
 * Internal types of a net, for net.c (listening), dial.c (dialling), conn.c (life and input of a connection),
 * output.c (its output), turn.c (the order of messages) and auth.c (work on other threads).
 *
 * A connection that ends is put on the net's list of ended connections. The reaper, an event of its own,
 * frees it later, so that no callback uses a connection that is freed during the callback.
 */
#pragma once

#include "wire/address.h"
#include "wire/limits.h"
#include "wire/worker.h"

#include <event2/event.h>
#include <stdatomic.h>
#include <uthash.h>

enum { NET_CHUNK = 65536, NET_WORKERS = 3, LARGE_MESSAGE = 65536 };

struct auth_task;

enum conn_life {
	CONN_DIALLING, /* resolving the address, or connecting */
	CONN_HANDSHAKE,
	CONN_OPEN,
	CONN_FINISHING, /* the last bytes are sent, then it ends */
	CONN_LINGERING, /* waiting until the peer has read them and closes */
	CONN_ENDED,     /* on the reaper's list */
};

/* Reasons not to take messages of an open connection; bits of conn.blocked. */
enum conn_block {
	BLOCK_OUTPUT = 1, /* it has too much output */
	BLOCK_SHARED = 2, /* its user, or all users, have too much output, or too large records */
	BLOCK_LARGE = 4,  /* too many large messages are being received */
	BLOCK_RATE = 8,   /* too many requests in a second; until the timer */
	BLOCK_HELD = 16,  /* conn_hold */
};

struct conn {
	uint64_t id;
	struct net *net;
	int fd;
	enum conn_life life;
	struct session *session;
	struct event *read, *write, *timer;
	struct event *stall; /* does the peer read, and send the rest of a large message? */
	char address[ADDRESS_TEXT], local[ADDRESS_TEXT];
	struct handshake_use handshake;
	struct uid_use *use; /* NULL: not open, or an agent */
	unsigned blocked;    /* enum conn_block */
	bool is_agent;       /* counted in limits.agents */
	bool full;           /* an agent with output over output_soft */
	bool said_hello;     /* its first message has arrived */
	bool dirty;          /* on the flush list */
	bool waiting;        /* on net.waiting */
	bool large;          /* a large message may be received */
	bool ready;          /* in the list of its user: it has messages to deliver */
	size_t sent;         /* bytes of session_out that have left */
	size_t owed;         /* bytes of answers that are being prepared */
	size_t counted;      /* bytes of output that are counted for its user */
	int64_t committing;  /* bytes of records that are counted for its user */
	uint64_t sent_total,
		sent_goal; /* bytes that have left, and that must have at the next stall */
	int64_t large_since_us;
	TAILQ_ENTRY(conn) ready_entry, waiting_entry;
	struct auth_task *task;
	struct address *dial; /* addresses left to try */
	int dial_count, dial_next;
	char *why; /* for on_close; NULL: the peer closed the connection properly */
	struct conn *next_dirty, *next_ended;
	UT_hash_handle hh;
};

struct listener {
	struct net *net;
	struct event *event, *again;
	int fd;
	char *path; /* of a Unix socket, removed at the end */
	struct listener *next;
};

struct net {
	struct event_base *base;
	struct session_policy policy;
	const struct armada_auth_ops *auth;
	void *auth_handle;
	struct net_ops ops;
	void *arg;
	struct limits limits;
	struct kernel_unknown unknown; /* if the policy trusts the kernel */
	struct workers *workers;
	struct listener *listeners;
	struct conn *conns; /* by id */
	uint64_t last_id;
	struct event *flush, *reap;
	struct conn *dirty, *ended;
	struct event *turn, *resume;
	bool in_turn;          /* turn_on_event runs, and begins the next turn itself */
	unsigned full_agents;  /* connections with full */
	struct uid_use agents; /* the ready connections of agents, as if of one privileged user */
	TAILQ_HEAD(, uid_use) ring, privileged_ring; /* users with ready connections (turn.c) */
	TAILQ_HEAD(, conn) waiting; /* blocked by what others use: the longest wait first */
	struct buf
		refusal; /* the refusal for addresses with too many unauthenticated connections */
	uint8_t chunk[NET_CHUNK];
};

/* conn.c: fd -1 for one that is being dialled; then the kernel is not asked who the peer is. */
struct conn *conn_new(struct net *n, int fd);
void conn_free(struct conn *c);
/* Take over a connected socket: names, events, the handshake's timer. */
void conn_start(struct conn *c, int fd);
/* After bytes arrived or work was done: process everything that is complete. */
void conn_progress(struct conn *c);
void conn_set_timer(struct conn *c, uint32_t ms);
/* Read from the socket if messages may be taken. */
void conn_adjust(struct conn *c);
/* Stop or continue taking messages, for one reason. */
void conn_block(struct conn *c, enum conn_block why);
void conn_unblock(struct conn *c, enum conn_block why);
/* Deliver complete messages until the time; true if none is left or the connection is blocked. */
bool conn_deliver(struct conn *c, int64_t until_us);

/* output.c: send the output at the end of this iteration of the loop. */
void output_dirty(struct conn *c);
void output_flush(struct conn *c);
/* Count the output again after it grew or shrank, and block or unblock. */
void output_count(struct conn *c);
/* Check from now on that the peer reads, or sends the rest of a large message. */
void output_watch(struct conn *c);
void output_on_stall(evutil_socket_t fd, short what, void *conn);
void output_flush_all(evutil_socket_t fd, short what, void *net);

/* turn.c: the connection has messages to deliver; it has none, or it ends. */
void turn_add(struct conn *c);
void turn_remove(struct conn *c);
/* The user is about to become privileged. */
void turn_privilege(struct net *n, struct uid_use *u);
void turn_on_event(evutil_socket_t fd, short what, void *net);

/* shared.c: what connections of several users use together. */
void shared_wait(struct conn *c, enum conn_block why);
void shared_release(struct conn *c);
/* Something was given back: who waits may go on, in the next iteration of the loop. */
void shared_wake(struct net *n);
void shared_on_event(evutil_socket_t fd, short what, void *net);
/* Ask for the place of a large message, and give it back. */
void shared_large_begin(struct conn *c);
void shared_large_end(struct conn *c);

/* Loop events. */
void conn_reap_all(evutil_socket_t fd, short what, void *net);

/* auth.c: hand the session's blocking step to a worker; forget it when the connection ends. */
void auth_start(struct conn *c, const struct session_work *w);
void auth_forget(struct conn *c);
