/*
 * A proved connection to the controller, for commands and libarmada.
 *
 * Errors are negative errno values with a meaning of their own, so that one table turns them into
 * exit codes: -EINVAL usage, -ENOENT not found, -EPERM not permitted, -EAGAIN nobody answered or
 * the connection broke (try again), anything else refused or failed.
 */
#pragma once

#include "conf/conf.h"
#include "proto/msg.h"

struct connection;

/*
 * Read armada.conf (NULL: $ARMADA_CONF, else the installed one), load the auth plugin. Does not
 * connect yet: connection_ask does, at need, and again after the connection broke.
 */
int connection_new(struct connection **ret_c, const char *conf_file, struct err *err);
void connection_free(struct connection *c);

const struct conf *connection_conf(const struct connection *c);

/*
 * Try each controller in order until one lets us in. -EAGAIN names every address with what went
 * wrong there, and how long it took.
 */
int connection_open(struct connection *c, struct err *err);
void connection_close(struct connection *c);

/*
 * Ask one thing and take only an answer of type want, decoded into arena. An ERROR answer is
 * returned as the errno of its code, with its text. timeout_ms 0: the usual minute; -1: no end.
 * ret_message: the address of a pointer to such a message.
 */
int connection_ask(struct connection *c, enum msg_type type, const void *request,
		   enum msg_type want, struct arena *arena, int timeout_ms, void *ret_message,
		   struct err *err);

/* The exit code for an errno of this file, and 0 for 0. */
int exit_code_of(int rc);

/* Milliseconds of CLOCK_MONOTONIC. */
int64_t steady_ms(void);
void sleep_ms(int64_t ms);
