/*
 * Connections: from the wire to the core's inputs, and back.
 *
 * A message is given to the core only once its sender's names and groups are known; what arrives
 * before that waits, up to a limit. What is sent to one connection leaves in the order given, also
 * while an early one of its messages is still being completed (sessions_hold).
 */
#pragma once

#include "armctld/identity_cache.h"
#include "core/core.h"
#include "wire/conn.h"

struct sessions;

struct sessions_config {
	struct event_base *base;
	struct session_policy policy;
	const struct armada_auth_ops *auth; /* borrowed, as its handle */
	void *auth_handle;
	struct net_limits limits;
	struct identity_cache *identities; /* borrowed */
	/* MESSAGE and CLOSED, without their times. */
	void (*input)(void *arg, struct input *in);
	void *arg;
};

struct sessions *sessions_new(const struct sessions_config *config);
void sessions_free(struct sessions *s);
/* TCP as the conf says, and run_dir/armctld.sock. */
int sessions_listen(struct sessions *s, const struct conf *conf, struct err *err);
void sessions_stop_listening(struct sessions *s);

/* A message that the core wants to see again with what was found: EFFECT_PAST, EFFECT_NAMES. */
void sessions_redeliver(struct sessions *s, const struct effect *e, const struct input *found);
/* To a connection that may be gone by now: then nothing happens. */
void sessions_send(struct sessions *s, uint64_t conn, enum msg_type type, uint32_t request,
		   const uint8_t *body, size_t len);
void sessions_error(struct sessions *s, uint64_t conn, uint32_t request, int code,
		    const char *text);
void sessions_close(struct sessions *s, uint64_t conn, const char *why);
/* Keep back what is sent from now on until sessions_release, which sends body first. */
void sessions_hold(struct sessions *s, uint64_t conn);
void sessions_release(struct sessions *s, uint64_t conn, enum msg_type type, uint32_t request,
		      const uint8_t *body, size_t len);
/* Bytes that are still to leave, of all connections. */
size_t sessions_pending(struct sessions *s);
