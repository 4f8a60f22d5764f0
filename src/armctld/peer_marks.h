/*
 * What the other controllers know as acknowledged: a controller that is about to lead asks for it, because
 * the copies of the store may have lost records that it never saw.
 */
#pragma once

#include "conf/conf.h"
#include "util/err.h"
#include <armada/auth.h>
#include <armada/replica.h>

struct call;

enum { PEER_MARKS = 16 };

/* Strings are borrowed. */
struct peers {
	const struct conf *conf;
	const char *host;
	const struct armada_auth_ops *auth;
	void *auth_handle;
};

struct peer_mark {
	const char *name;
	struct armada_replica_mark mark;
	struct err why; /* why it does not say what it knows; "": it does */
};

/* A session with controller i of armada.conf, as in call_open. */
int peer_call_open(struct call **ret_call, const struct peers *peers, size_t i, int timeout_ms,
		   struct err *err);
/*
 * Asks all others at the same time, and waits for 1.5 seconds at most. Returns the number of rows of list,
 * which has PEER_MARKS.
 */
size_t peer_marks_ask(const struct peers *peers, struct peer_mark *list);
