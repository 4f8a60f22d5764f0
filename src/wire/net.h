/*
 * Sessions on a libevent loop: listener, dialler, connection.
 *
 * The net owns its connections. Calls of the auth plugin run on its worker pool; callbacks always run on the
 * loop's thread. A closed connection is freed after on_close: keep its id, not its pointer. Output is
 * limited: if a peer does not read, conn_send still accepts messages, but reading from that peer stops until
 * its output is sent (back-pressure). Above the hard limit the connection is closed.
 *
 * Limits: an unauthenticated connection has 4 KiB and 5 s, and 64 of them may come from one source
 * address. A uid has a number of open connections, and a token bucket of requests.
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
};

/* 0 means the default in the comment. */
struct net_limits {
	uint32_t unauthenticated_per_address; /* 64 */
	uint32_t handshake_timeout_ms;        /* 5000 */
	uint32_t conns_per_uid;               /* 256; not for agents */
	uint32_t requests_per_second;         /* for one uid; 0: no limit */
	uint32_t requests_burst;              /* 0: as many as a second allows */
	size_t output_soft, output_hard;      /* 4 MiB, 64 MiB */
};

/* auth and its handle are borrowed. limits NULL: the defaults above. */
struct net *net_new(struct event_base *base, const struct session_policy *policy,
		    const struct armada_auth_ops *auth, void *auth_handle,
		    const struct net_limits *limits, const struct net_ops *ops, void *arg);
/* Closes every connection without on_close, joins the workers. */
void net_free(struct net *n);

/*
 * Listen on "host:port", "[v6]:port", ":port" (all local addresses) or "/path" (Unix socket, made
 * accessible to all users, since credentials authenticate them). Port 0: a free port; ret_port returns it.
 */
int net_listen(struct net *n, const char *address, uint16_t *ret_port, struct err *err);
void net_stop_listening(struct net *n);
/* Dial an address of the same forms. Returns the connection; on_open or on_close follows. */
struct conn *net_dial(struct net *n, const char *address);

uint64_t conn_id(const struct conn *c); /* never reused within a net */
struct conn *net_find(struct net *n, uint64_t id);
const struct session_peer *conn_peer(const struct conn *c);
const char *conn_address(const struct conn *c); /* of the peer, without port */
const char *conn_local_address(const struct conn *c);
void conn_send(struct conn *c, enum msg_type type, uint32_t request, const void *message);
void conn_send_packed(struct conn *c, enum msg_type type, uint32_t request, const uint8_t *body,
		      size_t len);
size_t conn_pending(const struct conn *c); /* bytes not yet sent */
/* on_close is called with why, from the loop. */
void conn_close(struct conn *c, const char *why);
/* As conn_close, after everything given to conn_send has been sent. */
void conn_close_after_send(struct conn *c, const char *why);
