/*
 * actl reconfigure: the controller reads armada.conf again, or lists what would change (--dry-run).
 */
#include "cmd/actl/reconfigure.h"

#include "util/mem.h"

#include <errno.h>

#define TEXT(f) CELL_TEXT(Armada__ConfChange, f)

static void refused_text(const void *row, struct buf *out)
{
	buf_addstr(out, ((const Armada__ConfChange *)row)->refused ? "refused" : "");
}

/* clang-format off */
static const struct column columns[] = {
	{"what", "WHAT", 0, false, false, TEXT(what), NULL, "The option, or the queue, class, node or plugin"},
	{"key", "KEY", 0, false, false, TEXT(key), NULL, "Part that changes; empty: the whole entry"},
	{"before", "BEFORE", 0, false, true, TEXT(before), NULL, "Present value; empty: none"},
	{"after", "AFTER", 0, false, true, TEXT(after), NULL, "New value, from armada.conf; empty: none"},
	{"note", "NOTE", 0, false, true, TEXT(note), NULL, "Effect on jobs, or why the change is refused"},
	{"refused", "REFUSED", 0, false, false, CELL_BOOL(Armada__ConfChange, refused, .text = refused_text), NULL, "Whether this change alone would make the controller refuse the file"},
};
/* clang-format on */

const struct listing change_listing = LISTING("changes", "what,key,before,after,note", columns);

static int check_refused(const Armada__ReconfigureReply *r, struct err *err)
{
	CLEANUP_BUF struct buf names = {0};

	for (size_t i = 0; i < r->n_changes; i++)
		if (r->changes[i]->refused)
			buf_addf(&names, "%s%s%s%s", names.len ? ", " : "", r->changes[i]->what,
				 *r->changes[i]->key ? "." : "", r->changes[i]->key);
	if (!names.len)
		return 0;
	return err_set(err, -EBUSY, "armada.conf would be refused: needs a restart of armctld: %s",
		       (char *)names.data);
}

static int dry_run(struct actl *a, struct err *err)
{
	Armada__ReconfigureRequest q = ARMADA__RECONFIGURE_REQUEST__INIT;
	const Armada__ReconfigureReply *reply;
	int rc = listing_check(&change_listing, &a->listing, err);

	q.dry_run = true;
	if (rc == 0)
		rc = connection_ask(a->c, MSG_RECONFIGURE, &q, MSG_RECONFIGURE_REPLY, a->arena, 0,
				    &reply, err);
	if (rc < 0)
		return rc;
	if (!reply->n_changes && !a->listing.json)
		printf("nothing would change\n");
	else
		rc = listing_print(&change_listing, &a->listing,
				   (const void *const *)reply->changes, reply->n_changes, stdout,
				   err);
	return rc < 0 ? rc : check_refused(reply, err);
}

int actl_reconfigure(struct actl *a, struct err *err)
{
	Armada__ReconfigureRequest q = ARMADA__RECONFIGURE_REQUEST__INIT;

	if (a->dry_run)
		return dry_run(a, err);
	if (a->listing.json || a->listing.noheader || a->listing.format)
		return err_set(err, -EINVAL,
			       "--json, --noheader and --format need --dry-run: actl reconfigure "
			       "--dry-run");
	return actl_ask_ok(a, MSG_RECONFIGURE, &q, "Configuration read again", err);
}
