/* actl permissions: the rights of a user in each queue and in the cluster, with their origin. */
#include "cmd/actl/permissions.h"

#include "cmd/common/command.h"
#include "util/mem.h"

#include <errno.h>

#define ROW(row) ((const Armada__PermissionRow *)(row))

struct permissions {
	struct listing_request listing; /* the first member, which listing_options sets */
	const char *user;               /* NULL: the caller */
};

static int check_user(const char *value, struct err *err)
{
	return *value ? 0 : err_set(err, -EINVAL, "must be the name of a user");
}

static const struct opt rows[] = {
	{"user", NULL, 'u', "USER", OPT_CHECKED(struct permissions, user, check_user),
	 "Show the rights of this user; only administrators, and owners for their own queues, "
	 "may ask about others"},
};

const struct opt_table actl_permissions_options = {"permissions", rows, ARRAY_SIZE(rows)};

static const struct opt_table *const tables[] = {&actl_permissions_options, &listing_options,
						 &command_options, NULL};

static void queue_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->queue[0] ? ROW(row)->queue : "(cluster)");
}

static json_t *queue_json(const void *row)
{
	return ROW(row)->queue[0] ? json_string(ROW(row)->queue) : json_null();
}

/* clang-format off */
static const struct column columns[] = {
	{"queue", "QUEUE", 'P', false, false, CELL(queue_text, queue_json), NULL, "Queue; for a right in the cluster: (cluster), null in JSON"},
	{"verb", "VERB", 0, false, false, CELL_TEXT(Armada__PermissionRow, verb), NULL, "Right: submit, cancel, reprioritise, preempt, watch or manage; in the cluster: queues or administer"},
	{"allowed", "MAY", 0, false, false, CELL_BOOL(Armada__PermissionRow, allowed), NULL, "Whether the user has the right"},
	{"why", "WHY", 0, false, true, CELL_TEXT(Armada__PermissionRow, why), NULL, "Origin of the right, such as a permission or the ownership of the queue"},
};
/* clang-format on */

const struct listing permission_listing = LISTING("permissions", "queue,verb,allowed,why", columns);

static int ask(struct connection *c, struct permissions *p, const char *const *queues, size_t count,
	       struct arena *arena, struct err *err)
{
	Armada__PermissionsRequest q = ARMADA__PERMISSIONS_REQUEST__INIT;
	const Armada__PermissionsReply *r;
	int rc;

	q.user = (char *)(uintptr_t)(p->user ? p->user : "");
	q.queues = (char **)(uintptr_t)queues;
	q.n_queues = count;
	rc = connection_ask(c, MSG_PERMISSIONS, &q, MSG_PERMISSIONS_REPLY, arena, 0, &r, err);
	if (rc < 0)
		return rc;
	return listing_print(&permission_listing, &p->listing, (const void *const *)r->rows,
			     r->n_rows, stdout, err);
}

int actl_permissions(int argc, char **argv, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	CLEANUP_FREE const char **operands = NULL;
	struct permissions p = {.user = NULL};
	struct connection *c = NULL;
	size_t count = 0;
	int rc = opt_parse(tables, argc, argv, &p, &operands, &count, err);

	if (rc == 0)
		rc = listing_check(&permission_listing, &p.listing, err);
	if (rc == 0)
		rc = connection_new(&c, NULL, err);
	if (rc == 0)
		rc = ask(c, &p, operands, count, arena, err);
	connection_free(c);
	return rc;
}
