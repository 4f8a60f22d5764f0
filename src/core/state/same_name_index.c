/* Jobs of one user and name, in the order of their ids. */
#include "core/state/write.h"

#include "core/state/same_name_index.h"
#include "core/state/state.h"

#include "util/mem.h"

static void make_key(struct buf *key, uint32_t uid, const char *name)
{
	buf_add(key, &uid, sizeof(uid));
	buf_addstr(key, name);
}

struct same_name *same_name_find(const struct state *state, uint32_t uid, const char *name)
{
	struct buf key CLEANUP_BUF = {0};
	struct same_name *n;

	make_key(&key, uid, name);
	HASH_FIND(hh, state->same_names, key.data, key.len, n);
	return n;
}

static struct same_name *obtain(struct state *state, uint32_t uid, const char *name)
{
	struct same_name *n = same_name_find(state, uid, name);
	struct buf key CLEANUP_BUF = {0};

	if (n)
		return n;
	make_key(&key, uid, name);
	n = xcalloc(1, sizeof(*n));
	TAILQ_INIT(&n->jobs);
	n->key = xmemdup(key.data, key.len);
	n->key_len = key.len;
	HASH_ADD_KEYPTR(hh, state->same_names, n->key, n->key_len, n);
	return n;
}

void same_name_join(struct state *state, struct job *j)
{
	struct same_name *n = obtain(state, j->user->uid, j->spec->name);
	struct job *before = TAILQ_LAST(&n->jobs, name_list);

	/* a new job has the highest id; only a renamed job needs the search */
	while (before && before->id > j->id)
		before = TAILQ_PREV(before, name_list, by_name);
	if (before)
		TAILQ_INSERT_AFTER(&n->jobs, before, j, by_name);
	else
		TAILQ_INSERT_HEAD(&n->jobs, j, by_name);
	j->same_name = n;
	n->count++;
}

void same_name_leave(struct state *state, struct job *j)
{
	struct same_name *n = j->same_name;

	if (!n)
		return;
	TAILQ_REMOVE(&n->jobs, j, by_name);
	j->same_name = NULL;
	n->count--;
	if (!TAILQ_EMPTY(&n->jobs))
		return;
	HASH_DEL(state->same_names, n);
	free(n->key);
	free(n);
}

bool same_name_is_first(const struct job *j)
{
	return TAILQ_FIRST(&j->same_name->jobs) == j;
}
