#include "client/jobstate.h"
#include "cmd/listing/node_rows.h"
#include "cmd/listing/resources.h"
#include "util/mem.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>

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

/* "3/8": allocated of all. */
static void of_all(const void *row, const void *name, struct buf *out)
{
	resources_add_part(name, allocated(row, name), total(row, name), out);
}

static void add_amounts(Armada__Resource *const *list, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		buf_addf(out, "%s%s=%" PRId64, i ? "," : "", list[i]->name, list[i]->amount);
}

static void total_text(const void *row, struct buf *out)
{
	add_amounts(ROW(row)->total, ROW(row)->n_total, out);
}

static json_t *total_json(const void *row)
{
	return resources_json(ROW(row)->total, ROW(row)->n_total);
}

static void allocated_text(const void *row, struct buf *out)
{
	add_amounts(ROW(row)->allocated, ROW(row)->n_allocated, out);
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

static void state_text(const void *row, struct buf *out)
{
	buf_addstr(out, node_row_state(row));
}

/* clang-format off */
#define NODE Armada__NodeRow
static const struct column columns[] = {
	{"name", "NODE", 'N', false, false, CELL_TEXT(NODE, name), NULL, "Name"},
	{"state", "STATE", 'T', false, false, CELL(state_text, NULL), state_colour, "State"},
	{"tasks", "TASKS", 0, true, false, CELL_INT(NODE, tasks), NULL, "Tasks that run there"},
	{"cpus", "CPUS", 'C', true, false, CELL_WITH(of_all, NULL, "cpu"), NULL, "Cpus: allocated/all"},
	{"memory", "MEMORY", 'm', true, false, CELL_WITH(of_all, NULL, "memory"), NULL, "Memory: allocated/all"},
	{"gpus", "GPUS", 'G', true, false, CELL_WITH(of_all, NULL, "gpu"), NULL, "Gpus: allocated/all"},
	{"cpu_total", "CPU_TOTAL", 0, true, false, CELL_NUMBER(total, "cpu", NULL), NULL, "Millicores"},
	{"cpu_free", "CPU_FREE", 0, true, false, CELL_NUMBER(unused, "cpu", NULL), NULL, "Millicores not allocated"},
	{"memory_total", "MEM_TOTAL", 0, true, false, CELL_NUMBER(total, "memory", NULL), NULL, "Bytes of memory"},
	{"memory_free", "MEM_FREE", 0, true, false, CELL_NUMBER(unused, "memory", NULL), NULL, "Bytes not allocated"},
	{"total", "TOTAL", 0, false, true, CELL(total_text, total_json), NULL, "Every resource"},
	{"allocated", "ALLOCATED", 0, false, true, CELL(allocated_text, allocated_json), NULL, "Every resource that is allocated"},
	{"labels", "LABELS", 'f', false, true, CELL(labels_text, labels_json), NULL, "Labels"},
	{"taints", "TAINTS", 0, false, true, CELL(taints_text, NULL), NULL, "Taints"},
	{"reason", "REASON", 'E', false, true, CELL_TEXT(NODE, reason), NULL, "Why it is not up"},
	{"reason_by", "BY", 'u', false, false, CELL_TEXT(NODE, reason_by), NULL, "Who said so"},
	{"reason_time", "SINCE", 'H', false, false, CELL_QUANTITY(NODE, reason_us, format_time), NULL, "When; microseconds since 1970 in JSON"},
	{"last_seen", "LAST_SEEN", 0, false, false, CELL_QUANTITY(NODE, last_seen_us, format_time), NULL, "When it was heard of last"},
	{"boot_time", "BOOTED", 0, false, false, CELL_QUANTITY(NODE, boot_us, format_time), NULL, "When it was booted"},
	{"lease_left", "LEASE", 0, true, false, CELL_QUANTITY(NODE, lease_left_s, format_seconds), NULL, "How long its tasks may go on without the controller; seconds in JSON"},
	{"extension", "EXTENDED", 0, true, false, CELL_QUANTITY(NODE, extension_left_s, format_seconds), NULL, "How much longer leases hold by actl lease extend; seconds in JSON"},
	{"extension_reason", "WHY_EXTENDED", 0, false, true, CELL_TEXT(NODE, extension_reason), NULL, "What was said of that"},
	{"rebooting", "REBOOT", 0, false, false, CELL_TRUTH(NODE, rebooting), NULL, "Whether it is to be rebooted"},
	{"set_labels", "SET_LABELS", 0, false, true, CELL(set_labels_text, NULL), NULL, "Labels that anode has set"},
	{"connected", "CONNECTED", 0, false, false, CELL_TRUTH(NODE, connected), NULL, "Whether its armd is connected"},
	{"release", "RELEASE", 'v', false, false, CELL_TEXT(NODE, release), NULL, "Release of its armd"},
	{"address", "ADDRESS", 'o', false, false, CELL_TEXT(NODE, address), NULL, "Where its tasks are reached"},
};
/* clang-format on */

const struct listing node_listing = {
	.key = "nodes",
	.standard = "name,state,tasks,cpus,memory,gpus,labels,reason",
	.columns = columns,
	.count = ARRAY_SIZE(columns),
};
