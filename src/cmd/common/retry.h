/*
 * Sends a request again while no controller answers, for as long as --retry-for allows. asubmit and
 * arun use it.
 */
#pragma once

#include "client/submit.h"
#include "cmd/common/command.h"

/* How long a command retries. */
struct retry {
	const struct command *command; /* for warnings */
	int64_t for_ms;                /* INT64_MAX: no limit */
	bool quiet;                    /* no warning at the first retry */
	const char *submit_key;        /* the name of the submission; NULL: none */
};

/* Like connection_ask(), with retries. */
int retry_ask(const struct retry *r, struct connection *c, enum msg_type type, const void *request,
	      enum msg_type want, struct arena *arena, int timeout_ms, void *ret_message,
	      struct err *err);
/*
 * Submits jobs, all or none. All tries use the same key, so that the jobs are submitted once even if
 * a reply was lost. Unless test_only is set, the reply has exactly one id for each.
 */
int retry_submit(const struct retry *r, struct connection *c, struct spec *const *specs,
		 size_t count, bool test_only, struct arena *arena,
		 const Armada__SubmitReply **ret_reply, struct err *err);
