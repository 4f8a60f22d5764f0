/*
 * Rows of actl show limits (limit_rows.h).
 *
 * Input: bounds, and the values of users in any order. Output: the rows of a LimitsReply in an
 * arena, with the users of the highest values first. Caveat: a row holds at most LIMIT_USERS
 * users, so a value is compared only with theirs.
 */
#include "core/view/limit_rows.h"

#include <string.h>

Armada__LimitUse *limit_row(Armada__LimitsReply *r, struct arena *a, const char *name,
			    const char *scope, const char *option, int64_t bound)
{
	Armada__LimitUse **rows = arena_alloc(a, (r->n_rows + 1) * sizeof(*rows));
	Armada__LimitUse *row = arena_alloc(a, sizeof(*row));

	/* the table is short, and the rows of a message that was unpacked have no room for more */
	if (r->n_rows)
		memcpy(rows, r->rows, r->n_rows * sizeof(*rows));
	r->rows = rows;
	armada__limit_use__init(row);
	row->name = (char *)name;
	row->scope = (char *)scope;
	row->option = (char *)option;
	row->bound = (uint64_t)bound;
	row->users = arena_alloc(a, LIMIT_USERS * sizeof(*row->users));
	r->rows[r->n_rows++] = row;
	return row;
}

void limit_row_used(Armada__LimitUse *row, uint64_t used)
{
	row->known = true;
	row->used = used;
}

static bool may_see(const struct limit_viewer *v, const struct limit_user *u)
{
	if (v->all)
		return true;
	return u->name ? v->user && strcmp(v->user, u->name) == 0 : v->uid == u->uid;
}

void limit_row_user(Armada__LimitUse *row, struct arena *a, const struct limit_viewer *viewer,
		    const struct limit_user *user)
{
	Armada__UserUse *m;
	size_t at = row->n_users;

	if (!user->used || !may_see(viewer, user))
		return;
	if (user->used > row->used)
		limit_row_used(row, user->used);
	while (at > 0 && row->users[at - 1]->used < user->used)
		at--;
	if (at == LIMIT_USERS)
		return;
	row->n_users += row->n_users < LIMIT_USERS;
	memmove(&row->users[at + 1], &row->users[at],
		(row->n_users - at - 1) * sizeof(*row->users));
	m = arena_alloc(a, sizeof(*m));
	armada__user_use__init(m);
	if (user->name)
		m->user = (char *)user->name;
	m->uid = user->uid;
	m->used = user->used;
	row->users[at] = m;
}
