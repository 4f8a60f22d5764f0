/* The contents of a server (data.h). */
#include "asim/replicated/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const entry_names[ENTRY_FIELDS] = {"e", "c", "p", "d"};

static const char *const names[DATA_KEYS] = {"head",        "snap0", "snap1", "snap2",
					     "controllers", "notes", "log"};

enum data_key data_key_of(const char *name)
{
	const char *colon = strchr(name, ':');

	for (int i = 0; i < DATA_KEYS; i++)
		if (strcmp(colon ? colon + 1 : name, names[i]) == 0)
			return i;
	return DATA_KEYS;
}

struct blob blob_text(struct arena *a, const char *text)
{
	return (struct blob){arena_strdup(a, text), strlen(text)};
}

struct blob blob_number(struct arena *a, uint64_t n)
{
	return blob_text(a, arena_printf(a, "%" PRIu64, n));
}

uint64_t blob_value(const struct blob *b)
{
	return b ? strtoull(b->data, NULL, 10) : 0;
}

bool blob_equal(const struct blob *a, const struct blob *b)
{
	return a && b && a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
}

struct batch *batch_new(struct arena *a, bool of_script)
{
	struct batch *b = arena_zalloc(a, 1, sizeof(*b));

	b->last = &b->first;
	b->of_script = of_script;
	return b;
}

struct write *batch_add(struct arena *a, struct batch *b, enum write_kind kind, enum data_key key)
{
	struct write *w = arena_zalloc(a, 1, sizeof(*w));

	w->kind = kind;
	w->key = key;
	*b->last = w;
	b->last = &w->next;
	return w;
}

void batch_field(struct arena *a, struct batch *b, enum data_key key, const char *name,
		 struct blob value)
{
	struct write *w = batch_add(a, b, WRITE_FIELD, key);

	w->field = arena_strdup(a, name);
	w->value = value;
}

void data_clear(struct data *d)
{
	for (int i = 0; i < KEY_LOG; i++)
		d->hashes[i].count = 0;
	d->from = d->count = 0;
}

static void set_field(struct arena *a, struct hash *h, const struct write *w)
{
	size_t i = 0;

	while (i < h->count && strcmp(h->fields[i].name, w->field) != 0)
		i++;
	if (i == h->count) {
		h->fields = arena_grow(a, h->fields, &h->cap, h->count, sizeof(*h->fields));
		h->fields[h->count++].name = w->field;
	}
	h->fields[i].value = w->value;
}

static void apply(struct arena *a, struct data *d, const struct write *w)
{
	switch (w->kind) {
	case WRITE_FIELD:
		set_field(a, &d->hashes[w->key], w);
		break;
	case WRITE_ENTRY:
		d->log = arena_grow(a, d->log, &d->cap, d->count, sizeof(*d->log));
		d->log[d->count++] = w->entry;
		break;
	case WRITE_TRIM:
		while (d->from < d->count && d->log[d->from]->seq < w->seq)
			d->from++;
		break;
	case WRITE_DELETE:
		if (w->key == KEY_LOG)
			d->from = d->count = 0;
		else
			d->hashes[w->key].count = 0;
		break;
	}
}

void data_apply(struct arena *a, struct data *d, const struct batch *b)
{
	for (const struct write *w = b->first; w; w = w->next)
		apply(a, d, w);
}

const struct blob *data_get(const struct data *d, enum data_key key, const char *field)
{
	const struct hash *h = &d->hashes[key];

	for (size_t i = 0; i < h->count; i++)
		if (strcmp(h->fields[i].name, field) == 0)
			return &h->fields[i].value;
	return NULL;
}

uint64_t data_number(const struct data *d, const char *field)
{
	return blob_value(data_get(d, KEY_HEAD, field));
}

const struct entry *data_entry(const struct data *d, uint64_t seq)
{
	/* the numbers have no gaps */
	uint64_t first = d->from < d->count ? d->log[d->from]->seq : 0;

	if (!first || seq < first || seq - first >= d->count - d->from)
		return NULL;
	return d->log[d->from + (seq - first)];
}

bool data_exists(const struct data *d, enum data_key key)
{
	return key == KEY_LOG ? d->from < d->count : d->hashes[key].count > 0;
}
