/*
 * Requests about many jobs. The controller answers in pages; each page contains the id after which
 * the next one begins. The pages are fetched and added up, problems are printed as they arrive (but the last,
 * common/problems.h), and the progress is shown on a terminal.
 */
#pragma once

#include "client/connection.h"
#include "cmd/common/problems.h"

#include <stdint.h>

/* The contents of one page; pointers into the reply. */
struct page {
	uint64_t done, waiting, refused, denied;
	char *const *problems;
	size_t n_problems;
	Armada__JobRange *const *missing;
	size_t n_missing;
	uint64_t next_after_id; /* 0: this is the last page */
};

/* A kind of such a request. */
struct paged_request {
	enum msg_type request, reply;
	const char *doing; /* "updated", for the progress */
	const char *ended; /* added to "job 7 has ended" */
	uint64_t *(*after_id)(void *request);
	void (*read)(const void *reply, struct page *ret);
};

extern const struct paged_request paged_hold, paged_release, paged_requeue, paged_update,
	paged_preempt, paged_suspend, paged_resume;

/* The sums of all pages. */
struct tally {
	uint64_t done, waiting, refused, denied;
	int absent; /* -ENOENT, with the message in err: a named id does not exist */
	struct problems problems;
};

/* request must be a message of the kind. */
int paged_request_ask(struct connection *c, const struct paged_request *kind, void *request,
		      struct tally *ret_tally, struct err *err);
/* Returns -EPERM: some of the jobs belong to other users. */
int paged_request_denied(const struct tally *t, struct err *err);
/* Returns rc, the result of the caller, and prints the problem that is left. */
int paged_request_end(struct tally *t, int rc, struct err *err);
