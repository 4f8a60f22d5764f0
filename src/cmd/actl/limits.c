/*
 * actl show limits: the bounds of what users make the controller keep, and what is used of them.
 *
 * Input: the rows of the controller. Output: a listing. Caveat: the controller may name a user by
 * the uid only; the name is looked up here, on the machine of the command.
 */
#include "cmd/actl/limits.h"

#include "util/mem.h"
#include "util/units.h"

#include <inttypes.h>
#include <pwd.h>
#include <sys/types.h>

enum { NAME_ROOM = 16384 };

#define ROW(row) ((const Armada__LimitUse *)(row))

static void amount_text(const Armada__LimitUse *r, uint64_t amount, struct buf *out)
{
	char text[32];

	if (!r->bytes) {
		buf_addf(out, "%" PRIu64, amount);
		return;
	}
	format_size((int64_t)amount, text, sizeof(text));
	buf_addstr(out, text);
}

static void used_text(const void *row, struct buf *out)
{
	if (ROW(row)->known)
		amount_text(ROW(row), ROW(row)->used, out);
	else
		buf_addstr(out, "-");
}

static json_t *used_json(const void *row)
{
	return ROW(row)->known ? json_integer((json_int_t)ROW(row)->used) : json_null();
}

static void bound_text(const void *row, struct buf *out)
{
	if (ROW(row)->bound)
		amount_text(ROW(row), ROW(row)->bound, out);
	else
		buf_addstr(out, "none");
}

static json_t *bound_json(const void *row)
{
	return ROW(row)->bound ? json_integer((json_int_t)ROW(row)->bound) : json_null();
}

static void user_name(const Armada__UserUse *u, struct buf *out)
{
	char text[NAME_ROOM];
	struct passwd pw, *found = NULL;

	if (!u->user[0])
		getpwuid_r(u->uid, &pw, text, sizeof(text), &found);
	if (u->user[0] || found)
		buf_addstr(out, found ? pw.pw_name : u->user);
	else
		buf_addf(out, "%" PRIu32, u->uid);
}

static void users_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_users; i++) {
		buf_addstr(out, i ? "," : "");
		user_name(ROW(row)->users[i], out);
		buf_addc(out, '=');
		amount_text(ROW(row), ROW(row)->users[i]->used, out);
	}
}

static json_t *users_json(const void *row)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ROW(row)->n_users; i++) {
		CLEANUP_BUF struct buf name = {0};
		json_t *one = json_object();

		user_name(ROW(row)->users[i], &name);
		json_object_set_new(one, "user", json_string((char *)name.data));
		json_object_set_new(one, "used",
				    json_integer((json_int_t)ROW(row)->users[i]->used));
		json_array_append_new(list, one);
	}
	return list;
}

/* clang-format off */
static const struct column columns[] = {
	{"limit", "LIMIT", 0, false, false, CELL_TEXT(Armada__LimitUse, name), NULL, "The thing that is limited"},
	{"of", "OF", 0, false, false, CELL_TEXT(Armada__LimitUse, scope), NULL, "The scope of the limit: each connection, address, peer, user or notify target, or all together"},
	{"used", "USED", 0, true, false, CELL(used_text, used_json), NULL, "The present use; in a row for each connection or user, the largest use of one; - and null in JSON if it is not counted"},
	{"bound", "BOUND", 0, true, false, CELL(bound_text, bound_json), NULL, "The limit; none, or null in JSON: there is no limit"},
	{"option", "OPTION", 0, false, false, CELL_TEXT(Armada__LimitUse, option), NULL, "The option of armada.conf; empty: the limit cannot be changed"},
	{"users", "USERS", 0, false, true, CELL(users_text, users_json), NULL, "The users with the most, at most five"},
};
/* clang-format on */

const struct listing limit_listing = LISTING("limits", "limit,of,used,bound,option,users", columns);

int actl_show_limits(struct actl *a, struct err *err)
{
	Armada__LimitsRequest q = ARMADA__LIMITS_REQUEST__INIT;
	const Armada__LimitsReply *r;
	int rc = listing_check(&limit_listing, &a->listing, err);

	if (rc == 0)
		rc = connection_ask(a->c, MSG_LIMITS, &q, MSG_LIMITS_REPLY, a->arena, 0, &r, err);
	if (rc < 0)
		return rc;
	return listing_print(&limit_listing, &a->listing, (const void *const *)r->rows, r->n_rows,
			     stdout, err);
}
