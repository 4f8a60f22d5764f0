/*
 * The text of a stream of events: server-sent events, or lines of JSON. Each call adds whole frames, and no
 * text of an event can end one.
 */
#pragma once

#include "cmd/awatch/event_columns.h"
#include "util/buf.h"
#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>

enum event_text { EVENT_TEXT_SSE, EVENT_TEXT_NDJSON };

/* What the header Accept asks for; NULL: there is none. */
enum event_text event_text_of(const char *accept);
const char *event_text_type(enum event_text form);
/* Adds an event. O(size of its JSON). */
void event_text_add(struct buf *out, enum event_text form, const struct event_view *v);
/* Adds what keeps the connection open and says nothing. */
void event_text_idle(struct buf *out, enum event_text form);
/* Adds why the stream ends. */
void event_text_error(struct buf *out, enum event_text form, const char *sentence);
/* The number after that of Last-Event-ID. -EINVAL: it is none. */
int event_text_after(const char *last_id, uint64_t *ret_from, struct err *err);
