/*
 * Columns and JSON of job events. Both follow the table of fields (proto/job_event_table.h), so that a new
 * field needs nothing here.
 */
#include "cmd/awatch/event_columns.h"

#include "proto/job_event_table.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/units.h"

#include <inttypes.h>
#include <string.h>

#define EVENT(row) (((const struct event_view *)(row))->event)

static void add_ranges(const Armada__JobEvent *ev, struct buf *out)
{
	for (size_t i = 0; i < ev->n_elements; i++) {
		const Armada__IndexRange *r = ev->elements[i];

		buf_addf(out, "%s%u", i ? "," : "", r->first);
		if (r->last > r->first)
			buf_addf(out, "-%u", r->last);
		if (r->step > 1)
			buf_addf(out, ":%u", r->step);
	}
}

static bool is_one(const Armada__JobEvent *ev)
{
	return ev->n_elements == 1 && ev->elements[0]->first == ev->elements[0]->last;
}

void event_id(const Armada__JobEvent *ev, struct buf *out)
{
	buf_addf(out, "%" PRIu64, ev->job);
	if (!ev->n_elements)
		return;
	buf_addstr(out, is_one(ev) ? "_" : "_[");
	add_ranges(ev, out);
	if (!is_one(ev))
		buf_addc(out, ']');
}

static int64_t number_at(const void *at, size_t size, bool is_signed)
{
	uint32_t half;
	int64_t whole;

	if (size == sizeof(half)) {
		memcpy(&half, at, sizeof(half));
		return is_signed ? (int32_t)half : (int64_t)half;
	}
	memcpy(&whole, at, sizeof(whole));
	return whole;
}

/* The field as JSON; NULL: it has no value. */
static json_t *field_json(const Armada__JobEvent *ev, const struct job_event_field_info *f)
{
	const void *at = (const char *)ev + f->at;
	const char *const *list;
	const char *text;
	int64_t number;
	double real;

	switch (f->type) {
	case JOB_EVENT_TEXT:
		memcpy(&text, at, sizeof(text));
		return text[0] ? json_string(text) : NULL;
	case JOB_EVENT_TEXTS:
		memcpy(&list, at, sizeof(list));
		memcpy(&number, (const char *)ev + f->count_at, sizeof(number));
		return number ? column_strings_json(list, (size_t)number) : NULL;
	case JOB_EVENT_REAL:
		memcpy(&real, at, sizeof(real));
		return real != 0 ? column_real_json(real) : NULL;
	case JOB_EVENT_BOOL:
		return *(const protobuf_c_boolean *)at ? json_true() : NULL;
	case JOB_EVENT_CATEGORY:
	case JOB_EVENT_FAULT:
		number = number_at(at, f->size, true);
		text = f->type == JOB_EVENT_FAULT ? fault_name((int)number)
						  : failure_category_name((int)number);
		return number ? json_string(text) : NULL;
	default:
		number = number_at(at, f->size, f->type == JOB_EVENT_INT);
		return number ? json_integer(number) : NULL;
	}
}

static bool has(const Armada__JobEvent *ev, int field)
{
	const struct job_event_kind *kind = job_event_kind(ev->kind);

	return !kind || kind->fields & UINT64_C(1) << field;
}

static const char *kind_name(const Armada__JobEvent *ev)
{
	const struct job_event_kind *kind = job_event_kind(ev->kind);

	return kind ? kind->name : "other";
}

/* An exit code of 0, and an old priority, are values where the event has them. */
static bool shows_zero(const Armada__JobEvent *ev, int field)
{
	return (field == JOB_EVENT_AT_EXIT_CODE && ev->attempt) || field == JOB_EVENT_AT_PRIORITY ||
	       field == JOB_EVENT_AT_OLD_PRIORITY;
}

