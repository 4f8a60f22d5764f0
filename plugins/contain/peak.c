/* The peak memory of a task from samples, the group's own peak and the largest ended process (peak.h). */
#include "peak.h"

#include "cgroup.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void at_least(int64_t *value, int64_t least)
{
	if (*value < least)
		*value = least;
}

void peak_add(struct peak *p, const struct peak_sample *s)
{
	int64_t files = s->files > p->files ? s->files : p->files;

	p->group_known = s->group >= 0;
	if (p->group_known && s->group > p->group)
		at_least(&p->between, s->group - files);
	at_least(&p->group, p->group_known ? s->group : s->now);
	at_least(&p->sampled, s->processes);
	at_least(&p->mapped, s->mapped);
	p->files = s->files;
}

int64_t peak_of(const struct peak *p, int64_t largest, bool oom)
{
	int64_t between = p->group_known ? p->between : largest - p->mapped;
	int64_t peak = p->sampled;

	if (oom)
		at_least(&peak, p->group - p->files);
	at_least(&peak, between < largest ? between : largest);
	return peak;
}

bool peak_read(int dir, const char *file, const char *const *words, int64_t *ret, int count)
{
	char text[CGROUP_TEXT];

	memset(ret, 0, (size_t)count * sizeof(*ret));
	if (cgroup_read(dir, file, text) < 0)
		return false;
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
		for (int i = 0; i < count; i++) {
			size_t len = strlen(words[i]);

			if (strncmp(p, words[i], len) == 0 && p[len] == ' ')
				ret[i] = strtoll(p + len, NULL, 10);
		}
	return true;
}

int64_t peak_largest(void)
{
	struct rusage r;

	return getrusage(RUSAGE_CHILDREN, &r) < 0 ? 0 : (int64_t)r.ru_maxrss * 1024;
}
