/*
 * One job's way through admission: what its checks share.
 */
#pragma once

#include "core/txn/txn.h"

struct admission {
	struct txn *txn;
	Armada__JobSpec *spec;
	const Armada__SubmitRequest *request;
	struct err *err;
	int code;
	bool unseen;      /* the nodes are not asked about it: admit_budget.h */
	unsigned changed; /* of a job that is updated: which fields */
	const char *user; /* whose it is */
};

/* Refuse with a sentence; the exit code is 1 unless a->code was set before. Returns -EINVAL. */
int admit_no(struct admission *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An amount of a resource in words, as people write it. */
void admit_amount(const char *resource, int64_t amount, char *out, size_t size);
