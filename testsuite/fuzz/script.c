/*
 * Input: a job script. It must be refused with a message, or give a job that spec_finish() can
 * complete.
 */
#include "client/script.h"
#include "client/spec/finish.h"
#include "util/buf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_say(int rc, const struct err *err)
{
	if (rc < 0 && !err->text[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct spec_defaults defaults = {.cpu_milli = 1000};
	CLEANUP_BUF struct buf text = {0};
	struct script_notes notes;
	struct err err = {0};
	struct spec s;
	int rc;

	buf_add(&text, data, size);
	must_say(script_check("fuzz.sh", (char *)text.data, text.len, &err), &err);
	spec_init(&s);
	err.text[0] = '\0';
	rc = script_directives(&s, "fuzz.sh", (char *)text.data, text.len, &notes, &err);
	if (rc == 0)
		rc = spec_wrap(&s, "true", &err);
	if (rc == 0)
		rc = spec_finish(&s, &defaults, &err);
	must_say(rc, &err);
	spec_done(&s);
	return 0;
}
