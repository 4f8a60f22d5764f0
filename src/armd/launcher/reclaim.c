/* What dead shepherds left in their tasks' containment, found by its name. */
#include "armd/launcher/reclaim.h"

#include "armd/launcher/live.h"
#include "armd/spool/attempt_name.h"
#include "util/log.h"
#include "util/mem.h"

#include <string.h>
#include <time.h>

enum { PASSES = 40, PAUSE_NS = 5000000, LEFT_MAX = 100000 };

/* Returns how many processes are still there, or a negative errno with the reason in text. */
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

bool launcher_reclaim(struct launcher *l, struct live *v)
{
	char name[ATTEMPT_CONTAIN_NAME];
	struct armada_error text = {{0}};
	int left;

	if (!l->contain->reclaim)
		return true;
	attempt_contain_name(&l->spool, &v->key, name);
	left = reclaim(l, name, &text);
	if (left != 0 && !v->told)
		log_warn("%s: %d processes of a task whose shepherd died do not end%s%s", name,
			 left > 0 ? left : 0, left < 0 ? ": " : "", left < 0 ? text.text : "");
	v->told = left != 0;
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
		log_notice("%s: what a task without a shepherd had left is removed", name);
	else
		log_warn("%s: what a task without a shepherd had left cannot be removed: %s", name,
			 left < 0 ? text.text : "its processes do not end");
}

/* A name may be met once for each hierarchy; the second time nothing is left of it. */
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
