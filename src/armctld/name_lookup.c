/* Looks up the users and groups that a request names, on a worker (name_lookup.h). */
#include "armctld/name_lookup.h"
#include "armctld/effects.h"
#include "armctld/user_database.h"
#include "util/mem.h"
#include "wire/worker.h"

#include <errno.h>

enum { EXIT_TRY_AGAIN = 75 };

struct lookup {
	struct worker_task task;
	struct ctld *ctld;
	struct arena *arena;
	struct effect effect;
	struct core_name *names;  /* the names of the effect */
	struct identity **people; /* of each user; NULL */
};

static void take_groups(struct core_name *n, struct identity **ret_id)
{
	struct identity *id = xcalloc(1, sizeof(*id));

	id->uid = n->id;
	id->refs = 1;
	identity_cache_look_up(n->id, id);
	n->gids = id->gids;
	n->groups = (const char *const *)id->groups;
	n->gid_count = id->gid_count;
	*ret_id = id;
}

static void work(struct worker_task *t)
{
	struct lookup *l = (struct lookup *)t;

	for (size_t i = 0; i < l->effect.name_count; i++) {
		struct core_name *n = &l->names[i];
		int rc = user_database_find(n->group, n->name, &n->id, NULL);

		n->known = rc == 0;
		n->failed = rc < 0 && rc != -ENOENT;
		if (n->known && !n->group)
			take_groups(n, &l->people[i]);
	}
}

static void lookup_free(struct lookup *l)
{
	for (size_t i = 0; i < l->effect.name_count; i++)
		identity_unref(l->people[i]);
	arena_free(l->arena);
	free(l);
}

static void done(struct worker_task *t)
{
	struct lookup *l = (struct lookup *)t;
	struct ctld *c = l->ctld;
	const struct input found = {.names = l->names, .name_count = l->effect.name_count};

	c->lookup_count--;
	sessions_owe(c->sessions, l->effect.conn, -effect_answer_size(&l->effect));
	if (!c->stopping)
		sessions_redeliver(c->sessions, &l->effect, &found);
	lookup_free(l);
}

/*
 * A separate thread: a thousand unknown names may keep a directory busy, while the other workers
 * look up connecting users.
 */
void name_lookup(struct ctld *c, const struct effect *e)
{
	struct lookup *l;

	if (c->stopping || c->lookup_count >= NAME_LOOKUPS) {
		sessions_error(c->sessions, e->conn, e->request, EXIT_TRY_AGAIN,
			       "too many names are being looked up: try again");
		return;
	}
	l = xcalloc(1, sizeof(*l));
	l->ctld = c;
	l->arena = arena_new(0);
	effect_copy(l->arena, e, &l->effect);
	l->names = arena_memdup(l->arena, l->effect.names, e->name_count * sizeof(*l->names));
	l->people = arena_zalloc(l->arena, e->name_count, sizeof(struct identity *));
	l->task = (struct worker_task){.run = work, .done = done};
	c->lookup_count++;
	sessions_owe(c->sessions, e->conn, effect_answer_size(e));
	workers_give(c->name_workers, &l->task);
}
