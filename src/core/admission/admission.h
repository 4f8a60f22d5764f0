/*
 * The admission of one job: the data that its checks share.
 */
#pragma once

#include "core/txn/txn.h"

struct admission {
	struct txn *txn;
	Armada__JobSpec *spec;
	const Armada__SubmitRequest *request;
	struct err *err;
	int code;
	bool unseen;      /* not checked against the nodes: admit_budget.h */
	unsigned changed; /* the changed fields of an updated job; 0: a submission */
	const char *user; /* the user of the job */
	bool free_time;   /* no maximum applies to its time limit */
	bool grows;       /* an update asks for more tasks: the nodes must hold all of them */
	size_t place;     /* of the job in the request */
};

/* Refuses with a sentence. The exit code is 1 unless a->code was set before. Returns -EINVAL. */
int admit_no(struct admission *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Formats an amount of a resource as users write it. */
void admit_amount(const char *resource, int64_t amount, char *out, size_t size);
