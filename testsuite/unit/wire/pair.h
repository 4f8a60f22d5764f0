/*
 * Two sessions back to back in memory, and an auth plugin whose credentials are plain text: for the
 * tests, fuzzers and benches of the wire. Nothing outside of testsuite links it.
 */
#pragma once

#include "wire/session.h"
#include <armada/auth.h>

/* Handle of fake_auth: who this end is, and how its calls shall fail. */
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

/* A server of uid 900 and a client of uid 1000 that agree on everything; change it before pair_run. */
struct session_policy pair_server_policy(void);
struct session_policy pair_client_policy(void);
void pair_init(struct pair *p, const struct session_policy *server,
	       const struct session_policy *client);
void pair_done(struct pair *p);
/* Carry bytes and do work until nothing moves any more. */
void pair_run(struct pair *p);
/* What session a has to say is fed to b, at most chunk bytes at a time. */
void pair_carry(struct session *a, struct session *b, size_t chunk);
/* Do the work of one end if it has any. */
bool pair_work(struct session *s, struct fake_auth *auth);
