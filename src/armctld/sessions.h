/*
 * Connections: from the wire to the core's inputs, and back.
 *
 * A message is passed to the core only when the names and groups of its sender are known; earlier
 * messages wait, up to a limit. Messages to one connection are sent in order, also while an earlier
 * message is not complete (sessions_hold).
 */
#pragma once

#include "armctld/identity_cache.h"
#include "core/core.h"
#include "wire/net.h"

/* A node with more unsent orders than this takes no steps: a user must not make its connection end. */
enum { NODE_BUSY_BYTES = 16 << 20 };

struct sessions;

struct sessions_config {
	struct event_base *base;
	struct session_policy policy;
	const struct armada_auth_ops *auth; /* borrowed, as its handle */
	void *auth_handle;
	struct net_limits limits;
	struct identity_cache *identities; /* borrowed */
	/* Is this caller an administrator, to be served before others? */
	bool (*privileged)(void *arg, const struct caller *who);
	/* The token of this text, or of this number; NULL: refused, with a sentence, or gone. */
	const struct token *(*token)(void *arg, const char *text, struct err *err);
	const struct token *(*token_of)(void *arg, uint64_t number);
	/* May the gateway with this uid vouch for this caller? 0, or a refusal. */
	int (*vouches)(void *arg, uint32_t gateway_uid, const struct caller *who, struct err *err);
	/* MESSAGE and CLOSED, without their times. */
	void (*input)(void *arg, struct input *in);
	/* A request gets an error with this exit code. */
	void (*refused)(void *arg, int exit_code);
	void *arg;
};

struct sessions *sessions_new(const struct sessions_config *config);
void sessions_free(struct sessions *s);
/* Listen on the TCP address of the configuration, and on run_dir/armctld.sock. */
int sessions_listen(struct sessions *s, const struct conf *conf, struct err *err);
void sessions_stop_listening(struct sessions *s);

/*
 * Pass a message to the core again, with the results that it requested: EFFECT_FINISHED_JOBS, EFFECT_NAMES.
 */
void sessions_redeliver(struct sessions *s, const struct effect *e, const struct input *found);
/* Send to a connection; does nothing if it is closed. */
void sessions_send(struct sessions *s, uint64_t conn, enum msg_type type, uint32_t request,
		   const uint8_t *body, size_t len);
void sessions_error(struct sessions *s, uint64_t conn, uint32_t request, int code,
		    const char *text);
void sessions_close(struct sessions *s, uint64_t conn, const char *why);
/* End the sessions of tokens that are gone or have expired. O(1) if no session has a token. */
void sessions_check_tokens(struct sessions *s);
/* EFFECT_LOG of a message of its connection (log_peer.h). */
void sessions_log(struct sessions *s, const struct effect *e);
/* conn_owe of the connection; nothing if it is closed. */
void sessions_owe(struct sessions *s, uint64_t conn, int64_t bytes);
/* The same for conn_commit. */
void sessions_commit(struct sessions *s, uint64_t conn, int64_t bytes);
/* Hold messages from now on until sessions_release, which sends body first. */
void sessions_hold(struct sessions *s, uint64_t conn);
void sessions_release(struct sessions *s, uint64_t conn, enum msg_type type, uint32_t request,
		      const uint8_t *body, size_t len);
/* Bytes that are not sent yet, of all connections. */
size_t sessions_pending(struct sessions *s);
/* Bytes of one connection that are not sent yet; 0 if it is closed. */
size_t sessions_waiting(struct sessions *s, uint64_t conn);
bool sessions_is_open(struct sessions *s, uint64_t conn);
/* The binding of the session (wire/session.h); false: it is closed. */
bool sessions_binding(struct sessions *s, uint64_t conn, uint8_t ret_binding[32]);
/* For its counters and limits. */
const struct net *sessions_net(const struct sessions *s);