json_t *event_json(const struct event_view *v)
{
	const Armada__JobEvent *ev = v->event;
	CLEANUP_BUF struct buf text = {0};
	json_t *o = json_object();

	event_id(ev, &text);
	json_object_set_new(o, "number", json_integer((json_int_t)ev->number));
	json_object_set_new(o, "time_us", json_integer(ev->time_us));
	json_object_set_new(o, "event", json_string(kind_name(ev)));
	json_object_set_new(o, "queue", json_string(v->queue));
	json_object_set_new(o, "job_set", json_string(v->job_set));
	json_object_set_new(o, "job", json_integer((json_int_t)ev->job));
	json_object_set_new(o, "id", json_string((char *)text.data));
	json_object_set_new(o, "uid", json_integer(ev->uid));
	if (is_one(ev))
		json_object_set_new(o, "element", json_integer(ev->elements[0]->first));
	if (ev->n_elements) {
		buf_clear(&text);
		add_ranges(ev, &text);
		json_object_set_new(o, "elements", json_string((char *)text.data));
	}
	for (int i = 0; i < JOB_EVENT_FIELDS; i++) {
		json_t *value = has(ev, i) ? field_json(ev, job_event_field(i)) : NULL;

		if (!value && has(ev, i) && shows_zero(ev, i))
			value = json_integer(0);
		if (value)
			json_object_set_new(o, job_event_field(i)->name, value);
	}
	return o;
}

/* ---- text ---- */

static void add_list(const Armada__JobEvent *ev, const struct job_event_field_info *f,
		     const char *const *list, size_t count, struct buf *out)
{
	if (f == job_event_field(JOB_EVENT_AT_NODES)) {
		hostlist_compress(list, count, out);
		return;
	}
	(void)ev;
	for (size_t i = 0; i < count; i++)
		buf_addf(out, "%s%s", i ? "," : "", list[i]);
}

