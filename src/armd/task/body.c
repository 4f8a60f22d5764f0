/* Reads the program's part of a launch order's body. */
#include "armd/task/body.h"

#include <stdbool.h>
#include <string.h>

int64_t task_body_amount(const Armada__TaskBody *body, const char *name)
{
	for (size_t i = 0; i < body->n_resources; i++)
		if (strcmp(body->resources[i]->name, name) == 0)
			return body->resources[i]->amount;
	return 0;
}

char **task_body_argv(const Armada__TaskBody *body, const char *script, struct arena *arena)
{
	size_t count = script ? 1 + body->n_args : body->n_argv, n = 0;
	char **argv = arena_zalloc(arena, count + 1, sizeof(*argv));

	if (script)
		argv[n++] = arena_strdup(arena, script);
	for (size_t i = 0; !script && i < body->n_argv; i++)
		argv[n++] = body->argv[i];
	for (size_t i = 0; script && i < body->n_args; i++)
		argv[n++] = body->args[i];
	return argv;
}

static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return strncmp(a, b, len + 1) == 0;
}

static bool overridden(const Armada__TaskBody *body, const char *entry)
{
	for (size_t i = 0; i < body->n_task_env; i++)
		if (same_name(entry, body->task_env[i]))
			return true;
	return false;
}

static size_t count_strings(const uint8_t *p, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += p[i] == '\0';
	return count;
}

/* Strings without a NUL at the end, and strings that are not NAME=value, are skipped. */
char **task_body_environment(const Armada__TaskBody *body, struct arena *arena)
{
	size_t max = count_strings(body->env.data, body->env.len) + body->n_task_env, n = 0;
	char **envp = arena_zalloc(arena, max + 1, sizeof(*envp));
	char *p = (char *)body->env.data, *end = p + body->env.len;

	for (char *nul; p < end && (nul = memchr(p, '\0', (size_t)(end - p))); p = nul + 1)
		if (*p != '=' && strchr(p, '=') && !overridden(body, p))
			envp[n++] = p;
	for (size_t i = 0; i < body->n_task_env; i++)
		envp[n++] = body->task_env[i];
	return envp;
}
