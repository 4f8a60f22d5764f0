/*
 * A request about many jobs is answered in parts: each says how far it came, and the next goes on from
 * there. Here the parts are asked for and added up; problems are told as they come, and a terminal how
 * far it is.
 */
#pragma once

#include "client/connection.h"

#include <stdint.h>

/* What one part says; pointers into the reply. */
struct part {
	uint64_t done, waiting, refused, denied;
	char *const *problems;
	size_t n_problems;
	Armada__JobRange *const *missing;
	size_t n_missing;
	uint64_t next_after_id; /* 0: it was the last */
};

/* A row of the table of such requests. */
struct paged_request {
	enum msg_type request, reply;
	const char *doing; /* "updated", for the progress */
	const char *ended; /* what is added to "job 7 has ended" */
	uint64_t *(*after_id)(void *request);
	void (*read)(const void *reply, struct part *ret);
};

extern const struct paged_request paged_hold, paged_release, paged_requeue, paged_update,
	paged_preempt;

/* All parts together. */
struct tally {
	uint64_t done, waiting, refused, denied;
	int absent; /* -ENOENT, with the sentence in err: an id that was named is not there */
};

/* The request must be of the kind. */
int paged_request_ask(struct connection *c, const struct paged_request *kind, void *request,
		      struct tally *ret_tally, struct err *err);
/* -EPERM: some of them are not the caller's. */
int paged_request_denied(const struct tally *t, struct err *err);
