#include "cmd/node_rows.h"

#include "client/jobstate.h"
#include "util/mem.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROW(view) ((const Armada__NodeRow *)(view))

static int64_t amount(Armada__Resource *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(list[i]->name, name))
			return list[i]->amount;
	}
	return 0;
}

static int64_t total(const void *row, const char *name)
{
	return amount(ROW(row)->total, ROW(row)->n_total, name);
}

static int64_t allocated(const void *row, const char *name)
{
	return amount(ROW(row)->allocated, ROW(row)->n_allocated, name);
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

#define TEXT(fn, value)                                                                            \
	static void fn##_text(const void *row, struct buf *out)                                    \
	{                                                                                          \
		buf_addstr(out, value);                                                            \
	}

#define NUMBER(fn, value)                                                                          \
	static void fn##_text(const void *row, struct buf *out)                                    \
	{                                                                                          \
		buf_addf(out, "%" PRId64, (int64_t)(value));                                       \
	}                                                                                          \
	static json_t *fn##_json(const void *row)                                                  \
	{                                                                                          \
		return json_integer(value);                                                        \
	}

#define TRUTH(fn, value)                                                                           \
	static void fn##_text(const void *row, struct buf *out)                                    \
	{                                                                                          \
		buf_addstr(out, (value) ? "yes" : "no");                                           \
	}                                                                                          \
	static json_t *fn##_json(const void *row)                                                  \
	{                                                                                          \
		return json_boolean(value);                                                        \
	}

#define QUANTITY(fn, value, format)                                                                \
	static void fn##_text(const void *row, struct buf *out)                                    \
	{                                                                                          \
		char text[48];                                                                     \
                                                                                                   \
		format(value, text, sizeof(text));                                                 \
		buf_addstr(out, text);                                                             \
	}                                                                                          \
	static json_t *fn##_json(const void *row)                                                  \
	{                                                                                          \
		return json_integer(value);                                                        \
	}

/* "3/8": allocated of all. */
static void cpus_text(const void *row, struct buf *out)
{
	char used[32], all[32];

	format_cpu(allocated(row, "cpu"), used, sizeof(used));
	format_cpu(total(row, "cpu"), all, sizeof(all));
	buf_addf(out, "%s/%s", used, all);
}

static void memory_text(const void *row, struct buf *out)
{
	char used[32], all[32];

	format_size(allocated(row, "memory"), used, sizeof(used));
	format_size(total(row, "memory"), all, sizeof(all));
	buf_addf(out, "%s/%s", used, all);
}

static void gpus_text(const void *row, struct buf *out)
{
	buf_addf(out, "%" PRId64 "/%" PRId64, allocated(row, "gpu"), total(row, "gpu"));
}

static json_t *resources(Armada__Resource *const *list, size_t count)
{
	json_t *object = json_object();

	for (size_t i = 0; i < count; i++)
		json_object_set_new(object, list[i]->name, json_integer(list[i]->amount));
	return object;
}

static void total_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_total; i++)
		buf_addf(out, "%s%s=%" PRId64, i ? "," : "", ROW(row)->total[i]->name,
			 ROW(row)->total[i]->amount);
}

static json_t *total_json(const void *row)
{
	return resources(ROW(row)->total, ROW(row)->n_total);
}

static void allocated_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_allocated; i++)
		buf_addf(out, "%s%s=%" PRId64, i ? "," : "", ROW(row)->allocated[i]->name,
			 ROW(row)->allocated[i]->amount);
}

static json_t *allocated_json(const void *row)
{
	return resources(ROW(row)->allocated, ROW(row)->n_allocated);
}

static void labels_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_labels; i++)
		buf_addf(out, "%s%s=%s", i ? "," : "", ROW(row)->labels[i]->key,
			 ROW(row)->labels[i]->value);
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

TEXT(name, ROW(row)->name)
TEXT(state, node_row_state(row))
TEXT(reason, ROW(row)->reason)
TEXT(reason_by, ROW(row)->reason_by)
TEXT(release, ROW(row)->release)
TEXT(address, ROW(row)->address)
NUMBER(tasks, ROW(row)->tasks)
NUMBER(cpu_total, total(row, "cpu"))
NUMBER(cpu_free, total(row, "cpu") - allocated(row, "cpu"))
NUMBER(memory_total, total(row, "memory"))
NUMBER(memory_free, total(row, "memory") - allocated(row, "memory"))
QUANTITY(reason_time, ROW(row)->reason_us, format_time)
QUANTITY(last_seen, ROW(row)->last_seen_us, format_time)
QUANTITY(boot_time, ROW(row)->boot_us, format_time)
QUANTITY(lease, ROW(row)->lease_left_s, format_seconds)

