/*
 * The columns of queues, for actl queue list and queue show.
 *
 * Columns of settings are made from conf/queue_table.h; their text and JSON value depend on the
 * shape of the field. The other columns show the state and the use of a queue.
 */
#include "cmd/actl/queue.h"
#include "cmd/listing/resources.h"
#include "util/mem.h"
#include "util/units.h"

#define ROW(row) ((const Armada__QueueRow *)(row))

/* ---- settings, which armada.conf has too ---- */

static void list_text(const struct queue_field *f, const struct armada_option_value *v,
		      struct buf *out)
{
	for (size_t i = 0; i < v->count; i++)
		buf_addf(out, "%s%s", !i ? "" : queue_field_repeats(f) ? " " : ",", v->list[i]);
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

static void field_text(const void *row, const void *field, struct buf *out)
{
	const struct queue_field *f = field;
	CLEANUP_ARENA struct arena *a = arena_new(0);
	struct armada_option_value v = queue_field_get(f, ROW(row)->spec, a);

	if (!v.set)
		return;
	switch (f->shape) {
	case QUEUE_SHAPE_DOUBLE:
		buf_addf(out, "%g", v.d);
		break;
	case QUEUE_SHAPE_BOOL:
		buf_addstr(out, v.i ? "yes" : "no");
		break;
	case QUEUE_SHAPE_TEXT:
	case QUEUE_SHAPE_LIMIT:
		buf_addstr(out, v.s);
		break;
	case QUEUE_SHAPE_SECONDS:
		time_text(v.i, out);
		break;
	case QUEUE_SHAPE_FRACTIONS:
		pairs_text(&v, out);
		break;
	default:
		list_text(f, &v, out);
		break;
	}
}

static json_t *pairs_json(const struct armada_option_value *v)
{
	json_t *o = json_object();

	for (size_t i = 0; i < v->count; i++)
		json_object_set_new(o, v->pairs[i].name, json_real(v->pairs[i].value));
	return o;
}

/* A limit that is not set is null; times are in seconds, 0 for none. */
static json_t *field_json(const void *row, const void *field)
{
	const struct queue_field *f = field;
	CLEANUP_ARENA struct arena *a = arena_new(0);
	struct armada_option_value v = queue_field_get(f, ROW(row)->spec, a);

	switch (f->shape) {
	case QUEUE_SHAPE_LIMIT:
		return v.set ? json_integer(v.i) : json_null();
	case QUEUE_SHAPE_DOUBLE:
		return json_real(v.d);
	case QUEUE_SHAPE_BOOL:
		return json_boolean(v.i);
	case QUEUE_SHAPE_TEXT:
		return json_string(v.s);
	case QUEUE_SHAPE_SECONDS:
		return json_integer(v.i / 1000000);
	case QUEUE_SHAPE_FRACTIONS:
		return pairs_json(&v);
	default:
		return column_strings_json(v.list, v.count);
	}
}

/* ---- state and use ---- */

static void cordoned_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->spec->cordoned ? "cordoned" : "open");
}

static int64_t allocated(const void *row, const void *resource)
{
	return resources_amount(ROW(row)->allocated, ROW(row)->n_allocated, resource);
}

/* clang-format off */
#define COLUMN(...)    __VA_ARGS__
#define NO_COLUMN(...)
#define FIELD(n, shape, kept, right, words, bounds, text, in, in_text, option, column) \
	FIELD_COLUMN(n, column)
#define FIELD_COLUMN(...) FIELD_COLUMN_(__VA_ARGS__)
#define FIELD_COLUMN_(n, name, heading, side, help) \
	{name, heading, 0, QUEUE_##side == QUEUE_RIGHT, QUEUE_##side == QUEUE_WIDE, \
	 CELL_CUSTOM(field_text, field_json, &queue_fields[QUEUE_OF_##n]), NULL, help},
#define OF_SPEC .through = true, .pointer = offsetof(Armada__QueueRow, spec)
static const struct column columns[] = {
	{"name", "QUEUE", 'P', false, false, CELL_TEXT(Armada__QueueSpec, name, OF_SPEC), NULL, "Name of the queue"},
	{"state", "STATE", 'T', false, false, CELL(cordoned_text, NULL), NULL, "open, or cordoned: starts no jobs"},
	{"waiting", "WAITING", 0, true, false, CELL_INT(Armada__QueueRow, waiting), NULL, "Number of pending elements"},
	{"running", "RUNNING", 0, true, false, CELL_INT(Armada__QueueRow, running), NULL, "Number of running elements"},
	{"cpus", "CPUS", 'C', true, false, CELL_NUMBER(allocated, "cpu", format_cpu), NULL, "Cpus that the queue uses; millicores in JSON"},
	{"memory", "MEMORY", 'm', true, false, CELL_NUMBER(allocated, "memory", format_size), NULL, "Memory that the queue uses; bytes in JSON"},
	QUEUE_TABLE(FIELD, NO_COLUMN)
	{"automatic", "AUTO", 0, false, false, CELL_BOOL(Armada__QueueSpec, automatic, OF_SPEC), NULL, "Whether the queue was created from the user_queues template"},
	{"declared", "DECLARED", 0, false, false, CELL_BOOL(Armada__QueueSpec, declared, OF_SPEC), NULL, "Whether armada.conf declares the queue"},
	{"created_time", "CREATED", 0, false, false, CELL_QUANTITY(Armada__QueueRow, created_us, format_time), NULL, "Time of creation; microseconds since 1970 in JSON"},
	{"created_by", "BY", 0, false, false, CELL_TEXT(Armada__QueueRow, created_by), NULL, "User who created the queue"},
};
/* clang-format on */

const struct listing queue_listing =
	LISTING("queues", "name,state,factor,waiting,running,cpus,memory,owners", columns);
