/*
 * The users of the gateway: one session with the controller for each, and its limits.
 *
 * A user is known by a token, or by the kernel's word about the peer of the Unix socket. The session acts for
 * that user, which the controller checks in its handshake and which never changes. A session is used by one
 * exchange at a time. The oldest idle one is closed for a new user.
 */
#pragma once

#include "client/connection.h"

#include <stdbool.h>
#include <stdint.h>

struct rest;
struct rest_user;
struct users;

/* Who makes a request. */
struct rest_caller {
	const char *token; /* NULL: the peer of the Unix socket */
	uint32_t uid;
};

struct users *users_new(struct rest *rest);
void users_free(struct users *u);
/*
 * The session of the caller, for this thread alone until users_give. -EAGAIN: too many users at once, or this
 * one makes too many requests; *ret_wait_s: when to try again, 0: it is not the caller's fault. -EACCES: the
 * controller does not accept the caller.
 */
int users_take(struct users *u, const struct rest_caller *who, struct rest_user **ret_user,
	       unsigned *ret_wait_s, struct err *err);
void users_give(struct users *u, struct rest_user *user);
struct connection *users_connection(struct rest_user *user);
/* A connection of its own, for a stream; bounded for each user and for all. -EAGAIN: too many. */
int users_stream(struct users *u, const struct rest_caller *who, struct connection **ret_c,
		 struct err *err);
void users_stream_end(struct users *u, const struct rest_caller *who, struct connection *c);
