#include "armctld/names.h"
#include "util/mem.h"

#include <errno.h>

/* Requests whose names wait for a thread; each may hold as much as a message does. */
enum { LOOKUPS_MAX = 64, EXIT_TRY_AGAIN = 75 };

struct lookup {
	struct ctld *ctld;
	struct arena *arena;
	struct effect effect;
	struct core_name *names;  /* those of the effect */
	struct identity **people; /* of each user; NULL */
};

static void take_groups(struct core_name *n, struct identity **ret_id)
{
	struct identity *id = xcalloc(1, sizeof(*id));

	id->uid = n->id;
	id->refs = 1;
	callers_look_up(n->id, id);
	n->gids = id->gids;
	n->groups = (const char *const *)id->groups;
	n->gid_count = id->gid_count;
	*ret_id = id;
}

static void work(void *arg)
{
	struct lookup *l = arg;

	for (size_t i = 0; i < l->effect.name_count; i++) {
		struct core_name *n = &l->names[i];
		int rc = n->group ? policy_find_group(n->name, &n->id, NULL)
				  : policy_find_user(n->name, &n->id, NULL);

		n->known = rc == 0;
		n->failed = rc < 0 && rc != -ENOENT;
		if (n->known && !n->group)
			take_groups(n, &l->people[i]);
	}
}

static void done(void *arg)
{
	struct lookup *l = arg;
	const struct input found = {.names = l->names, .name_count = l->effect.name_count};

	l->ctld->lookups--;
	if (!l->ctld->stopping)
		sessions_again(l->ctld->sessions, &l->effect, &found);
	for (size_t i = 0; i < l->effect.name_count; i++)
		identity_unref(l->people[i]);
	arena_free(l->arena);
	free(l);
}

void names_look_up(struct ctld *c, const struct effect *e)
{
	struct lookup *l;

	if (c->stopping || c->lookups >= LOOKUPS_MAX) {
		sessions_error(c->sessions, e->conn, e->request, EXIT_TRY_AGAIN,
			       "too many names are being looked up: try again");
		return;
	}
	l = xcalloc(1, sizeof(*l));
	l->ctld = c;
	l->arena = arena_new(0);
	l->effect = *e;
	l->effect.body = arena_memdup(l->arena, e->body, e->len);
	l->names = arena_memdup(l->arena, e->names, e->name_count * sizeof(*l->names));
	for (size_t i = 0; i < e->name_count; i++)
		l->names[i].name = arena_strdup(l->arena, e->names[i].name);
	l->people = arena_zalloc(l->arena, e->name_count, sizeof(struct identity *));
	c->lookups++;
	pool_run(c->pool, work, done, l);
}
