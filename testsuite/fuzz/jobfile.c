/*
 * Input: a job file. An accepted file must be completed or refused by spec_finish() and joblist_order();
 * every refusal must have a message.
 */
#include "client/joblist.h"
#include "client/spec/finish.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 loses the text of a string that a syntax error cuts off. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct spec_defaults defaults = {.cpu_milli = 1000};
	CLEANUP_BUF struct buf text = {0};
	struct err err = {0};
	struct joblist l;
	int rc;

	buf_add(&text, data, size);
	buf_addstr(&text, "");
	joblist_init(&l);
	rc = joblist_parse(&l, "fuzz", (char *)text.data, &err);
	for (size_t i = 0; rc == 0 && i < l.count; i++) {
		rc = spec_finish(&l.jobs[i].spec, &defaults, &err);
		if (rc == 0 &&
		    (!l.jobs[i].spec.job.n_groups || !l.jobs[i].spec.job.groups[0]->replicas))
			abort();
	}
	if (rc == 0)
		rc = joblist_order(&l, &err);
	if (rc < 0 && !err.text[0])
		abort();
	joblist_done(&l);
	return 0;
}
