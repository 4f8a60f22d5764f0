#define LOG_AREA LOG_AREA_SCHED
#include "armctld/faults.h"
#include "util/log.h"
#include "util/mem.h"

#include <stdbool.h>
#include <string.h>

#define MINUTE_US INT64_C(60000000)

void faults_done(struct faults *f)
{
	free(f->text);
	*f = (struct faults){0};
}

/* Compare the prefixes of faults: "plugin KIND/NAME: description". */
static bool same_plugin(const char *a, const char *b)
{
	size_t n = strcspn(a, ":");

	return strcspn(b, ":") == n && memcmp(a, b, n) == 0;
}

void faults_note(struct faults *f, const char *fault, int64_t steady_us)
{
	if (!fault) {
		if (f->text)
			log_notice("scheduling rounds work again, after: %s", f->text);
		faults_done(f);
		return;
	}
	if (f->text && same_plugin(f->text, fault) &&
	    (strcmp(f->text, fault) == 0 || steady_us - f->logged_us < MINUTE_US))
		return;
	log_error("a scheduling round made no decisions: %s", fault);
	free(f->text);
	f->text = xstrdup(fault);
	f->logged_us = steady_us;
}
