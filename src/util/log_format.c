/*
 * The forms of a log line (log_format.h). Input: an entry. Output: bytes for one write. All output goes
 * through add_text(), which escapes, or through add(), which gets only texts of the program.
 */
#include "util/log_format.h"

#include "util/visible.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 8 }; /* for what closes a line */

struct out {
	char *text;
	size_t len;
};

static void add(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct out *o, const char *fmt, ...)
{
	size_t left = LOG_LINE_MAX - ROOM - o->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(o->text + o->len, left, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < left)
		o->len += (size_t)n;
}

static void add_bytes(struct out *o, const char *bytes, size_t len)
{
	memcpy(o->text + o->len, bytes, len);
	o->len += len;
}

/* json: escape what a string of JSON cannot contain. Leaves `room` bytes for the fields that follow. */
static void add_text(struct out *o, const char *text, bool json, size_t room)
{
	for (const char *p = text; *p && o->len + room + 2 * (size_t)ROOM < LOG_LINE_MAX;) {
		size_t len = visible_char(p);
		char code[8];

		if (len && json && (*p == '"' || *p == '\\'))
			add_bytes(o, "\\", 1);
		if (len) {
			add_bytes(o, p, len);
		} else {
			int n = snprintf(code, sizeof(code), "%s\\x%02x", json ? "\\" : "",
					 (unsigned char)*p);
			add_bytes(o, code, (size_t)n);
		}
		p += len ? len : 1;
	}
}

size_t log_format_text(const struct log_entry *e, bool priority, char out[LOG_LINE_MAX])
{
	struct out o = {out, 0};
	char when[32];
	struct tm tm;

	if (priority) {
		add(&o, "<%d>%s: ", e->level, e->daemon);
	} else {
		localtime_r(&e->time.tv_sec, &tm);
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
		add(&o, "%s.%03ld %s %s: ", when, e->time.tv_nsec / 1000000, e->daemon,
		    log_level_word(e->level));
	}
	add_text(&o, e->text, false,
		 LOG_LINE_MAX / 2); /* 4 KiB: more lines of text are one line here */
	out[o.len++] = '\n';
	return o.len;
}

/* before: what separates it from the member before it. */
static void add_member(struct out *o, char before, const char *name, const char *value)
{
	const char quote = '"';

	if (!value || !*value)
		return;
	add(o, "%c%c%s%c:%c", before, quote, name, quote, quote);
	add_text(o, value, true, 0);
	add_bytes(o, &quote, 1);
}

/* The fields come first: only the message may be cut. */
size_t log_format_json(const struct log_entry *e, char out[LOG_LINE_MAX])
{
	struct out o = {out, 0};
	char when[48], code[160];
	struct tm tm;
	size_t n;

	gmtime_r(&e->time.tv_sec, &tm);
	n = strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(when + n, sizeof(when) - n, ".%06ldZ", e->time.tv_nsec / 1000);
	snprintf(code, sizeof(code), "%s:%d", e->from->file, e->from->line);
	add_member(&o, '{', "time", when);
	add_member(&o, ',', "daemon", e->daemon);
	add_member(&o, ',', "level", log_level_word(e->level));
	add_member(&o, ',', "area", log_area_word(e->from->area));
	if (e->about->job)
		add(&o, ",%cjob%c:%" PRIu64, '"', '"', e->about->job);
	add_member(&o, ',', "node", e->about->node);
	add_member(&o, ',', "queue", e->about->queue);
	add_member(&o, ',', "user", e->about->user);
	add_member(&o, ',', "code", code);
	add_member(&o, ',', "message", e->text);
	add_bytes(&o, "}\n", 2);
	return o.len;
}

static void add_field(struct out *o, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	add(o, "%s=", name);
	add_text(o, value, false, 0);
	add_bytes(o, "\n", 1);
}

size_t log_format_journal(const struct log_entry *e, char out[LOG_LINE_MAX])
{
	struct out o = {out, 0};

	add(&o, "PRIORITY=%d\nSYSLOG_IDENTIFIER=%s\nARMADA_AREA=%s\n", e->level, e->daemon,
	    log_area_word(e->from->area));
	if (e->about->job)
		add(&o, "ARMADA_JOB=%" PRIu64 "\n", e->about->job);
	add_field(&o, "ARMADA_NODE", e->about->node);
	add_field(&o, "ARMADA_QUEUE", e->about->queue);
	add_field(&o, "ARMADA_USER", e->about->user);
	add(&o, "CODE_FILE=%s\nCODE_LINE=%d\nCODE_FUNC=%s\n", e->from->file, e->from->line,
	    e->from->function);
	add_field(&o, "MESSAGE", e->text);
	return o.len;
}
