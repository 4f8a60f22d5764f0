/*
 * Trying again while no controller answers, as long as the user allows: what asubmit and arun do
 * alike.
 */
#pragma once

#include "client/submit.h"
#include "cmd/common/command.h"

/* How one command tries again. */
struct retry {
	const struct command *who;
	int64_t for_ms; /* INT64_MAX: no end */
	bool quiet;     /* no warning at the first failure */
};

/* As connection_ask(). */
int retry_ask(const struct retry *r, struct connection *c, enum msg_type type, const void *request,
	      enum msg_type want, struct arena *arena, int timeout_ms, void *ret_message,
	      struct err *err);
/* Submit one job, always with the same key. Unless test_only is set, the reply has one id. */
int retry_submit(const struct retry *r, struct connection *c, struct spec *s, bool test_only,
		 struct arena *arena, const Armada__SubmitReply **ret_reply, struct err *err);
