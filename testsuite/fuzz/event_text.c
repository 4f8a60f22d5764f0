/*
 * Input: a line that is a Last-Event-ID; the rest is a packed event, or else the texts of one. A reader of
 * server-sent events, and one of lines, must find the same events in their streams, and nothing else.
 */
#include "armrestd/event_text.h"

#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_id(const char *text)
{
	uint64_t from = 0;
	struct err err = {""};

	if (event_text_after(text, &from, &err) == 0)
		check(from == strtoull(text, NULL, 10) + 1 &&
		      text[strspn(text, "-0123456789")] == '\0');
	else
		check(!from && strncmp(err.text, "Last-Event-ID: ", 15) == 0);
}

/* What a reader finds in a stream. */
struct found {
	unsigned jobs, errors, idles;
	uint64_t id;
};

static void check_object(const char *text, const char *member, uint64_t number)
{
	json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	check(json_is_object(o) && json_object_get(o, member));
	if (strcmp(member, "number") == 0)
		check((uint64_t)json_integer_value(json_object_get(o, member)) == number);
	json_decref(o);
}

/* By the rules of the HTML standard: CR also ends a line, and an empty line an event. */
static void read_sse(char *text, uint64_t number, struct found *f)
{
	const char *type = "", *value = NULL;

	while (*text) {
		char *line = text;

		text += strcspn(text, "\r\n");
		check(*text == '\n');
		*text++ = '\0';
		if (line[0] == ':') {
			f->idles++;
		} else if (strncmp(line, "id: ", 4) == 0) {
			f->id = strtoull(line + 4, NULL, 10);
		} else if (strncmp(line, "event: ", 7) == 0) {
			type = line + 7;
		} else if (!*line && value) {
			if (strcmp(type, "job") == 0)
				check_object(value, "number", number);
			f->jobs += strcmp(type, "job") == 0;
			f->errors += strcmp(type, "error") == 0;
			value = NULL;
		} else if (*line) {
			check(strncmp(line, "data: ", 6) == 0 && !value);
			value = line + 6;
		}
	}
	check(!value);
}

static void read_lines(char *text, uint64_t number, struct found *f)
{
	while (*text) {
		char *line = text;

		text += strcspn(text, "\n");
		check(*text == '\n');
		*text++ = '\0';
		if (!*line) {
			f->idles++;
			continue;
		}
		check_object(line, f->jobs < 2 ? "number" : "error", number);
		f->errors += f->jobs == 2;
		f->jobs += f->jobs < 2;
	}
}

static void check_stream(enum event_text form, const struct event_view *v, const char *sentence)
{
	CLEANUP_BUF struct buf out = {0};
	struct found f = {.id = v->event->number};

	event_text_add(&out, form, v);
	event_text_idle(&out, form);
	event_text_add(&out, form, v);
	event_text_error(&out, form, sentence);
	check(strlen((char *)out.data) == out.len);
	if (form == EVENT_TEXT_SSE)
		read_sse((char *)out.data, v->event->number, &f);
	else
		read_lines((char *)out.data, v->event->number, &f);
	check(f.jobs == 2 && f.idles == 1 && f.errors == 1 && f.id == v->event->number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	Armada__JobEvent own = ARMADA__JOB_EVENT__INIT;
	const Armada__JobEvent *ev;
	CLEANUP_BUF struct buf text = {0};
	struct event_view v;
	struct err err;
	char *rest, *id;

	buf_add(&text, data, size);
	buf_addstr(&text, "");
	id = (char *)text.data;
	rest = id + strcspn(id, "\n");
	ev = msg_unpack_as(&armada__job_event__descriptor, (uint8_t *)rest,
			   size - (size_t)(rest - id), arena, &err);
	if (*rest)
		*rest++ = '\0';
	own.kind = ARMADA__JOB_EVENT_KIND__JOB_EVENT_FAILED;
	own.number = size;
	own.reason = rest;
	v = (struct event_view){ev ? ev : &own, id, rest};
	check_id(id);
	check_stream(EVENT_TEXT_SSE, &v, rest);
	check_stream(EVENT_TEXT_NDJSON, &v, rest);
	return 0;
}
