/*
 * actl log: the levels of the controller's log by area.
 *
 * Input: words such as net=debug, or none. Output: the levels as they are then, as a listing. The controller
 * checks the words, so that a command of another release knows all areas.
 */
#include "cmd/actl/log.h"

#include "util/mem.h"

#define ROW(row) ((const Armada__LogAreaRow *)(row))

static void set_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->own ? "actl" : "armada.conf");
}

static json_t *set_json(const void *row)
{
	return json_string(ROW(row)->own ? "actl" : "armada.conf");
}

/* clang-format off */
static const struct column columns[] = {
	{"area", "AREA", 0, false, false, CELL_TEXT(Armada__LogAreaRow, area), NULL, "The area"},
	{"level", "LEVEL", 0, false, false, CELL_TEXT(Armada__LogAreaRow, level), NULL, "The least important level of messages that is written"},
	{"set", "SET BY", 0, false, false, CELL(set_text, set_json), NULL, "armada.conf (or the command line of armctld), or actl: until the controller restarts"},
	{"contents", "CONTENTS", 0, false, true, CELL_TEXT(Armada__LogAreaRow, contents), NULL, "The messages of the area"},
};
/* clang-format on */

const struct listing log_listing = LISTING("log", "area,level,set,contents", columns);

int actl_log(struct actl *a, struct err *err)
{
	Armada__LogLevelsRequest q = ARMADA__LOG_LEVELS_REQUEST__INIT;
	const Armada__LogLevelsReply *r;
	int rc = listing_check(&log_listing, &a->listing, err);

	q.set = (char **)(uintptr_t)a->args;
	q.n_set = a->count;
	if (rc == 0)
		rc = connection_ask(a->c, MSG_LOG_LEVELS, &q, MSG_LOG_LEVELS_REPLY, a->arena, 0, &r,
				    err);
	if (rc < 0)
		return rc;
	return listing_print(&log_listing, &a->listing, (const void *const *)r->rows, r->n_rows,
			     stdout, err);
}
