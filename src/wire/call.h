/*
 * A session on a blocking socket, for commands and libarmada.
 *
 * Not for daemons. One thread at a time. Every wait is limited: timeout_ms applies to each call.
 */
#pragma once

#include "wire/session.h"
#include <armada/auth.h>

struct call;

/*
 * Connect (addresses as for net_listen), do the handshake, and return the open session. On failure a
 * negative errno, with ret_exit_code 75 if the controller did not answer (-EAGAIN and others), 4 if the check
 * of either end failed, and 1 otherwise.
 */
int call_open(struct call **ret_call, const char *address, const struct session_policy *policy,
	      const struct armada_auth_ops *auth, void *auth_handle, int timeout_ms,
	      int *ret_exit_code, struct err *err);
void call_close(struct call *c);

/*
 * Send a request and wait for the answer, decoded into arena. Returns 0 with ret_type and
 * ret_message set (an ERROR message is an answer too), or a negative errno: -ECONNRESET,
 * -ETIMEDOUT, -EAGAIN (the controller is busy: try again later), -EPERM (the controller ended the
 * session, as when its token was revoked); the connection is then unusable.
 */
int call_ask(struct call *c, enum msg_type type, const void *request, struct arena *arena,
	     int timeout_ms, enum msg_type *ret_type, void **ret_message, struct err *err);
/* The two halves, for pipelining: requests are numbered by the caller. */
int call_send(struct call *c, enum msg_type type, uint32_t request_id, const void *request,
	      struct err *err);
int call_receive(struct call *c, struct arena *arena, int timeout_ms, enum msg_type *ret_type,
		 uint32_t *ret_request_id, void **ret_message, struct err *err);

/* The socket, to poll while no message is complete. */
int call_fd(const struct call *c);
const struct session_peer *call_peer(const struct call *c);
/* The cluster's name, as sent by the controller. */
const char *call_cluster(const struct call *c);
