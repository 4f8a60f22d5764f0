/* Kills the processes of dead shepherds' tasks, found by the name of their containment. */
#define LOG_AREA LOG_AREA_JOB
#include "armd/launcher/reclaim.h"

#include "armd/launcher/live.h"
#include "armd/spool/attempt_name.h"
#include "util/log.h"
#include "util/mem.h"

#include <string.h>
#include <time.h>

enum { PASSES = 40, PAUSE_NS = 5000000, LEFT_MAX = 100000 };

/* Returns the number of processes that remain, or a negative errno with the reason in text. */
static int reclaim(struct launcher *l, const char *name, struct armada_error *text)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	const struct armada_option_value *values = l->config->contain->values;
	int left = l->contain->reclaim(name, values, text);

	for (int pass = 0; left > 0 && pass < PASSES; pass++) {
		nanosleep(&pause, NULL);
		left = l->contain->reclaim(name, values, text);
	}
	return left;
}

bool launcher_reclaim(struct launcher *l, struct live_task *v)
{
	char name[ATTEMPT_CONTAIN_NAME];
	struct armada_error text = {{0}};
	int left;

	if (!l->contain->reclaim)
		return true;
	attempt_contain_name(&l->spool, &v->key, name);
	left = reclaim(l, name, &text);
	if (left != 0 && !v->left_logged)
		log_warn("%s: %d processes of a task whose shepherd died cannot be killed%s%s",
			 name, left > 0 ? left : 0, left < 0 ? ": " : "",
			 left < 0 ? text.text : "");
	v->left_logged = left != 0;
	return left == 0;
}

struct left {
	char **names;
	size_t count, cap;
};

static void found(void *arg, const char *name)
{
	struct left *list = arg;

	if (list->count == LEFT_MAX)
		return;
	GROW(list->names, list->cap, list->count + 1);
	list->names[list->count++] = xstrdup(name);
}

static void clean_one(struct launcher *l, const char *name)
{
	struct armada_error text = {{0}};
	struct task_key key;
	int left;

	if (attempt_parse_name(name + strlen(l->spool.contain_prefix), &key) &&
	    launcher_live_find(l, &key))
		return;
	left = reclaim(l, name, &text);
	if (left == 0)
		log_notice("%s: removed the remains of a task without a shepherd", name);
	else
		log_warn("%s: cannot remove the remains of a task without a shepherd: %s", name,
			 left < 0 ? text.text : "its processes cannot be killed");
}

/* A name may occur once in each hierarchy; the first call for it removes all of them. */
void launcher_reclaim_all(struct launcher *l)
{
	struct armada_error text = {{0}};
	struct left list = {0};

	if (!l->contain->find || !l->contain->reclaim)
		return;
	if (l->contain->find(l->spool.contain_prefix, l->config->contain->values, found, &list,
			     &text) < 0)
		log_warn("%s", text.text);
	for (size_t i = 0; i < list.count; i++) {
		clean_one(l, list.names[i]);
		free(list.names[i]);
	}
	free(list.names);
}
