#include "cmd/actl_queue.h"

#include "util/mem.h"
#include "util/units.h"

#include <inttypes.h>
#include <string.h>

#define ROW(row) ((const Armada__QueueRow *)(row))

/* ---- what armada.conf says of a queue too ---- */

static void list_text(const struct queue_row *f, const struct armada_option_value *v,
		      struct buf *out)
{
	for (size_t i = 0; i < v->count; i++)
		buf_addf(out, "%s%s", !i ? "" : queue_row_repeats(f) ? " " : ",", v->list[i]);
}

static void pairs_text(const struct armada_option_value *v, struct buf *out)
{
	for (size_t i = 0; i < v->count; i++)
		buf_addf(out, "%s%s=%g", i ? "," : "", v->pairs[i].name, v->pairs[i].value);
}

static void time_text(int64_t us, struct buf *out)
{
	char text[32];

	format_duration(us, text, sizeof(text));
	buf_addstr(out, text);
}

static void row_text(const char *name, const void *row, struct buf *out)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	const struct queue_row *f = queue_row_find(name);
	struct armada_option_value v = queue_row_get(f, ROW(row)->spec, a);

	if (!v.set)
		return;
	switch (queue_row_type(f)) {
	case ARMADA_OPTION_DOUBLE:
		buf_addf(out, "%g", v.d);
		break;
	case ARMADA_OPTION_DURATION:
		time_text(v.i, out);
		break;
	case ARMADA_OPTION_STRINGS:
		list_text(f, &v, out);
		break;
	case ARMADA_OPTION_NUMBERS:
		pairs_text(&v, out);
		break;
	default:
		buf_addstr(out, v.s);
		break;
	}
}

static json_t *list_json(const struct armada_option_value *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < v->count; i++)
		json_array_append_new(list, json_string(v->list[i]));
	return list;
}

static json_t *pairs_json(const struct armada_option_value *v)
{
	json_t *o = json_object();

	for (size_t i = 0; i < v->count; i++)
		json_object_set_new(o, v->pairs[i].name, json_real(v->pairs[i].value));
	return o;
}

/* Limits that are not there are null; times are seconds, 0 for none. */
static json_t *row_json(const char *name, const void *row)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	const struct queue_row *f = queue_row_find(name);
	struct armada_option_value v = queue_row_get(f, ROW(row)->spec, a);

	if (queue_row_is_most(f))
		return v.set ? json_integer(v.i) : json_null();
	switch (queue_row_type(f)) {
	case ARMADA_OPTION_DOUBLE:
		return json_real(v.d);
	case ARMADA_OPTION_DURATION:
		return json_integer(v.i / 1000000);
	case ARMADA_OPTION_STRINGS:
		return list_json(&v);
	case ARMADA_OPTION_NUMBERS:
		return pairs_json(&v);
	default:
		return json_string(v.s);
	}
}

/*
 * X(row of `queues`, column, heading, right, shrinks, help)
 */
/* clang-format off */
#define QUEUE_ROWS(X) \
	X(priority_factor, "factor", "FACTOR", true, false, "Priority factor: lower means a larger share") \
	X(owners, "owners", "OWNERS", false, true, "Users who own it") \
	X(group_owners, "group_owners", "GROUPS", false, true, "Groups who own it") \
	X(permissions, "permissions", "PERMISSIONS", false, true, "Who else may do what") \
	X(limits, "limits", "LIMITS", false, true, "Parts of the cluster that its jobs may hold") \
	X(class_limits, "class_limits", "CLASSLIMITS", false, true, "The same, by priority class") \
	X(max_running, "max_running", "MAXRUN", true, false, "Most elements that run at once; null in JSON: no limit, as below") \
	X(max_waiting, "max_waiting", "MAXWAIT", true, false, "Most elements that wait") \
	X(max_cpus, "max_cpus", "MAXCPUS", true, false, "Most cpus of what runs; millicores in JSON") \
	X(max_memory, "max_memory", "MAXMEM", true, false, "Most memory of what runs; bytes in JSON") \
	X(max_gpus, "max_gpus", "MAXGPUS", true, false, "Most gpus of what runs") \
	X(submit_rate, "submit_rate", "RATE", true, false, "Most jobs submitted; by the hour in JSON") \
	X(submit_burst, "submit_burst", "BURST", true, false, "Most jobs submitted at once") \
	X(user_max_running, "user_max_running", "UMAXRUN", true, false, "Of each user in it: most elements that run at once") \
	X(user_max_waiting, "user_max_waiting", "UMAXWAIT", true, false, "... that wait") \
	X(user_max_cpus, "user_max_cpus", "UMAXCPUS", true, false, "... cpus; millicores in JSON") \
	X(user_max_memory, "user_max_memory", "UMAXMEM", true, false, "... memory; bytes in JSON") \
	X(user_max_gpus, "user_max_gpus", "UMAXGPUS", true, false, "... gpus") \
	X(user_submit_rate, "user_submit_rate", "URATE", true, false, "... jobs submitted; by the hour in JSON") \
	X(user_submit_burst, "user_submit_burst", "UBURST", true, false, "... jobs submitted at once") \
	X(default_class, "default_class", "DEFCLASS", false, false, "Priority class of its jobs that name none") \
	X(default_resources, "default_resources", "DEFRES", false, true, "What a task gets that does not ask") \
	X(default_time, "default_time", "DEFTIME", true, false, "Time limit of its jobs that ask for none; seconds in JSON, 0: none") \
	X(max_time, "max_time", "MAXTIME", true, false, "The longest that its jobs may ask for; seconds in JSON, 0: none") \
	X(lease, "lease", "LEASE", true, false, "How long its tasks outlive the controller; seconds in JSON, 0: as all") \
	X(labels, "labels", "LABELS", false, true, "Its labels")
