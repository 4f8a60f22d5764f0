/*
 * Input: a job file. An accepted file must be completed or refused by spec_finish(); every refusal
 * must have a message.
 */
#include "client/jobfile.h"
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
	struct spec spec;
	int rc;

	buf_add(&text, data, size);
	buf_addstr(&text, "");
	spec_init(&spec);
	rc = jobfile_parse(&spec, "fuzz", (char *)text.data, &err);
	if (rc == 0)
		rc = spec_finish(&spec, &defaults, &err);
	if (rc < 0 && !err.text[0])
		abort();
	if (rc == 0 && (!spec.job.n_groups || !spec.job.groups[0]->replicas))
		abort();
	spec_done(&spec);
	return 0;
}
