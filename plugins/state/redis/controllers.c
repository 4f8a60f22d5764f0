/*
 * What controllers say about themselves: the hash "controllers" has a line for each name, and "notes" what
 * the host adds. A line begins with a random number of the process and a count, so that two processes of
 * one name notice each other, and others see whether one still runs without comparing clocks.
 */
#include "controllers.h"
#include "../sqlite/error.h"
#include "link.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 512, FIRST_TRIES = 15, FIRST_PAUSE_MS = 200, SEEN_MAX = 64 };

/* A controller that this process has seen. */
struct seen {
	char name[NAME_BYTES], line[LINE_BYTES];
	int64_t changed_us; /* 0: its line has not changed yet */
};

static redisReply *get(struct engine *e, const char *hash, const char *name, int *ret_rc,
		       struct armada_error *err)
{
	char key[KEY_BYTES];

	snprintf(key, sizeof(key), "%s%s", e->prefix, hash);
	return name ? ASK(e, e->side.conn, ret_rc, err, "HGET", key, name)
		    : ASK(e, e->side.conn, ret_rc, err, "HGETALL", key);
}

static int put(struct engine *e, const char *hash, const char *name, const void *data, size_t len,
	       struct armada_error *err)
{
	struct command *c = calloc(1, sizeof(*c));
	char key[KEY_BYTES];
	redisReply *r;
	int rc = 0;

	if (!c)
		abort();
	snprintf(key, sizeof(key), "%s%s", e->prefix, hash);
	command_text(c, "HSET");
	command_text(c, key);
	command_text(c, name);
	command_blob(c, data, len);
	r = conn_call(e, e->side.conn, c, &rc, err);
	free(c);
	if (r)
		freeReplyObject(r);
	return rc;
}

/* The line of another process with this name; "": there is none. */
static int other_line(struct engine *e, const char *name, char line[LINE_BYTES],
		      struct armada_error *err)
{
	int rc = 0;
	redisReply *r = get(e, "controllers", name, &rc, err);

	if (!r)
		return rc;
	snprintf(line, LINE_BYTES, "%s", r->str ? r->str : "");
	freeReplyObject(r);
	if (strncmp(line, e->incarnation, strlen(e->incarnation)) == 0)
		line[0] = '\0';
	return 0;
}

static int refuse(const char *name, const char *line, struct armada_error *err)
{
	const char *address = strrchr(line, ' ');

	return fail(err, -EEXIST, "another running controller has the name '%s' (at %s)", name,
		    address ? address + 1 : "an unknown address");
}

/* Is the other process that has our name still there? */
static int watch_other(struct engine *e, const char *name, struct armada_error *err)
{
	char first[LINE_BYTES], now[LINE_BYTES];
	int rc = other_line(e, name, first, err);

	for (int i = 0; i < FIRST_TRIES && !rc && first[0]; i++) {
		if (!engine_sleep(e, FIRST_PAUSE_MS))
			return fail(err, -EINTR, "interrupted");
		rc = other_line(e, name, now, err);
		if (!rc && strcmp(first, now) != 0)
			return refuse(name, first, err);
	}
	return rc;
}

static int check_name(struct engine *e, const char *name, struct armada_error *err)
{
	char line[LINE_BYTES];
	int rc;

	if (!e->announced)
		return watch_other(e, name, err);
	rc = other_line(e, name, line, err);
	return !rc && line[0] ? refuse(name, line, err) : rc;
}

int controllers_announce(void *handle, const struct armada_replica_controller *self,
			 struct armada_error *err)
{
	struct engine *e = handle;
	char line[LINE_BYTES];
	int rc = link_ready(&e->side, NULL, err);

