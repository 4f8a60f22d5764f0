/*
 * actl show cluster: the resources of the cluster, what is used of them, and who holds floating ones.
 * actl license: another total of a floating resource.
 */
#include "cmd/actl/cluster.h"

#include "conf/resource_table.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define ROW(row) ((const Armada__ResourceRow *)(row))

static void add_amount(const Armada__ResourceRow *r, int64_t amount, struct buf *out)
{
	char text[32];

	unit_format(strcmp(r->unit, "bytes") == 0 ? RESOURCE_SIZE
		    : strcmp(r->unit, "cpu") == 0 ? RESOURCE_MILLI
						  : RESOURCE_COUNT,
		    amount, text, sizeof(text));
	buf_addstr(out, text);
}

static int64_t unused(const Armada__ResourceRow *r)
{
	int64_t n = r->total - r->used - r->outside;

	return n > 0 ? n : 0;
}

static void total_text(const void *row, struct buf *out)
{
	add_amount(row, ROW(row)->total, out);
}

static json_t *total_json(const void *row)
{
	return json_integer(ROW(row)->total);
}

static void used_text(const void *row, struct buf *out)
{
	add_amount(row, ROW(row)->used, out);
}

static json_t *used_json(const void *row)
{
	return json_integer(ROW(row)->used);
}

static void outside_text(const void *row, struct buf *out)
{
	if (ROW(row)->floating)
		add_amount(row, ROW(row)->outside, out);
	else
		buf_addstr(out, "-");
}

static json_t *outside_json(const void *row)
{
	return ROW(row)->floating ? json_integer(ROW(row)->outside) : json_null();
}

static void free_text(const void *row, struct buf *out)
{
	add_amount(row, unused(row), out);
}

static json_t *free_json(const void *row)
{
	return json_integer(unused(row));
}

static void place_text(const void *row, struct buf *out)
{
	if (ROW(row)->floating)
		buf_addstr(out, "cluster");
	else
		buf_addf(out, "%" PRIu32 " node%s", ROW(row)->nodes,
			 ROW(row)->nodes == 1 ? "" : "s");
}

static json_t *place_json(const void *row)
{
	return ROW(row)->floating ? json_null() : json_integer(ROW(row)->nodes);
}

static void reserved_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_reserved; i++) {
		buf_addf(out, "%s%s=", i ? "," : "", ROW(row)->reserved[i]->name);
		add_amount(row, ROW(row)->reserved[i]->amount, out);
	}
}

static json_t *reserved_json(const void *row)
{
	json_t *queues = json_object();

	for (size_t i = 0; i < ROW(row)->n_reserved; i++)
		json_object_set_new(queues, ROW(row)->reserved[i]->name,
				    json_integer(ROW(row)->reserved[i]->amount));
	return queues;
}

static void holders_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_holders; i++) {
		const Armada__ResourceHolder *h = ROW(row)->holders[i];

		buf_addf(out, "%s%" PRIu64 " (%s) ", i ? ", " : "", h->job, h->user);
		add_amount(row, h->amount, out);
	}
	if (ROW(row)->more)
		buf_addf(out, " and %" PRIu64 " more", ROW(row)->more);
}

static json_t *holders_json(const void *row)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ROW(row)->n_holders; i++) {
		const Armada__ResourceHolder *h = ROW(row)->holders[i];
		json_t *one = json_object();

		json_object_set_new(one, "job", json_integer((json_int_t)h->job));
		json_object_set_new(one, "user", json_string(h->user));
		json_object_set_new(one, "queue", json_string(h->queue));
		json_object_set_new(one, "amount", json_integer(h->amount));
		json_array_append_new(list, one);
	}
	return list;
}

/* clang-format off */
static const struct column columns[] = {
	{"resource", "RESOURCE", 0, false, false, CELL_TEXT(Armada__ResourceRow, name), NULL, "Name of the resource"},
	{"of", "OF", 0, false, false, CELL(place_text, place_json), NULL, "The nodes that are up and have it, or cluster: it is a floating resource; in JSON the number of nodes, or null"},
	{"total", "TOTAL", 0, true, false, CELL(total_text, total_json), NULL, "What these nodes, or the cluster, have of it; millicores or bytes in JSON"},
	{"used", "USED", 0, true, false, CELL(used_text, used_json), NULL, "What running jobs hold"},
	{"outside", "OUTSIDE", 0, true, false, CELL(outside_text, outside_json), NULL, "What others use, as the source of a floating resource says; null in JSON: it belongs to nodes"},
	{"free", "FREE", 0, true, false, CELL(free_text, free_json), NULL, "The amount that is neither used nor taken by others"},
	{"configured", "CONFIGURED", 0, true, false, CELL_INT(Armada__ResourceRow, configured), NULL, "The total of a floating resource in armada.conf, where actl license may have set another one"},
	{"reserved", "RESERVED", 0, false, true, CELL(reserved_text, reserved_json), NULL, "What is reserved for queues"},
	{"holders", "HOLDERS", 0, false, true, CELL(holders_text, holders_json), NULL, "The jobs that hold most of a floating resource, at most 20, each with its user and its amount; only jobs that you may see"},
	{"problem", "PROBLEM", 0, false, true, CELL_TEXT(Armada__ResourceRow, problem), NULL, "Why the source has no answer"},
};
/* clang-format on */

const struct listing cluster_listing = LISTING(
	"resources", "resource,of,total,used,outside,free,reserved,holders,problem", columns);

int actl_show_cluster(struct actl *a, struct err *err)
{
	Armada__ResourcesRequest q = ARMADA__RESOURCES_REQUEST__INIT;
	const Armada__ResourcesReply *r;
	int rc = listing_check(&cluster_listing, &a->listing, err);

	if (rc == 0)
		rc = connection_ask(a->c, MSG_RESOURCES, &q, MSG_RESOURCES_REPLY, a->arena, 0, &r,
				    err);
	if (rc < 0)
		return rc;
	return listing_print(&cluster_listing, &a->listing, (const void *const *)r->rows, r->n_rows,
			     stdout, err);
}

int actl_license(struct actl *a, struct err *err)
{
	for (size_t i = 0; i < a->count; i++) {
		Armada__SetFloatingRequest q = ARMADA__SET_FLOATING_REQUEST__INIT;
		size_t len = strcspn(a->args[i], "=");
		const char *value = a->args[i] + len;
		int rc = *value ? 0 : -EINVAL;

		q.name = arena_printf(a->arena, "%.*s", (int)len, a->args[i]);
		q.reset = *value && strcmp(value + 1, "default") == 0;
		if (rc == 0 && !q.reset)
			rc = parse_int(value + 1, 0, INT64_C(1000000000), &q.total, err);
		if (rc < 0)
			return err_set(err, -EINVAL,
				       "'%.64s': expected NAME=TOTAL or NAME=default, with a total "
				       "of 0 to 1000000000",
				       a->args[i]);
		rc = actl_ask_ok(a, MSG_SET_FLOATING, &q, "Set", err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
