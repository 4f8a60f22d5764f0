/*
 * actl show notify: the targets that are notified of ends of jobs, and mail.
 *
 * Output: a listing with the position of each target, how many ends wait, and the error of the last try.
 */
#include "cmd/actl/notify.h"

#include "util/mem.h"
#include "util/units.h"

#include <inttypes.h>

#define ROW(row) ((const Armada__NotifyRow *)(row))

static void since_text(const void *row, struct buf *out)
{
	char text[48];

	if (!ROW(row)->since_us)
		return;
	format_time(ROW(row)->since_us, text, sizeof(text));
	buf_addstr(out, text);
}

static json_t *since_json(const void *row)
{
	return ROW(row)->since_us ? json_integer((json_int_t)(ROW(row)->since_us / 1000000))
				  : json_null();
}

/* clang-format off */
static const struct column columns[] = {
	{"name", "NAME", 0, false, false, CELL_TEXT(Armada__NotifyRow, name), NULL, "Name of the target"},
	{"plugin", "PLUGIN", 0, false, false, CELL_TEXT(Armada__NotifyRow, plugin), NULL, "Its plugin"},
	{"target", "TARGET", 0, false, true, CELL_TEXT(Armada__NotifyRow, target), NULL, "The program or URL"},
	{"position", "POSITION", 0, true, false, CELL_INT(Armada__NotifyRow, seq), NULL, "Record of the last end that it has accepted"},
	{"job", "JOB", 0, true, false, CELL_INT(Armada__NotifyRow, job), NULL, "Job of that end; 0: none yet"},
	{"behind", "BEHIND", 0, true, false, CELL_INT(Armada__NotifyRow, behind), NULL, "Number of ends after it, counted up to 100,000"},
	{"accepted", "ACCEPTED", 0, true, false, CELL_INT(Armada__NotifyRow, accepted), NULL, "Ends that it has accepted since the start of the controller"},
	{"since", "FAILS SINCE", 0, false, false, CELL(since_text, since_json), NULL, "Since when each try has failed; empty, or null in JSON: the last one worked"},
	{"error", "ERROR", 0, false, true, CELL_TEXT(Armada__NotifyRow, error), NULL, "Error of the last try"},
};
/* clang-format on */

const struct listing notify_listing =
	LISTING("notify", "name,plugin,position,behind,accepted,since,error", columns);

int actl_show_notify(struct actl *a, struct err *err)
{
	Armada__NotifyRequest q = ARMADA__NOTIFY_REQUEST__INIT;
	const Armada__NotifyReply *r;
	int rc = listing_check(&notify_listing, &a->listing, err);

	if (rc == 0)
		rc = connection_ask(a->c, MSG_NOTIFY, &q, MSG_NOTIFY_REPLY, a->arena, 0, &r, err);
	if (rc < 0)
		return rc;
	return listing_print(&notify_listing, &a->listing, (const void *const *)r->rows, r->n_rows,
			     stdout, err);
}