QUANTITY(extension, ROW(row)->extension_left_s, format_seconds)
TEXT(extension_reason, ROW(row)->extension_reason)
TRUTH(rebooting, ROW(row)->rebooting)
TRUTH(connected, ROW(row)->connected)

static void set_labels_text(const void *row, struct buf *out)
{
	for (size_t i = 0; i < ROW(row)->n_set_labels; i++)
		buf_addf(out, "%s%s=%s", i ? "," : "", ROW(row)->set_labels[i]->key,
			 ROW(row)->set_labels[i]->value);
}

/* clang-format off */
static const struct column columns[] = {
	{"name", "NODE", 'N', false, false, name_text, NULL, NULL, "Name"},
	{"state", "STATE", 'T', false, false, state_text, NULL, state_colour, "State"},
	{"tasks", "TASKS", 0, true, false, tasks_text, tasks_json, NULL, "Tasks that run there"},
	{"cpus", "CPUS", 'C', true, false, cpus_text, NULL, NULL, "Cpus: allocated/all"},
	{"memory", "MEMORY", 'm', true, false, memory_text, NULL, NULL, "Memory: allocated/all"},
	{"gpus", "GPUS", 'G', true, false, gpus_text, NULL, NULL, "Gpus: allocated/all"},
	{"cpu_total", "CPU_TOTAL", 0, true, false, cpu_total_text, cpu_total_json, NULL, "Millicores"},
	{"cpu_free", "CPU_FREE", 0, true, false, cpu_free_text, cpu_free_json, NULL, "Millicores not allocated"},
	{"memory_total", "MEM_TOTAL", 0, true, false, memory_total_text, memory_total_json, NULL, "Bytes of memory"},
	{"memory_free", "MEM_FREE", 0, true, false, memory_free_text, memory_free_json, NULL, "Bytes not allocated"},
	{"total", "TOTAL", 0, false, true, total_text, total_json, NULL, "Every resource"},
	{"allocated", "ALLOCATED", 0, false, true, allocated_text, allocated_json, NULL, "Every resource that is allocated"},
	{"labels", "LABELS", 'f', false, true, labels_text, labels_json, NULL, "Labels"},
	{"taints", "TAINTS", 0, false, true, taints_text, NULL, NULL, "Taints"},
	{"reason", "REASON", 'E', false, true, reason_text, NULL, NULL, "Why it is not up"},
	{"reason_by", "BY", 'u', false, false, reason_by_text, NULL, NULL, "Who said so"},
	{"reason_time", "SINCE", 'H', false, false, reason_time_text, reason_time_json, NULL, "When; microseconds since 1970 in JSON"},
	{"last_seen", "LAST_SEEN", 0, false, false, last_seen_text, last_seen_json, NULL, "When it was heard of last"},
	{"boot_time", "BOOTED", 0, false, false, boot_time_text, boot_time_json, NULL, "When it was booted"},
	{"lease_left", "LEASE", 0, true, false, lease_text, lease_json, NULL, "How long its tasks may go on without the controller; seconds in JSON"},
	{"extension", "EXTENDED", 0, true, false, extension_text, extension_json, NULL, "How much longer leases hold by actl lease extend; seconds in JSON"},
	{"extension_reason", "WHY_EXTENDED", 0, false, true, extension_reason_text, NULL, NULL, "What was said of that"},
	{"rebooting", "REBOOT", 0, false, false, rebooting_text, rebooting_json, NULL, "Whether it is to be rebooted"},
	{"set_labels", "SET_LABELS", 0, false, true, set_labels_text, NULL, NULL, "Labels that anode has set"},
	{"connected", "CONNECTED", 0, false, false, connected_text, connected_json, NULL, "Whether its armd is connected"},
	{"release", "RELEASE", 'v', false, false, release_text, NULL, NULL, "Release of its armd"},
	{"address", "ADDRESS", 'o', false, false, address_text, NULL, NULL, "Where its tasks are reached"},
};
/* clang-format on */

const struct listing node_listing = {
	.key = "nodes",
	.standard = "name,state,tasks,cpus,memory,gpus,labels,reason",
	.columns = columns,
	.count = ARRAY_SIZE(columns),
};
