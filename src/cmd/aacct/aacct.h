/* The command line of aacct. */
#pragma once

#include "client/connection.h"
#include "cmd/listing/job_rows.h"

/* What sums are made by; the order of the words of --by. */
enum aacct_by {
	AACCT_BY_USER,
	AACCT_BY_ACCOUNT,
	AACCT_BY_QUEUE,
	AACCT_BY_CLASS,
	AACCT_BY_DAY,
	AACCT_BY_LABEL
};

struct aacct {
	struct job_request which; /* first: see job_options.h */
	const char *start, *end;  /* as given; NULL: not given */
	int64_t start_us, end_us, now_us;
	bool truncate, all_users, usage, efficiency, own;
	int by; /* enum aacct_by */
	bool by_given;
	const char *label; /* of AACCT_BY_LABEL: its key */
};
