/* What a task asks for of limits and does not get: said in the log of armd, whose hard limits they are. */
#include "armd/control.h"
#include "armd/shepherd_body.h"
#include "util/mem.h"
#include "util/rlimits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

void shepherd_say(struct shepherd *s, const char *fmt, ...)
{
	char text[CONTROL_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	control_say(s->task->spool, &s->task->order.key, text);
}

static const char *amount(const struct shepherd *s, uint64_t n)
{
	return n == RLIMIT_MOST || n == RLIM_INFINITY
		       ? "unlimited"
		       : arena_printf(s->arena, "%llu", (unsigned long long)n);
}

int shepherd_limits(struct shepherd *s)
{
	for (size_t i = 0; i < s->body->n_rlimits; i++) {
		const Armada__Rlimit *r = s->body->rlimits[i];
		int n = rlimit_find(r->name);
		struct rlimit limit;

		if (n >= 0 && task_limit(s->body, &rlimit_names[n], &limit) &&
		    limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < r->soft)
			shepherd_say(
				s,
				"tasks that ask for the limit %s of %s get %s: armd can give no more",
				r->name, amount(s, r->soft), amount(s, limit.rlim_cur));
	}
	return 0;
}
