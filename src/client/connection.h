/*
 * An authenticated connection to the controller, for commands and libarmada.
 *
 * Errors are negative errno values with these meanings; one table turns them into exit codes:
 * -EINVAL usage error, -ENOENT not found, -EPERM permission denied, -EAGAIN no controller answered
 * or the connection broke (try again), any other value: refused or failed.
 */
#pragma once

#include "conf/conf.h"
#include "proto/msg.h"

struct connection;

/*
 * Reads armada.conf (NULL: $ARMADA_CONF, else the installed one). Does not connect: connection_ask()
 * connects if needed, also after the connection broke, and loads the auth plugin if a credential is
 * needed. With a token in
 * $ARMADA_TOKEN it acts for the user of that token.
 */
int connection_new(struct connection **ret_c, const char *conf_file, struct err *err);
/*
 * Another connection with the configuration and the plugin of `other`, which must live longer; without its
 * token. Several threads may have one each.
 */
struct connection *connection_like(const struct connection *other);
void connection_free(struct connection *c);

/*
 * Act for another user in every session from now on: the user of a token, or one for whom this process may
 * vouch (gateways in armada.conf). The identity of an open session never changes.
 */
void connection_use_token(struct connection *c, const char *token);
void connection_vouch(struct connection *c, uint32_t uid);

/* The uid that an open session acts for. */
uint32_t connection_uid(const struct connection *c);

const struct conf *connection_conf(const struct connection *c);

/*
 * Tries each controller in order until one accepts the connection. The message of -EAGAIN names
 * every address with its error, and how long it took.
 */
int connection_open(struct connection *c, struct err *err);
/*
 * For every later connection of this process: called when a request that only reads (msg_only_reads) goes
 * to a standby, because no controller leads: the answer may be lag_ms old.
 */
typedef void connection_standby_fn(void *arg, const char *name, int64_t lag_ms);
void connection_on_standby(connection_standby_fn *fn, void *arg);
void connection_close(struct connection *c);

/*
 * Sends a request and waits for a reply of type want, which is decoded into arena. An ERROR reply
 * is returned as the errno of its code, with its text. timeout_ms 0: one minute; -1: no limit.
 * ret_message: the address of a pointer to such a message.
 */
int connection_ask(struct connection *c, enum msg_type type, const void *request,
		   enum msg_type want, struct arena *arena, int timeout_ms, void *ret_message,
		   struct err *err);

/*
 * The halves of connection_ask, for answers that come again and again. Requests are numbered by the caller.
 * After an error other than -ETIMEDOUT of receive the connection is closed.
 */
int connection_send(struct connection *c, enum msg_type type, uint32_t request, const void *message,
		    struct err *err);
int connection_receive(struct connection *c, struct arena *arena, int timeout_ms,
		       enum msg_type *ret_type, uint32_t *ret_request, void **ret_message,
		       struct err *err);
/* The socket, to poll; -1: not connected. */
int connection_fd(const struct connection *c);
/* The errno of the code of an ERROR, with its text. */
int connection_error(const Armada__ErrorReply *m, struct err *err);

/* The exit code for an errno of this file, and 0 for 0. */
int exit_code_of(int rc);

/* Milliseconds of CLOCK_MONOTONIC. */
int64_t steady_ms(void);
void sleep_ms(int64_t ms);
