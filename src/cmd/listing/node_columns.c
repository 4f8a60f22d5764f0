/*
 * The columns of nodes: of anode, and of actl show node.
 *
 * The rows are messages of the controller. The table of columns is made from conf/node_table.h;
 * here are the functions for values that are not plain fields.
 */
#include "client/jobstate.h"
#include "cmd/listing/node_rows.h"
#include "cmd/listing/resources.h"
#include "conf/node_table.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROW(view) ((const Armada__NodeRow *)(view))

static int64_t total(const void *row, const void *name)
{
	return resources_amount(ROW(row)->total, ROW(row)->n_total, name);
}

static int64_t allocated(const void *row, const void *name)
{
	return resources_amount(ROW(row)->allocated, ROW(row)->n_allocated, name);
}

static int64_t unused(const void *row, const void *name)
{
	return total(row, name) - allocated(row, name);
}

const char *node_row_state(const Armada__NodeRow *row)
{
	return node_state_name(row->state);
}

static const char *state_colour(const void *row)
{
	switch (ROW(row)->state) {
	case ARMADA__NODE_STATE__NODE_UP:
		return "green";
	case ARMADA__NODE_STATE__NODE_DRAINING:
	case ARMADA__NODE_STATE__NODE_DRAINED:
		return "yellow";
	default:
		return "red";
	}
}

/* "3/8": allocated/total. */
static void of_all(const void *row, const void *name, struct buf *out)
{
	resources_add_part(name, allocated(row, name), total(row, name), out);
}

static void total_text(const void *row, struct buf *out)
{
	resources_add(ROW(row)->total, ROW(row)->n_total, ",", out);
}

static json_t *total_json(const void *row)
{
	return resources_json(ROW(row)->total, ROW(row)->n_total);
}

static void allocated_text(const void *row, struct buf *out)
{
	resources_add(ROW(row)->allocated, ROW(row)->n_allocated, ",", out);
}

static json_t *allocated_json(const void *row)
{
	return resources_json(ROW(row)->allocated, ROW(row)->n_allocated);
}

static void add_labels(Armada__Label *const *list, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		buf_addf(out, "%s%s=%s", i ? "," : "", list[i]->key, list[i]->value);
}

static void labels_text(const void *row, struct buf *out)
{
	add_labels(ROW(row)->labels, ROW(row)->n_labels, out);
}

static void set_labels_text(const void *row, struct buf *out)
{
	add_labels(ROW(row)->set_labels, ROW(row)->n_set_labels, out);
}

static json_t *labels_json(const void *row)
{
	json_t *object = json_object();

	for (size_t i = 0; i < ROW(row)->n_labels; i++)
		json_object_set_new(object, ROW(row)->labels[i]->key,
				    json_string(ROW(row)->labels[i]->value));
	return object;
}

static void taints_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_taints; i++) {
		const Armada__Taint *t = ROW(row)->taints[i];

		buf_addf(out, "%s%s%s%s:%s", i ? "," : "", t->key, t->value[0] ? "=" : "", t->value,
			 t->effect);
	}
}

static void format_seconds(int64_t seconds, char *out, size_t size)
{
	if (seconds > 0)
		format_duration(seconds * 1000000, out, size);
	else
		snprintf(out, size, "-");
}

/* -1: it is connected, or has not been heard of since the controller started. */
static int64_t silent_s(const Armada__NodeRow *n)
{
	int64_t us = clock_us(CLOCK_REALTIME) - n->last_seen_us;

	if (n->connected || !n->last_seen_us)
		return -1;
	return us > 0 ? us / 1000000 : 0;
}

static void silent_text(const void *row, struct buf *out)
{
	char text[48];

	if (silent_s(ROW(row)) < 0)
		return;
	format_duration(silent_s(ROW(row)) * 1000000, text, sizeof(text));
	buf_addstr(out, text);
}

static json_t *silent_json(const void *row)
{
	int64_t seconds = silent_s(ROW(row));

	return seconds < 0 ? json_null() : json_integer(seconds);
}

static void state_text(const void *row, struct buf *out)
{
	buf_addstr(out, node_row_state(row));
}

/* How cpus are given, if not as the site wants: the cause is in parentheses. */
static void cpus_weaker_text(const void *row, struct buf *out)
{
	if (strchr(ROW(row)->cpu_containment, '('))
		buf_addstr(out, ROW(row)->cpu_containment);
}

/* clang-format off */
#define NODE Armada__NodeRow
#define COLUMN(name, heading, letter, side, ...) {name, heading, letter, side == RIGHT, side == WIDE, __VA_ARGS__},
#define FIELD(member, registered, in_file, option, ...) __VA_ARGS__
enum { LEFT, RIGHT, WIDE };
static const struct column columns[] = {
	NODE_TABLE(FIELD)
};
/* clang-format on */

const struct listing node_listing = {
	.key = "nodes",
	.standard =
		"name,state,silent?,tasks,cpus,memory,gpus,labels,taints?,reason,not_limited?,cpus_weaker?",
	.columns = columns,
	.count = ARRAY_SIZE(columns),
	.aliases = (const char *const[]){"name nodelist nodehost", "reason_by user",
					 "reason_time timestamp", NULL},
};