static void add_number(int field, int64_t number, struct buf *out)
{
	enum job_event_type type = job_event_field((enum job_event_field)field)->type;
	char text[48];

	if (field == JOB_EVENT_AT_CPU_US)
		snprintf(text, sizeof(text), "%.3gs", (double)number / 1e6);
	else if (type == JOB_EVENT_TIME)
		format_time(number, text, sizeof(text));
	else if (type == JOB_EVENT_BYTES)
		format_size(number, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%" PRId64, number);
	buf_addstr(out, text);
}

/* Without the unit: the value is shown with its own. */
static int name_length(const char *name)
{
	size_t len = strlen(name);

	if (len > 3 && strcmp(name + len - 3, "_us") == 0)
		len -= 3;
	else if (len > 6 && strcmp(name + len - 6, "_bytes") == 0)
		len -= 6;
	return (int)len;
}

/* What is true of most jobs is left out for people. */
static bool is_usual(const Armada__JobEvent *ev, int field)
{
	return (field == JOB_EVENT_AT_TASKS && ev->tasks == 1) ||
	       (field == JOB_EVENT_AT_COUNT && ev->count == 1);
}

/* "name=value" */
static void add_field(const Armada__JobEvent *ev, int field, struct buf *out)
{
	const struct job_event_field_info *f = job_event_field(field);
	const void *at = (const char *)ev + f->at;
	json_t *value = has(ev, field) ? field_json(ev, f) : NULL;
	const char *const *list;
	size_t count;

	if (!value && !(has(ev, field) && field == JOB_EVENT_AT_OLD_PRIORITY))
		return;
	buf_addf(out, "%s%.*s=", out->len ? " " : "", name_length(f->name), f->name);
	if (f->type == JOB_EVENT_TEXTS) {
		memcpy(&list, at, sizeof(list));
		memcpy(&count, (const char *)ev + f->count_at, sizeof(count));
		add_list(ev, f, list, count, out);
	} else if (json_is_string(value)) {
		buf_addstr(out, json_string_value(value));
	} else if (json_is_integer(value)) {
		add_number(field, json_integer_value(value), out);
	} else if (json_is_real(value)) {
		buf_addf(out, "%.3g", json_real_value(value));
	} else {
		buf_addstr(out, value ? "yes" : "0");
	}
	json_decref(value);
}

void event_detail(const Armada__JobEvent *ev, struct buf *out)
{
	buf_addstr(out, "");
	for (int i = 0; i < JOB_EVENT_FIELDS; i++)
		if (i != JOB_EVENT_AT_REASON && !is_usual(ev, i))
			add_field(ev, i, out);
	if (ev->reason[0])
		buf_addf(out, "%s%s", out->len ? ": " : "", ev->reason);
}

const char *event_colour(const Armada__JobEvent *ev)
{
	switch (ev->kind) {
	case ARMADA__JOB_EVENT_KIND__JOB_EVENT_SUCCEEDED:
	case ARMADA__JOB_EVENT_KIND__JOB_EVENT_RUNNING:
		return "green";
	case ARMADA__JOB_EVENT_KIND__JOB_EVENT_FAILED:
		return "red";
	case ARMADA__JOB_EVENT_KIND__JOB_EVENT_CANCELLED:
	case ARMADA__JOB_EVENT_KIND__JOB_EVENT_PREEMPTED:
	case ARMADA__JOB_EVENT_KIND__JOB_EVENT_REQUEUED:
	case ARMADA__JOB_EVENT_KIND__JOB_EVENT_LEASE_EXPIRED:
	case ARMADA__JOB_EVENT_KIND__JOB_EVENT_UNREACHABLE:
		return "yellow";
	default:
		return NULL;
	}
}

static void id_text(const void *row, struct buf *out)
{
	event_id(EVENT(row), out);
}

static void event_text(const void *row, struct buf *out)
{
	buf_addstr(out, kind_name(EVENT(row)));
}

static void detail_text(const void *row, struct buf *out)
{
	event_detail(EVENT(row), out);
}

static const char *row_colour(const void *row)
{
	return event_colour(EVENT(row));
}

static void reason_text(const void *row, struct buf *out)
{
	buf_addstr(out, EVENT(row)->reason);
}

static void nodes_text(const void *row, struct buf *out)
{
	hostlist_compress((const char *const *)EVENT(row)->nodes, EVENT(row)->n_nodes, out);
}

static int64_t number_of(const void *row, const void *unused)
{
	(void)unused;
	return (int64_t)EVENT(row)->number;
}

static int64_t job_of(const void *row, const void *unused)
{
	(void)unused;
	return (int64_t)EVENT(row)->job;
}

static int64_t time_of(const void *row, const void *unused)
{
	(void)unused;
	return EVENT(row)->time_us;
}

static int64_t attempt_of(const void *row, const void *unused)
{
	(void)unused;
	return EVENT(row)->attempt ? (int64_t)EVENT(row)->attempt : CELL_UNKNOWN;
}

/* clang-format off */
#define VIEW struct event_view
static const struct column columns[] = {
	{"time", "TIME", 't', false, false, CELL_NUMBER(time_of, NULL, format_time), NULL, "When it happened"},
	{"number", "NUMBER", 'n', true, false, CELL_NUMBER(number_of, NULL, NULL), NULL, "Number of the event in its job set"},
	{"id", "ID", 'i', true, false, CELL(id_text, NULL), NULL, "Job, with its elements if it is an array"},
	{"event", "EVENT", 'e', false, false, CELL(event_text, NULL), row_colour, "What happened (armada-events(5))"},
	{"detail", "DETAIL", 'd', false, true, CELL(detail_text, NULL), NULL, "Fields of the event besides those of the other columns"},
	{"job", "JOB", 'A', true, false, CELL_NUMBER(job_of, NULL, NULL), NULL, "Job"},
	{"attempt", "ATTEMPT", 'a', true, false, CELL_NUMBER(attempt_of, NULL, NULL), NULL, "Attempt"},
	{"nodes", "NODES", 'N', false, true, CELL(nodes_text, NULL), NULL, "Nodes of a lease"},
	{"reason", "REASON", 'r', false, true, CELL(reason_text, NULL), NULL, "Why"},
	{"queue", "QUEUE", 'P', false, false, CELL_TEXT(VIEW, queue), NULL, "Queue of the job set"},
	{"job_set", "JOB_SET", 's', false, false, CELL_TEXT(VIEW, job_set), NULL, "Name of the job set"},
};
/* clang-format on */

const struct listing event_listing = LISTING("events", "time,number,id,event,detail", columns, );
