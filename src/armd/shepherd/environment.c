#include "armd/shepherd/environment.h"

#include <string.h>

void shepherd_environment_set(struct shepherd *s, const char *name, const char *value)
{
	Armada__TaskBody *b = s->body;
	char **list = arena_alloc(s->arena, (b->n_task_env + 1) * sizeof(*list));

	if (b->n_task_env)
		memcpy(list, b->task_env, b->n_task_env * sizeof(*list));
	list[b->n_task_env] = arena_printf(s->arena, "%s=%s", name, value);
	b->task_env = list;
	b->n_task_env++;
}

static size_t find(const Armada__TaskBody *b, const char *name)
{
	size_t len = strlen(name), i = 0;

	while (i < b->n_task_env &&
	       (strncmp(b->task_env[i], name, len) != 0 || b->task_env[i][len] != '='))
		i++;
	return i;
}

const char *shepherd_environment_entry(const Armada__TaskBody *b, const char *name)
{
	size_t i = find(b, name);

	return i < b->n_task_env ? b->task_env[i] : NULL;
}

void shepherd_environment_replace(struct shepherd *s, const char *name, const char *value)
{
	size_t i = find(s->body, name);

	if (i < s->body->n_task_env)
		s->body->task_env[i] = arena_printf(s->arena, "%s=%s", name, value);
}

void shepherd_environment_default(struct shepherd *s, const char *name, const char *value)
{
	const char *p = (const char *)s->body->env.data, *end = p + s->body->env.len;
	size_t len = strlen(name);

	for (const char *nul; p < end && (nul = memchr(p, '\0', (size_t)(end - p))); p = nul + 1)
		if (strncmp(p, name, len) == 0 && p[len] == '=')
			return;
	shepherd_environment_set(s, name, value);
}
