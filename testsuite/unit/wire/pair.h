/*
 * Two sessions that are connected in memory, and an auth plugin whose credentials are plain text,
 * for the tests, fuzzers and benches of the wire.
 */
#pragma once

#include "wire/session.h"
#include <armada/auth.h>

/* The handle of fake_auth: the user of this end, and the errors that its calls return. */
struct fake_auth {
	uint32_t uid, gid;
	int encode_fails, decode_fails; /* negative errno; 0: they work */
	unsigned delay_ms;              /* how long each call blocks */
};
extern const struct armada_auth_ops fake_auth_ops;

struct pair {
	struct session *server, *client;
	struct fake_auth server_auth, client_auth;
};

/*
 * The policies of a server of uid 900 and a client of uid 1000 that accept each other. A test may
 * change them.
 */
struct session_policy pair_server_policy(void);
struct session_policy pair_client_policy(void);
void pair_init(struct pair *p, const struct session_policy *server,
	       const struct session_policy *client);
void pair_done(struct pair *p);
/* Carries bytes and does the work of both ends until nothing is left to do. */
void pair_run(struct pair *p);
/* Carries the output of session a to b, at most chunk bytes at a time. */
void pair_carry(struct session *a, struct session *b, size_t chunk);
/* Does the pending work of one end; false if there is none. */
bool pair_work(struct session *s, struct fake_auth *auth);
