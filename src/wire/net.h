/*
 * Sessions on a libevent loop: listener, dialler, connection.
 *
 * The net owns its connections. Calls of the auth plugin run on its worker pool; callbacks always run on the
 * loop's thread. A closed connection is freed after on_close: keep its id, not its pointer.
 *
 * Order: messages are delivered in turns. A turn lasts at most 10 ms; then the loop looks at all sockets and
 * timers again. Within a turn nodes and privileged users come first, then each user in rotation, then each
 * connection of that user in rotation, a millisecond at a time. So a user waits for the number of other busy
 * users, not for the number of their connections.
 *
 * Limits of output (back-pressure): conn_send always accepts a message, but no more requests are taken from a
 * connection while its output, with the answers that are being prepared (conn_owe), is over output_soft; nor
 * from any connection of a user whose output is over output_per_user; nor from any user while that of all is
 * over output_total; nor from any connection of a user of whose records more than commit_per_user are not yet
 * on disk, for the requests of others wait until they are. They are taken again below half of the limit. A
 * peer that does not read what waited for it within output_timeout is closed, and so is
 * a connection over output_hard.
 *
 * Other limits: a connection in its handshake has 4 KiB and 5 s. A number of them may come from one source
 * address; above it, the oldest that has said nothing is closed for a new one. A user has a
 * number of open connections, and a token bucket of requests. A message over 64 KiB is received only while
 * few others are; it waits in the socket for its turn.
 */
#pragma once

#include "wire/session.h"
#include <armada/auth.h>

struct event_base;
struct net;
struct conn;

struct net_ops {
	/* The session is open. */
	void (*on_open)(void *arg, struct conn *c, const struct session_peer *peer);
	/* body is borrowed for the call. */
	void (*on_message)(void *arg, struct conn *c, const struct msg_info *info, uint32_t request,
			   const uint8_t *body, size_t len);
	/*
	 * why: a sentence, or NULL if the peer closed the connection properly. Called for every
	 * connection, including those that were never open (failed connects, refused peers).
	 */
	void (*on_close)(void *arg, struct conn *c, const char *why);
	/*
	 * The client names a user to act for, in its handshake: conn_identified or conn_refuse follows, at
	 * once or later. The identity is borrowed for the call. NULL: no client may.
	 */
	void (*on_identity)(void *arg, struct conn *c, const struct session_peer *peer,
			    const struct session_identity *id);
};

/*
 * 0 means the default in the comment. Limits of users do not apply to agents. Limits of all users together do
 * not apply to privileged users.
 */
struct net_limits {
	uint32_t handshakes_per_address;      /* 64 */
	uint32_t handshakes;                  /* 1024, of all addresses */
	uint32_t handshake_timeout_ms;        /* 5000 */
	uint32_t conns_per_uid;               /* 256 */
	uint32_t conns;                       /* 16384, of all users */
	uint32_t agents;                      /* 16384 connections of agents */
	uint32_t requests_per_second;         /* for one uid; 0: no limit */
	uint32_t requests_burst;              /* 0: as many as a second allows */
	size_t output_soft, output_hard;      /* bytes of a connection: 1 MiB, 64 MiB */
	size_t output_per_user, output_total; /* bytes: 16 MiB, 128 MiB */
	size_t commit_per_user;               /* bytes: 2 MiB */
	uint32_t output_timeout_ms;           /* 30000; also for a large message to arrive */
	uint32_t large_per_user, large_total; /* messages over 64 KiB being received: 8, 32 */
};

/* The present use of the limits. */
struct net_use {
	uint32_t handshakes, conns, agents, large;
	size_t output;
};

struct net_user {
	uint32_t uid, conns;
	size_t output, commit;
};

/* auth and its handle are borrowed. limits NULL: the defaults above. */
struct net *net_new(struct event_base *base, const struct session_policy *policy,
		    const struct armada_auth_ops *auth, void *auth_handle,
		    const struct net_limits *limits, const struct net_ops *ops, void *arg);
/* Closes every connection without on_close, joins the workers. */
void net_free(struct net *n);

/*
 * Listen on "host:port", "[v6]:port", ":port" (all local addresses) or "/path" (Unix socket, made accessible
 * to all users, since credentials or the kernel authenticate them). Port 0: a free port; ret_port returns it.
 */
int net_listen(struct net *n, const char *address, uint16_t *ret_port, struct err *err);
void net_stop_listening(struct net *n);
/* Dial an address of the same forms. Returns the connection; on_open or on_close follows. */
struct conn *net_dial(struct net *n, const char *address);

void net_use(const struct net *n, struct net_use *ret_use);
/* Calls on_user for each user with open connections, in no order. */
void net_each_user(const struct net *n, void (*on_user)(void *arg, const struct net_user *u),
		   void *arg);
/*
 * The ids of the connections of agents for which more than so many bytes wait, at most size of them. Returns
 * their number. O(1) if none has output over output_soft, O(connections) otherwise.
 */
size_t net_busy_agents(const struct net *n, size_t bytes, uint64_t *ret_ids, size_t size);
const struct net_limits *net_limits(const struct net *n); /* with the defaults filled in */

uint64_t conn_id(const struct conn *c); /* never reused within a net */
struct conn *net_find(struct net *n, uint64_t id);
const struct session_peer *conn_peer(const struct conn *c);
/* The answer to on_identity: the client acts for this user from now on. token: its number, or 0. */
void conn_identified(struct conn *c, uint32_t uid, uint32_t gid, uint64_t token);
/* End the session; the peer gets the exit code and the sentence. */
void conn_refuse(struct conn *c, int exit_code, const char *why);
const char *conn_address(const struct conn *c); /* of the peer, without port */
const char *conn_local_address(const struct conn *c);
void conn_send(struct conn *c, enum msg_type type, uint32_t request, const void *message);
void conn_send_packed(struct conn *c, enum msg_type type, uint32_t request, const uint8_t *body,
		      size_t len);
size_t conn_pending(const struct conn *c); /* bytes not yet sent */
size_t conn_waiting(const struct conn *c); /* these, and the answers that are being prepared */
/*
 * Answers of about this many bytes are being prepared for the peer, or (negative) are sent or dropped now.
 * They count as output.
 */
void conn_owe(struct conn *c, int64_t bytes);
/* So many bytes of records are written to disk for the peer, or (negative) are written now. Also conn_owe. */
void conn_commit(struct conn *c, int64_t bytes);
/* Deliver no messages of this connection until conn_resume. */
void conn_hold(struct conn *c);
void conn_resume(struct conn *c);
/* The user of this connection is served before others, and outside of the limits of all users. */
void conn_privilege(struct conn *c);
/* on_close is called with why, from the loop. */
void conn_close(struct conn *c, const char *why);
/* As conn_close, after everything given to conn_send has been sent. */
void conn_close_after_send(struct conn *c, const char *why);
