#include "core/portion.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum {
	EVENTS_AT_ONCE = 2000,
	MEMORY_AT_ONCE = 32 << 20,
	WORK_AT_ONCE = 1000000,
};

bool portion_is_full(const struct core *c, int64_t work)
{
	return work > WORK_AT_ONCE || c->event_count >= EVENTS_AT_ONCE ||
	       arena_used(c->arena) > MEMORY_AT_ONCE;
}

void problem_add(struct core *c, char ***list, size_t *count, const char *format, ...)
{
	va_list ap;
	char *text;
	int len;

	if (*count == PROBLEMS_MAX)
		return;
	va_start(ap, format);
	len = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	text = arena_alloc(c->arena, (size_t)len + 1);
	va_start(ap, format);
	vsnprintf(text, (size_t)len + 1, format, ap);
	va_end(ap);
	if (!*list)
		*list = arena_alloc(c->arena, PROBLEMS_MAX * sizeof(**list));
	(*list)[(*count)++] = text;
}

const char *problem_job(struct core *c, const struct job *j, const struct element *e)
{
	return e && j->spec->array ? arena_printf(c->arena, "%" PRIu64 "_%" PRIu32, j->id, e->index)
				   : arena_printf(c->arena, "%" PRIu64, j->id);
}