/* clang-format on */

#define FUNCTIONS(row, column, heading, right, shrinks, help)                                      \
	static void row##_text(const void *at, struct buf *out)                                    \
	{                                                                                          \
		row_text(#row, at, out);                                                           \
	}                                                                                          \
	static json_t *row##_json(const void *at)                                                  \
	{                                                                                          \
		return row_json(#row, at);                                                         \
	}
QUEUE_ROWS(FUNCTIONS)

/* ---- how it is ---- */

static void name_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->spec->name);
}

static void cordoned_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->spec->cordoned ? "cordoned" : "open");
}

static void waiting_text(const void *row, struct buf *out)
{
	buf_addf(out, "%" PRIu64, ROW(row)->waiting);
}

static json_t *waiting_json(const void *row)
{
	return json_integer((json_int_t)ROW(row)->waiting);
}

static void running_text(const void *row, struct buf *out)
{
	buf_addf(out, "%" PRIu64, ROW(row)->running);
}

static json_t *running_json(const void *row)
{
	return json_integer((json_int_t)ROW(row)->running);
}

static int64_t allocated(const void *row, const char *name)
{
	for (size_t i = 0; i < ROW(row)->n_allocated; i++) {
		if (!strcmp(ROW(row)->allocated[i]->name, name))
			return ROW(row)->allocated[i]->amount;
	}
	return 0;
}

static void cpus_text(const void *row, struct buf *out)
{
	char text[32];

	format_cpu(allocated(row, "cpu"), text, sizeof(text));
	buf_addstr(out, text);
}

static json_t *cpus_json(const void *row)
{
	return json_integer(allocated(row, "cpu"));
}

static void memory_text(const void *row, struct buf *out)
{
	char text[32];

	format_size(allocated(row, "memory"), text, sizeof(text));
	buf_addstr(out, text);
}

static json_t *memory_json(const void *row)
{
	return json_integer(allocated(row, "memory"));
}

static void created_text(const void *row, struct buf *out)
{
	char text[48];

	format_time(ROW(row)->created_us, text, sizeof(text));
	buf_addstr(out, text);
}

static json_t *created_json(const void *row)
{
	return json_integer(ROW(row)->created_us);
}

static void created_by_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->created_by);
}

static void automatic_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->spec->automatic ? "yes" : "no");
}

static json_t *automatic_json(const void *row)
{
	return json_boolean(ROW(row)->spec->automatic);
}

static void declared_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->spec->declared ? "yes" : "no");
}

static json_t *declared_json(const void *row)
{
	return json_boolean(ROW(row)->spec->declared);
}

/* clang-format off */
#define COLUMN(row, column, heading, right, shrinks, help) \
	{column, heading, 0, right, shrinks, row##_text, row##_json, NULL, help},
static const struct column columns[] = {
	{"name", "QUEUE", 'P', false, false, name_text, NULL, NULL, "Name"},
	{"state", "STATE", 'T', false, false, cordoned_text, NULL, NULL, "open, or cordoned: starts nothing"},
	{"waiting", "WAITING", 0, true, false, waiting_text, waiting_json, NULL, "Elements that wait"},
	{"running", "RUNNING", 0, true, false, running_text, running_json, NULL, "Elements that run"},
	{"cpus", "CPUS", 'C', true, false, cpus_text, cpus_json, NULL, "Cpus it holds; millicores in JSON"},
	{"memory", "MEMORY", 'm', true, false, memory_text, memory_json, NULL, "Memory it holds; bytes in JSON"},
	QUEUE_ROWS(COLUMN)
	{"automatic", "AUTO", 0, false, false, automatic_text, automatic_json, NULL, "Made from the user_queues template"},
	{"declared", "DECLARED", 0, false, false, declared_text, declared_json, NULL, "armada.conf names it"},
	{"created_time", "CREATED", 0, false, false, created_text, created_json, NULL, "When; microseconds since 1970 in JSON"},
	{"created_by", "BY", 0, false, false, created_by_text, NULL, NULL, "Who created it"},
};
/* clang-format on */

const struct listing queue_listing = {
	.key = "queues",
	.standard = "name,state,factor,waiting,running,cpus,memory,owners",
	.columns = columns,
	.count = ARRAY_SIZE(columns),
};
