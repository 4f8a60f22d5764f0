/*
 * Frames of event streams (event_text.h). Input: events, and sentences. Output: text for the client.
 * JSON in one line has no line feed, so the line feeds of frames are the only ones.
 */
#include "armrestd/event_text.h"

#include "armrestd/sentence.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum event_text event_text_of(const char *accept)
{
	return accept && strstr(accept, "application/x-ndjson") ? EVENT_TEXT_NDJSON
								: EVENT_TEXT_SSE;
}

const char *event_text_type(enum event_text form)
{
	return form == EVENT_TEXT_SSE ? "text/event-stream" : "application/x-ndjson";
}

/* Takes the reference. */
static void add_json(struct buf *out, json_t *json)
{
	CLEANUP_FREE char *text = json_dumps(json, JSON_COMPACT);

	json_decref(json);
	buf_addstr(out, text ? text : "{}");
}

void event_text_add(struct buf *out, enum event_text form, const struct event_view *v)
{
	if (form == EVENT_TEXT_SSE)
		buf_addf(out, "id: %" PRIu64 "\nevent: job\ndata: ", v->event->number);
	add_json(out, event_json(v));
	buf_addstr(out, form == EVENT_TEXT_SSE ? "\n\n" : "\n");
}

void event_text_idle(struct buf *out, enum event_text form)
{
	buf_addstr(out, form == EVENT_TEXT_SSE ? ": still here\n\n" : "\n");
}

/* A sentence may name what a user has written, with any character. */
static void add_line(struct buf *out, const char *text)
{
	for (; *text; text++)
		buf_addc(out, (unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text);
}

void event_text_error(struct buf *out, enum event_text form, const char *sentence)
{
	json_t *text = sentence_json(sentence);

	if (form == EVENT_TEXT_NDJSON) {
		add_json(out, json_pack("{s:o}", "error", text));
		buf_addc(out, '\n');
		return;
	}
	buf_addstr(out, "event: error\ndata: ");
	add_line(out, json_string_value(text));
	buf_addstr(out, "\n\n");
	json_decref(text);
}

int event_text_after(const char *last_id, uint64_t *ret_from, struct err *err)
{
	int64_t last = 0;

	if (parse_int(last_id, 0, INT64_MAX - 1, &last, err) < 0)
		return err_prefix(err, -EINVAL, "Last-Event-ID");
	*ret_from = (uint64_t)last + 1;
	return 0;
}
