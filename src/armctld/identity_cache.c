/*
 * Looks up names and groups of uids on worker threads and caches them (identity_cache.h). Input: a
 * uid. Output: a shared identity, by a call on the loop. Failed lookups are not cached. Requests
 * for a uid whose lookup is in progress wait for it. A user with too many groups counts as failed,
 * because rights may depend on any group.
 */
#include "armctld/identity_cache.h"
#include "util/mem.h"
#include "wire/worker.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <uthash.h>

enum { NAME_ROOM = 1 << 16, GROUPS_MAX = 65536 };

struct waiter {
	struct waiter *next;
	identity_answer_fn *answer;
	void *arg;
	uint64_t conn;
};

struct entry {
	struct worker_task task; /* the lookup; first member, so that it can be cast */
	UT_hash_handle hh;
	uint32_t uid;
	struct identity_cache *owner;
	struct identity *known; /* NULL: no result yet */
	int64_t expires_us;
	int64_t asked_us;
	struct identity *fresh; /* the result while the worker fills it in */
	struct waiter *waiters; /* not empty: a lookup is in progress */
};

struct identity_cache {
	struct workers *workers;
	int64_t ttl_us;
	identity_lookup_fn *lookup;
	struct entry *entries;
};

struct identity *identity_ref(struct identity *id)
{
	id->refs++;
	return id;
}

void identity_unref(struct identity *id)
{
	if (!id || --id->refs)
		return;
	for (size_t i = 0; i < id->gid_count; i++)
		free(id->groups[i]);
	free(id->groups);
	free(id->gids);
	free(id->user);
	free(id);
}

static char *group_name(gid_t gid, char *room)
{
	struct group gr, *found = NULL;

	if (getgrgid_r(gid, &gr, room, NAME_ROOM, &found) == 0 && found)
		return xstrdup(found->gr_name);
	return xasprintf("%u", gid);
}

static void look_up_groups(const char *user, gid_t primary, struct identity *id, char *room)
{
	int count = 64;
	gid_t *gids = xcalloc(count, sizeof(*gids));

	while (getgrouplist(user, primary, gids, &count) < 0 && count <= GROUPS_MAX)
		gids = xreallocarray(gids, count, sizeof(*gids));
	/* A truncated list would change rights: fail instead. */
	id->failed = count > GROUPS_MAX;
	if (id->failed)
		count = 0;
	id->gids = xcalloc(count + 1, sizeof(*id->gids));
	id->groups = xcalloc(count + 1, sizeof(*id->groups));
	for (int i = 0; i < count; i++) {
		id->gids[i] = gids[i];
		id->groups[i] = group_name(gids[i], room);
	}
	id->gid_count = count;
	free(gids);
}

void identity_cache_look_up(uint32_t uid, struct identity *id)
{
	CLEANUP_FREE char *room = xmalloc(NAME_ROOM);
	struct passwd pw, *found = NULL;
	int rc = getpwuid_r(uid, &pw, room, NAME_ROOM, &found);
	gid_t primary;

	if (!found) {
		id->failed = rc != 0 && rc != ENOENT && rc != ESRCH;
		return;
	}
	id->user = xstrdup(found->pw_name);
	id->gid = primary = found->pw_gid;
	look_up_groups(id->user, primary, id, room);
}

static void work(struct worker_task *t)
{
	struct entry *e = (struct entry *)t;

	e->owner->lookup(e->uid, e->fresh);
}

static void done(struct worker_task *t)
{
	struct entry *e = (struct entry *)t;
	struct waiter *w = e->waiters, *next;
	struct identity *id = e->fresh;

	e->fresh = NULL;
	e->waiters = NULL;
	identity_unref(e->known);
	e->known = id;
	e->expires_us = id->failed ? 0 : e->asked_us + e->owner->ttl_us;
	identity_ref(id);
	for (; w; w = next) {
		next = w->next;
		w->answer(w->arg, w->conn, id);
		free(w);
	}
	identity_unref(id);
}

struct identity_cache *identity_cache_new(struct workers *workers, int64_t ttl_us,
					  identity_lookup_fn *lookup)
{
	struct identity_cache *c = xcalloc(1, sizeof(*c));

	c->workers = workers;
	c->ttl_us = ttl_us;
	c->lookup = lookup ? lookup : identity_cache_look_up;
	return c;
}

void identity_cache_free(struct identity_cache *c)
{
	struct entry *e, *next;

	if (!c)
		return;
	HASH_ITER (hh, c->entries, e, next) {
		HASH_DEL(c->entries, e);
		identity_unref(e->known);
		free(e);
	}
	free(c);
}

static struct entry *entry_of(struct identity_cache *c, uint32_t uid)
{
	struct entry *e;

	HASH_FIND(hh, c->entries, &uid, sizeof(uid), e);
	if (e)
		return e;
	e = xcalloc(1, sizeof(*e));
	e->uid = uid;
	e->owner = c;
	HASH_ADD(hh, c->entries, uid, sizeof(e->uid), e);
	return e;
}

void identity_cache_get(struct identity_cache *c, uint32_t uid, int64_t now_us,
			identity_answer_fn *answer, void *arg, uint64_t conn)
{
	struct entry *e = entry_of(c, uid);
	struct waiter *w, **end = &e->waiters;
	bool looking = e->waiters != NULL;

	if (e->known && now_us < e->expires_us) {
		answer(arg, conn, e->known);
		return;
	}
	w = xcalloc(1, sizeof(*w));
	w->answer = answer;
	w->arg = arg;
	w->conn = conn;
	while (*end)
		end = &(*end)->next;
	*end = w;
	if (looking)
		return;
	e->asked_us = now_us;
	e->fresh = xcalloc(1, sizeof(*e->fresh));
	e->fresh->uid = uid;
	e->fresh->refs = 1;
	e->task = (struct worker_task){.run = work, .done = done};
	workers_give(c->workers, &e->task);
}
