/*
 * Internal types of a net, for net.c (listening), dial.c (dialling), conn.c (bytes in and out) and auth.c
 * (work on other threads).
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

enum { NET_CHUNK = 65536, NET_WORKERS = 3 };

struct auth_task;

enum conn_life {
	CONN_DIALLING, /* resolving the address, or connecting */
	CONN_HANDSHAKE,
	CONN_OPEN,
	CONN_FINISHING, /* the last bytes are sent, then it ends */
	CONN_LINGERING, /* waiting until the peer has read them and closes */
	CONN_ENDED,     /* on the reaper's list */
};

struct conn {
	uint64_t id;
	struct net *net;
	int fd;
	enum conn_life life;
	struct session *session;
	struct event *read, *write, *timer;
	char address[ADDRESS_TEXT], local[ADDRESS_TEXT];
	char key[ADDRESS_TEXT]; /* key for counting unauthenticated connections; "": not counted */
	bool counted_uid;       /* in limits, as of peer uid */
	bool paused;            /* reading stops until the output is sent */
	bool throttled;         /* reading stops until the timer: too many requests */
	bool more;              /* complete messages wait for the next iteration of the loop */
	bool dirty;             /* on the flush list */
	size_t sent;            /* bytes of session_out that have left */
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
	struct workers *workers;
	struct listener *listeners;
	struct conn *conns; /* by id */
	uint64_t last_id;
	struct event *flush, *reap;
	struct conn *dirty, *ended;
	struct buf
		refusal; /* the refusal for addresses with too many unauthenticated connections */
	uint8_t chunk[NET_CHUNK];
};

/* conn.c: fd -1 for one that is being dialled. */
struct conn *conn_new(struct net *n, int fd);
void conn_free(struct conn *c);
/* Take over a connected socket: names, events, the handshake's timer. */
void conn_start(struct conn *c, int fd);
/* After bytes arrived or work was done: process everything that is complete. */
void conn_progress(struct conn *c);
void conn_set_timer(struct conn *c, uint32_t ms);
/* Loop events. */
void conn_flush_all(evutil_socket_t fd, short what, void *net);
void conn_reap_all(evutil_socket_t fd, short what, void *net);

/* auth.c: hand the session's blocking step to a worker; forget it when the connection ends. */
void auth_start(struct conn *c, const struct session_work *w);
void auth_forget(struct conn *c);