	if (self->len > ARMADA_REPLICA_DATA_MAX || !self->name[0])
		return fail(err, -EINVAL, "a controller needs a name, and at most %d bytes of data",
			    ARMADA_REPLICA_DATA_MAX);
	if (!rc)
		rc = check_name(e, self->name, err);
	if (rc)
		return rc;
	if (strcmp(e->self, self->name) != 0)
		snprintf(e->self, sizeof(e->self), "%s", self->name);
	snprintf(line, sizeof(line), "%s %" PRIu64 " %d %" PRIu64 " %" PRIu64 " %s", e->incarnation,
		 e->count++, self->leads, self->epoch, self->seq, self->address);
	rc = put(e, "controllers", self->name, line, strlen(line), err);
	if (!rc && (!e->announced || self->len != e->noted_len ||
		    (self->len && memcmp(self->data, e->noted, self->len) != 0))) {
		rc = put(e, "notes", self->name, self->data, self->len, err);
		free(e->noted);
		e->noted = malloc(self->len + 1);
		e->noted_len = e->noted ? self->len : 0;
		if (e->noted_len)
			memcpy(e->noted, self->data, self->len);
	}
	e->announced = e->announced || !rc;
	return rc;
}

/* Since the line of a controller changed; -1: it has not changed since it was seen first. */
static int64_t age(struct engine *e, const char *name, const char *line)
{
	struct seen *s = NULL;

	for (size_t i = 0; i < e->seen_count && !s; i++)
		if (strcmp(e->seen[i].name, name) == 0)
			s = &e->seen[i];
	if (!s && e->seen_count == SEEN_MAX)
		return -1;
	if (!s) {
		struct seen *more = realloc(e->seen, (e->seen_count + 1) * sizeof(*more));

		if (!more)
			abort();
		e->seen = more;
		s = &more[e->seen_count++];
		*s = (struct seen){0};
		snprintf(s->name, sizeof(s->name), "%s", name);
		snprintf(s->line, sizeof(s->line), "%s", line);
	} else if (strcmp(s->line, line) != 0) {
		snprintf(s->line, sizeof(s->line), "%s", line);
		s->changed_us = now_us();
	}
	return s->changed_us ? now_us() - s->changed_us : -1;
}

static bool parse(struct engine *e, const redisReply *name, const redisReply *line,
		  struct armada_replica_controller *c)
{
	int leads = 0, at = 0;

	*c = (struct armada_replica_controller){0};
	if (name->len >= sizeof(c->name) ||
	    sscanf(line->str, "%*s %*s %d %" SCNu64 " %" SCNu64 " %n", &leads, &c->epoch, &c->seq,
		   &at) < 3 ||
	    !at)
		return false;
	snprintf(c->name, sizeof(c->name), "%s", name->str);
	snprintf(c->address, sizeof(c->address), "%s", line->str + at);
	c->leads = leads != 0;
	c->age_us = age(e, c->name, line->str);
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct armada_replica_controller *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int controllers_list(void *handle, armada_replica_controller_fn *on_controller, void *arg,
		     struct armada_error *err)
{
	struct armada_replica_controller *list = NULL;
	struct engine *e = handle;
	redisReply *lines = NULL, *notes = NULL;
	size_t count = 0;
	int rc = link_ready(&e->side, NULL, err);

	if (!rc)
		lines = get(e, "controllers", NULL, &rc, err);
	if (lines)
		notes = get(e, "notes", NULL, &rc, err);
	if (notes)
		list = calloc(lines->elements / 2 + 1, sizeof(*list));
	for (size_t i = 0; list && i + 1 < lines->elements; i += 2)
		count += parse(e, lines->element[i], lines->element[i + 1], &list[count]);
	if (count > 1)
		qsort(list, count, sizeof(*list), by_name);
	for (size_t i = 0; i < count && !rc; i++) {
		for (size_t n = 0; n + 1 < notes->elements; n += 2)
			if (strcmp(notes->element[n]->str, list[i].name) == 0) {
				list[i].data = notes->element[n + 1]->str;
				list[i].len = notes->element[n + 1]->len;
			}
		rc = on_controller(arg, &list[i]);
	}
	free(list);
	if (lines)
		freeReplyObject(lines);
	if (notes)
		freeReplyObject(notes);
	return rc;
}

void controllers_forget(struct engine *e)
{
	free(e->seen);
	free(e->noted);
	e->seen = NULL;
	e->noted = NULL;
	e->seen_count = 0;
}
