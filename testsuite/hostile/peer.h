/*
 * A connection of the hostile client: its socket and its session, without the manners of call.h. The attack
 * decides when it sends and whether it reads.
 */
#pragma once

#include "conf/conf.h"
#include "plugin/plugin.h"
#include "wire/call.h"

/* The controller that is attacked, and the caller's means to prove its uid. */
struct target {
	struct conf *conf;
	struct plugin plugin;
	const struct armada_auth_ops *auth;
	void *auth_handle;
	struct session_policy policy;
	const char *address; /* of all connections; borrowed */
};

struct peer {
	int fd; /* -1: closed */
	struct session *session;
	unsigned index; /* of the connection, from 0 */
	uint64_t made;  /* requests that were packed */
};

/* Reads $ARMADA_CONF. address NULL: the Unix socket of armctld. A failure ends the program. */
void target_open(struct target *t, const char *address);
void target_close(struct target *t);
/* A polite connection with its handshake done; NULL with err set. */
struct call *target_call(const struct target *t, int timeout_ms, struct err *err);

/* Connects and says nothing: 0 or a negative errno. */
int peer_connect(struct peer *p, const struct target *t);
/* Connects and does the handshake. A failure leaves no connection; err has the controller's reason. */
int peer_open(struct peer *p, const struct target *t, int timeout_ms, struct err *err);
void peer_close(struct peer *p);
