/*
 * Strict getters of a JSON document (doc.h).
 *
 * Input: a place in the document, and the expected type and range. Output: the value. The first
 * error is stored in the caller's err with its path, as "rounds[0].submit[2].time_limit: ...";
 * afterwards every getter returns its default.
 */
#include "asim/rounds/doc.h"
#include "util/buf.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int take(struct doc *d, json_t *root, const json_error_t *e, struct err *err)
{
	*d = (struct doc){.err = err, .root = root};
	if (!root)
		return err_set(err, -EINVAL, "line %d, column %d: %s", e->line, e->column, e->text);
	return 0;
}

int doc_load(struct doc *d, const char *file, struct err *err)
{
	json_error_t e;

	return take(d, json_load_file(file, JSON_REJECT_DUPLICATES, &e), &e, err);
}

int doc_parse(struct doc *d, const char *text, size_t len, struct err *err)
{
	json_error_t e;

	return take(d, json_loadb(text, len, JSON_REJECT_DUPLICATES, &e), &e, err);
}

void doc_done(struct doc *d)
{
	json_decref(d->root);
	d->root = NULL;
}

static void put_path(struct buf *b, const struct at *at)
{
	if (!at || !at->up)
		return;
	put_path(b, at->up);
	if (at->key)
		buf_addf(b, "%s%s", b->len ? "." : "", at->key);
	else
		buf_addf(b, "[%zu]", at->index);
}

void doc_fail(struct doc *d, const struct at *at, const char *fmt, ...)
{
	CLEANUP_BUF struct buf b = {0};
	char text[400];
	va_list ap;

	if (d->bad)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_path(&b, at);
	err_set(d->err, -EINVAL, "%s%s%s", b.len ? (const char *)b.data : "", b.len ? ": " : "",
		text);
	d->bad = true;
}

static bool listed(const char *const *keys, const char *key)
{
	for (; *keys; keys++)
		if (strcmp(*keys, key) == 0)
			return true;
	return false;
}

bool doc_object(struct doc *d, const struct at *at, const char *const *keys)
{
	CLEANUP_BUF struct buf b = {0};
	const char *key;
	json_t *value;

	if (d->bad)
		return false;
	if (!json_is_object(at->value)) {
		doc_fail(d, at, "an object is needed here");
		return false;
	}
	for (size_t i = 0; keys[i]; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", keys[i]);
	json_object_foreach(at->value, key, value)
	{
		struct at bad = {at, key, 0, value};

		if (!listed(keys, key))
			doc_fail(d, &bad, "unknown key; there are %s", (const char *)b.data);
	}
	return !d->bad;
}

struct at doc_get(const struct at *at, const char *key)
{
	return (struct at){at, key, 0, json_object_get(at->value, key)};
}

size_t doc_array(struct doc *d, const struct at *at)
{
	if (!at->value || d->bad)
		return 0;
	if (!json_is_array(at->value)) {
		doc_fail(d, at, "a list is needed here");
		return 0;
	}
	return json_array_size(at->value);
}

struct at doc_item(const struct at *at, size_t index)
{
	return (struct at){at, NULL, index, json_array_get(at->value, index)};
}

size_t doc_members(struct doc *d, const struct at *at, const char *what)
{
	if (at->value && !json_is_object(at->value))
		doc_fail(d, at, "an object of %s is needed here", what);
	return json_object_size(at->value);
}

bool doc_next(const struct doc *d, const struct at *of, struct at *item)
{
	size_t index = item->value ? item->index + 1 : 0;
	void *member;

	if (d->bad)
		return false;
	if (json_is_array(of->value)) {
		*item = doc_item(of, index);
		return item->value;
	}
	member = item->value ? json_object_iter_next(of->value, json_object_key_to_iter(item->key))
			     : json_object_iter(of->value);
	*item = (struct at){of, json_object_iter_key(member), 0, json_object_iter_value(member)};
	return member;
}

const char *doc_text(struct doc *d, const struct at *at, const char *def)
{
	if (!at->value || d->bad)
		return def;
	if (json_is_string(at->value))
		return json_string_value(at->value);
	doc_fail(d, at, "a text is needed here");
	return def;
}

const char *doc_name(struct doc *d, const struct at *at)
{
	const char *s = doc_text(d, at, "");

	if (!*s)
		doc_fail(d, at, "a name is needed here");
	return s;
}

bool doc_bool(struct doc *d, const struct at *at, bool def)
{
	if (!at->value || d->bad)
		return def;
	if (json_is_boolean(at->value))
		return json_is_true(at->value);
	doc_fail(d, at, "true or false is needed here");
	return def;
}

int64_t doc_int(struct doc *d, const struct at *at, int64_t min, int64_t max, int64_t def)
{
	int64_t v = json_integer_value(at->value);

	if (!at->value || d->bad)
		return def;
	if (json_is_integer(at->value) && v >= min && v <= max)
		return v;
	doc_fail(d, at, "a whole number from %" PRId64 " to %" PRId64 " is needed here", min, max);
	return def;
}

double doc_number(struct doc *d, const struct at *at, double min, double max, double def)
{
	double v = json_number_value(at->value);

	if (!at->value || d->bad)
		return def;
	if (json_is_number(at->value) && isfinite(v) && v >= min && v <= max)
		return v;
	doc_fail(d, at, "a number from %g to %g is needed here", min, max);
	return def;
}

int64_t doc_duration(struct doc *d, const struct at *at, int64_t def)
{
	const char *text = doc_text(d, at, NULL);
	struct err err = {""};
	int64_t us = def;

	if (text && (parse_duration(text, &us, &err) || us < 0))
		doc_fail(d, at, "%s", *err.text ? err.text : "not before now");
	return us;
}

static int read_quantity(const char *text, const char *resource, int64_t *ret, struct err *err)
{
	if (strcmp(resource, "cpu") == 0)
		return parse_cpu(text, ret, err);
	if (strcmp(resource, "memory") == 0)
		return parse_size(text, ret, err);
	if (parse_int(text, 0, INT64_MAX / 4, ret, err) == 0)
		return 0;
	return parse_size(text, ret, err);
}

int64_t doc_quantity(struct doc *d, const struct at *at, const char *resource)
{
	struct err err = {""};
	int64_t v = 0;
	char text[64];

	if (d->bad)
		return 0;
	if (json_is_integer(at->value))
		snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
			 json_integer_value(at->value));
	else if (json_is_real(at->value))
		snprintf(text, sizeof(text), "%.12g", json_real_value(at->value));
	else if (json_is_string(at->value) && json_string_length(at->value) < sizeof(text))
		snprintf(text, sizeof(text), "%s", json_string_value(at->value));
	else
		return doc_fail(d, at, "a quantity is needed here: 2, \"500m\", \"4Gi\""), 0;
	if (read_quantity(text, resource, &v, &err))
		doc_fail(d, at, "%s", err.text);
	else if (v < 0 || v > INT64_MAX / 4)
		doc_fail(d, at, "%s: 0 or more is needed, and less than 2^61", text);
	return v;
}
