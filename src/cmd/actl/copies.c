/*
 * actl copies list, add and remove.
 *
 * Output of list: a table and a line about the last change of the set, or one JSON object. A standby answers
 * if no controller leads. A change is sent to the controller that leads, or to the one that has the lead and
 * waits for a copy before it acts.
 */
#include "cmd/actl/copies.h"

#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define COPY(row) ((const Armada__CopyRow *)(row))

static void away_text(const void *row, struct buf *out)
{
	if (COPY(row)->away_ms)
		buf_addf(out, "%s", duration_words(COPY(row)->away_ms * 1000).text);
}

static json_t *away_json(const void *row)
{
	return json_real((double)COPY(row)->away_ms / 1000);
}

static void since_text(const void *row, struct buf *out)
{
	char text[48];

	if (!COPY(row)->away_ms)
		return;
	format_time(clock_us(CLOCK_REALTIME) - COPY(row)->away_ms * 1000, text, sizeof(text));
	buf_addf(out, "%s", text);
}

static json_t *since_json(const void *row)
{
	if (!COPY(row)->away_ms)
		return json_null();
	return json_integer(clock_us(CLOCK_REALTIME) - COPY(row)->away_ms * 1000);
}

static void position_text(const void *row, struct buf *out)
{
	if (COPY(row)->seq)
		buf_addf(out, "%" PRIu64, COPY(row)->seq);
}

static json_t *position_json(const void *row)
{
	return COPY(row)->seq ? json_integer((json_int_t)COPY(row)->seq) : json_null();
}

/* clang-format off */
static const struct column columns[] = {
	{"name", "COPY", 0, false, false, CELL_TEXT(Armada__CopyRow, name), NULL, "Name of the copy"},
	{"state", "STATE", 0, false, false, CELL_TEXT(Armada__CopyRow, state), NULL, "in-sync, catching-up or away"},
	{"member", "IN SET", 0, false, false, CELL_BOOL(Armada__CopyRow, member), NULL, "It has to hold each record before that is acknowledged"},
	{"primary", "PRIMARY", 0, false, false, CELL_BOOL(Armada__CopyRow, primary), NULL, "It takes the writes"},
	{"position", "POSITION", 0, true, false, CELL(position_text, position_json), NULL, "It holds the records up to this one at least"},
	{"behind", "BEHIND", 0, true, false, CELL_INT(Armada__CopyRow, lag_bytes), NULL, "Bytes behind the primary"},
	{"away", "AWAY", 0, false, false, CELL(away_text, away_json), NULL, "How long it has been away"},
	{"since", "AWAY SINCE", 0, false, false, CELL(since_text, since_json), NULL, "When the controller that answers saw it go away"},
	{"removed", "REMOVED", 0, false, false, CELL_BOOL(Armada__CopyRow, removed), NULL, "An administrator took it out of the set"},
	{"problem", "PROBLEM", 0, false, true, CELL_TEXT(Armada__CopyRow, why), NULL, "What is wrong with it"},
};
/* clang-format on */

const struct listing copies_in_ping =
	LISTING("copies", "name,state,member,primary,behind,away?,problem?", columns);
static const struct listing copies = LISTING(
	"copies", "name,state,member,primary,position,behind,since?,removed,problem?", columns);

static void print_json(const Armada__ControllersReply *c)
{
	json_t *root = listing_json_new();

	json_object_set_new(root, "answers", json_string(c->answers));
	json_object_set_new(root, "store_problem", json_string(c->problem));
	json_object_set_new(root, "acknowledged", json_integer((json_int_t)c->acked));
	json_object_set_new(root, "set_version", json_integer((json_int_t)c->set_version));
	json_object_set_new(root, "set_changed",
			    c->set_version ? json_integer(c->set_us) : json_null());
	json_object_set_new(root, "set_changed_by", json_string(c->set_by));
	json_object_set_new(root, "copies",
			    listing_json(&copies, (const void *const *)c->copies, c->n_copies));
	listing_json_print(root, stdout);
}

static void print_change(const Armada__ControllersReply *c)
{
	char when[48];

	format_time(c->set_us, when, sizeof(when));
	printf("\nThe set has version %" PRIu64 " since %s, by %s. Record %" PRIu64
	       " is on all copies of it.\n",
	       c->set_version, when, c->set_by[0] ? c->set_by : "the engine", c->acked);
}

int actl_copies_list(struct actl *a, struct err *err)
{
	Armada__ControllersRequest q = ARMADA__CONTROLLERS_REQUEST__INIT;
	const Armada__ControllersReply *c;
	int rc = listing_check(&copies, &a->listing, err);

	if (rc == 0)
		rc = connection_ask(a->c, MSG_CONTROLLERS, &q, MSG_CONTROLLERS_REPLY, a->arena, 0,
				    &c, err);
	if (rc < 0)
		return rc;
	if (a->listing.json) {
		print_json(c);
		return 0;
	}
	if (!c->n_copies && !c->problem[0])
		return err_set(err, -EBADE,
			       "the state has no copies: its engine belongs to one controller");
	if (c->problem[0])
		fprintf(stderr, "actl: %s\n", c->problem);
	rc = listing_print(&copies, &a->listing, (const void *const *)c->copies, c->n_copies,
			   stdout, err);
	if (rc == 0 && c->set_version && !a->listing.format && !a->listing.noheader)
		print_change(c);
	return rc;
}

int actl_copies_change(struct actl *a, struct err *err)
{
	Armada__CopyChangeRequest q = ARMADA__COPY_CHANGE_REQUEST__INIT;

	q.name = (char *)(uintptr_t)a->args[0];
	q.member = !a->alternate;
	return actl_ask_ok(a, MSG_COPY_CHANGE, &q, "The set of copies is changed", err);
}
