/*
 * actl show classes: the priority classes in effect, who may ask for them, and whether the caller may.
 */
#include "cmd/actl/classes.h"

#include "util/mem.h"
#include "util/units.h"

#define ROW(row) ((const Armada__ClassRow *)(row))

static void add_names(const char *what, char *const *names, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		buf_addf(out, ", %s %s", what, names[i]);
}

static void people_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->restricted ? "administrators" : "all");
	add_names("user", ROW(row)->users, ROW(row)->n_users, out);
	add_names("group", ROW(row)->groups, ROW(row)->n_groups, out);
}

static json_t *names_json(char *const *names, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(names[i]));
	return list;
}

static json_t *people_json(const void *row)
{
	json_t *people;

	if (!ROW(row)->restricted)
		return json_null();
	people = json_object();
	json_object_set_new(people, "users", names_json(ROW(row)->users, ROW(row)->n_users));
	json_object_set_new(people, "groups", names_json(ROW(row)->groups, ROW(row)->n_groups));
	return people;
}

static void limits_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_max_fraction_per_queue; i++)
		buf_addf(out, "%s%s=%g", i ? "," : "",
			 ROW(row)->max_fraction_per_queue[i]->resource,
			 ROW(row)->max_fraction_per_queue[i]->part);
}

static json_t *limits_json(const void *row)
{
	json_t *limits = json_object();

	for (size_t i = 0; i < ROW(row)->n_max_fraction_per_queue; i++)
		json_object_set_new(limits, ROW(row)->max_fraction_per_queue[i]->resource,
				    json_real(ROW(row)->max_fraction_per_queue[i]->part));
	return limits;
}

static void time_text(int64_t value, char *out, size_t size)
{
	if (value)
		format_duration(value * 1000000, out, size);
	else
		*out = '\0';
}

/* clang-format off */
static const struct column columns[] = {
	{"class", "CLASS", 'P', false, false, CELL_TEXT(Armada__ClassRow, name), NULL, "Name of the class, for --priority-class"},
	{"priority", "PRIORITY", 0, true, false, CELL_INT(Armada__ClassRow, priority), NULL, "Urgency of its jobs: a class of higher priority goes first"},
	{"fair_share_preemptible", "FAIRSHARE", 0, false, false, CELL_BOOL(Armada__ClassRow, fair_share_preemptible), NULL, "Whether its jobs may be preempted to give another queue its fair share"},
	{"urgency_preemptible", "URGENCY", 0, false, false, CELL_BOOL(Armada__ClassRow, urgency_preemptible), NULL, "Whether its jobs may be preempted by jobs of a more urgent class"},
	{"default", "DEFAULT", 0, false, false, CELL_BOOL(Armada__ClassRow, is_default), NULL, "Whether it is the class of jobs that name none, in queues without a default class"},
	{"may", "MAY", 0, false, false, CELL_BOOL(Armada__ClassRow, usable), NULL, "Whether you may ask for the class"},
	{"for", "FOR", 0, false, true, CELL(people_text, people_json), NULL, "The users who may ask for the class; in JSON the users and groups besides administrators, or null: all users"},
	{"limits", "LIMITS", 0, false, true, CELL(limits_text, limits_json), NULL, "Fractions of the cluster that its jobs of one queue may use"},
	{"default_time", "DEFTIME", 0, true, false, CELL_QUANTITY(Armada__ClassRow, default_time_s, time_text), NULL, "Time limit of its jobs that request none; 0 in JSON: none"},
	{"max_time", "MAXTIME", 0, true, false, CELL_QUANTITY(Armada__ClassRow, max_time_s, time_text), NULL, "Maximum time limit of its jobs; 0 in JSON: none"},
};
/* clang-format on */

const struct listing class_listing =
	LISTING("classes",
		"class,priority,fair_share_preemptible,urgency_preemptible,default,may,for",
		columns);

int actl_show_classes(struct actl *a, struct err *err)
{
	Armada__ClassesRequest q = ARMADA__CLASSES_REQUEST__INIT;
	const Armada__ClassesReply *r;
	int rc = listing_check(&class_listing, &a->listing, err);

	if (rc == 0)
		rc = connection_ask(a->c, MSG_CLASSES, &q, MSG_CLASSES_REPLY, a->arena, 0, &r, err);
	if (rc < 0)
		return rc;
	return listing_print(&class_listing, &a->listing, (const void *const *)r->rows, r->n_rows,
			     stdout, err);
}
