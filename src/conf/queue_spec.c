/*
 * Gets and puts single fields of a QueueSpec, by the rows of conf/queue_table.h (queue_spec.h).
 * Input: a message and a row. Output: an option value, or the changed message. A row has the shape
 * of its field and its offset in the message; each shape has one case in each direction. Limits
 * share lists, which are searched by kind.
 */
#include "conf/queue_spec.h"
#include "conf/permit_message.h"
#include "conf/quantity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIELD(type, spec, offset) (*(type *)((char *)(spec) + (offset)))
#define CONST(type, spec, offset) (*(type const *)((const char *)(spec) + (offset)))

/* ---- from a message ---- */

static const char *permit_entry(const void *one, struct arena *a)
{
	char text[PERMIT_TEXT];
	struct permit p;

	if (permit_of_message(one, &p, NULL) < 0)
		return "";
	permit_print(&p, text);
	return arena_strdup(a, text);
}

static const char *class_entry(const void *one, struct arena *a)
{
	const Armada__ClassLimit *l = one;
	struct share s = {.limited = 0};
	char text[QUANTITY_TEXT];

	snprintf(s.class_name, sizeof(s.class_name), "%s", l->priority_class);
	for (size_t i = 0; i < l->n_limits; i++) {
		int r = resource_index(l->limits[i]->resource);

		if (r < 0)
			continue;
		s.limited |= UINT32_C(1) << r;
		s.of[r] = l->limits[i]->part;
	}
	share_print(&s, text);
	return arena_strdup(a, text);
}

/* The amount of a resource that armada.conf of this machine does not have is a number or a size. */
static const char *resource_entry(const void *one, struct arena *a)
{
	const Armada__Resource *m = one;
	struct amount amount = {.resource = resource_index(m->name), .amount = m->amount};
	char text[QUANTITY_TEXT];

	if (amount.resource < 0 && m->size) {
		size_print(m->amount, text, sizeof(text));
		return arena_printf(a, "%s=%s", m->name, text);
	}
	if (amount.resource < 0)
		return arena_printf(a, "%s=%" PRId64, m->name, m->amount);
	amount_print(&amount, text);
	return arena_strdup(a, text);
}

static const char *label_entry(const void *one, struct arena *a)
{
	const Armada__Label *l = one;

	return arena_printf(a, "%s=%s", l->key, l->value);
}

static const char *(*const entries[QUEUE_SHAPES])(const void *one, struct arena *a) = {
	[QUEUE_SHAPE_PERMITS] = permit_entry,
	[QUEUE_SHAPE_CLASSES] = class_entry,
	[QUEUE_SHAPE_RESOURCES] = resource_entry,
	[QUEUE_SHAPE_LABELS] = label_entry,
};

static void get_list(const struct queue_field *f, const Armada__QueueSpec *s, struct arena *a,
		     struct armada_option_value *v)
{
	size_t n = CONST(size_t, s, f->count);
	void *const *from = CONST(void *const *, s, f->at);
	const char **list = arena_alloc(a, (n + 1) * sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = entries[f->shape] ? entries[f->shape](from[i], a) : from[i];
	v->list = list;
	v->count = n;
	v->set = n > 0;
}

static void get_fractions(const struct queue_field *f, const Armada__QueueSpec *s, struct arena *a,
			  struct armada_option_value *v)
{
	size_t n = CONST(size_t, s, f->count);
	Armada__Fraction *const *from = CONST(Armada__Fraction *const *, s, f->at);
	struct armada_option_pair *pairs = arena_alloc(a, (n + 1) * sizeof(*pairs));

	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct armada_option_pair){from[i]->resource, from[i]->part};
	v->pairs = pairs;
	v->count = n;
	v->set = n > 0;
}

static void get_quota(const struct queue_field *f, const Armada__QueueSpec *s, struct arena *a,
		      struct armada_option_value *v)
{
	Armada__Limit *const *from = CONST(Armada__Limit *const *, s, f->at);
	const struct quota_row *row = quota_of_kind(f->kind);
	char text[64];

	for (size_t i = 0; i < CONST(size_t, s, f->count); i++) {
		if ((int)from[i]->kind != f->kind || from[i]->value < 0)
			continue;
		v->set = true;
		v->i = from[i]->value;
		quota_print(row, v->i, text, sizeof(text));
		v->s = arena_strdup(a, text);
	}
}

struct armada_option_value queue_field_get(const struct queue_field *f, const Armada__QueueSpec *s,
					   struct arena *a)
{
	struct armada_option_value v = {.s = ""};

	switch (f->shape) {
	case QUEUE_SHAPE_DOUBLE:
		v.d = CONST(double, s, f->at);
		v.set = true;
		break;
	case QUEUE_SHAPE_BOOL:
		v.set = true;
		v.i = CONST(protobuf_c_boolean, s, f->at);
		break;
	case QUEUE_SHAPE_TEXT:
		v.s = CONST(char *, s, f->at);
		v.set = *v.s != '\0';
		break;
	case QUEUE_SHAPE_SECONDS:
		v.i = CONST(int64_t, s, f->at) * 1000000;
		v.set = v.i != 0;
		break;
	case QUEUE_SHAPE_FRACTIONS:
		get_fractions(f, s, a, &v);
		break;
	case QUEUE_SHAPE_LIMIT:
		get_quota(f, s, a, &v);
		break;
	default:
		get_list(f, s, a, &v);
		break;
	}
	return v;
}

/* ---- into a message ---- */

static Armada__Fraction *fraction_message(const char *name, double part, struct arena *a)
{
	Armada__Fraction *f = arena_alloc(a, sizeof(*f));

	armada__fraction__init(f);
	f->resource = arena_strdup(a, name);
	f->part = part;
	return f;
}

static int class_message(const char *text, struct arena *a, void **ret, struct err *err)
{
	Armada__ClassLimit *l = arena_alloc(a, sizeof(*l));
	struct share s;
	int rc = share_parse(text, &s, err);

	if (rc < 0)
		return rc;
	armada__class_limit__init(l);
	l->priority_class = arena_strdup(a, s.class_name);
	l->limits = arena_alloc(a, resource_count() * sizeof(*l->limits));
	for (size_t r = 0; r < resource_count(); r++)
		if (s.limited >> r & 1)
			l->limits[l->n_limits++] = fraction_message(resource_name(r), s.of[r], a);
	*ret = l;
	return 0;
}

static int permit_entry_message(const char *text, struct arena *a, void **ret, struct err *err)
{
	struct permit p;
	int rc = permit_parse(text, &p, err);

	if (rc == 0)
		*ret = permit_message(&p, a);
	return rc;
}

static int resource_message(const char *text, struct arena *a, void **ret, struct err *err)
{
	Armada__Resource *r = arena_alloc(a, sizeof(*r));
	struct amount amount;
	int rc = amount_parse(text, &amount, err);

	if (rc < 0)
		return rc;
	armada__resource__init(r);
	r->name = (char *)resource_name(amount.resource);
	r->amount = amount.amount;
	r->size = resource_is_added((size_t)amount.resource) &&
		  resource_unit((size_t)amount.resource) == RESOURCE_SIZE;
	*ret = r;
	return 0;
}

static int label_message(const char *text, struct arena *a, void **ret, struct err *err)
{
	Armada__Label *l = arena_alloc(a, sizeof(*l));
	size_t n = strcspn(text, "=");

	armada__label__init(l);
	if (!n || !text[n])
		return err_set(err, -EINVAL, "'%.64s' is not a label: expected key=value", text);
	l->key = arena_printf(a, "%.*s", (int)n, text);
	l->value = arena_strdup(a, text + n + 1);
	*ret = l;
	return 0;
}

static int word_message(const char *text, struct arena *a, void **ret, struct err *err)
{
	(void)err;
	*ret = arena_strdup(a, text);
	return 0;
}

static int (*const messages[QUEUE_SHAPES])(const char *text, struct arena *a, void **ret,
					   struct err *err) = {
	[QUEUE_SHAPE_USERS] = word_message,           [QUEUE_SHAPE_GROUPS] = word_message,
	[QUEUE_SHAPE_PERMITS] = permit_entry_message, [QUEUE_SHAPE_CLASSES] = class_message,
	[QUEUE_SHAPE_RESOURCES] = resource_message,   [QUEUE_SHAPE_LABELS] = label_message,
};

static int put_list(const struct queue_field *f, const struct armada_option_value *v,
		    struct arena *a, Armada__QueueSpec *s, struct err *err)
{
	void **list = arena_alloc(a, (v->count + 1) * sizeof(*list));

	for (size_t i = 0; i < v->count; i++) {
		int rc = messages[f->shape](v->list[i], a, &list[i], err);

		if (rc < 0)
			return rc;
	}
	FIELD(void **, s, f->at) = list;
	FIELD(size_t, s, f->count) = v->count;
	return 0;
}

static void put_fractions(const struct queue_field *f, const struct armada_option_value *v,
			  struct arena *a, Armada__QueueSpec *s)
{
	Armada__Fraction **list = arena_alloc(a, (v->count + 1) * sizeof(*list));

	for (size_t i = 0; i < v->count; i++)
		list[i] = fraction_message(v->pairs[i].name, v->pairs[i].value, a);
	FIELD(Armada__Fraction **, s, f->at) = list;
	FIELD(size_t, s, f->count) = v->count;
}

/* Replaces or, if not set, removes one kind of the list; the other kinds remain. */
static int put_quota(const struct queue_field *f, const struct armada_option_value *v,
		     struct arena *a, Armada__QueueSpec *s, struct err *err)
{
	size_t n = CONST(size_t, s, f->count), at = 0;
	Armada__Limit *const *from = CONST(Armada__Limit *const *, s, f->at);
	Armada__Limit **list = arena_alloc(a, (n + 1) * sizeof(*list));
	const struct quota_row *row = quota_of_kind(f->kind);
	int64_t value = v->set ? v->i : -1;
	int rc = 0;

	if (v->set && row->unit == QUOTA_HOURLY)
		rc = quota_parse(row, v->s, &value, err);
	else if (v->set)
		rc = quota_check(row, value, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		if ((int)from[i]->kind != f->kind)
			list[at++] = from[i];
	list[at] = arena_alloc(a, sizeof(**list));
	armada__limit__init(list[at]);
	list[at]->kind = (Armada__LimitKind)f->kind;
	list[at++]->value = value;
	FIELD(Armada__Limit **, s, f->at) = list;
	FIELD(size_t, s, f->count) = at;
	return 0;
}

int queue_field_put(const struct queue_field *f, const struct armada_option_value *v,
		    struct arena *a, Armada__QueueSpec *s, struct err *err)
{
	int rc = 0;

	switch (f->shape) {
	case QUEUE_SHAPE_DOUBLE:
		FIELD(double, s, f->at) = v->d;
		break;
	case QUEUE_SHAPE_BOOL:
		FIELD(protobuf_c_boolean, s, f->at) = v->i != 0;
		break;
	case QUEUE_SHAPE_TEXT:
		FIELD(char *, s, f->at) = arena_strdup(a, v->s ? v->s : "");
		break;
	case QUEUE_SHAPE_SECONDS:
		FIELD(int64_t, s, f->at) = (v->i + 999999) / 1000000;
		break;
	case QUEUE_SHAPE_FRACTIONS:
		put_fractions(f, v, a, s);
		break;
	case QUEUE_SHAPE_LIMIT:
		rc = put_quota(f, v, a, s, err);
		break;
	default:
		rc = put_list(f, v, a, s, err);
		break;
	}
	if (rc == 0 && f->flag != f->at)
		FIELD(protobuf_c_boolean, s, f->flag) = true;
	return rc;
}

/* ---- updates ---- */

bool queue_field_given(const struct queue_field *f, const Armada__QueueSpec *s)
{
	if (f->flag == f->at)
		return CONST(double, s, f->at) != 0;
	return CONST(protobuf_c_boolean, s, f->flag) != 0;
}

static bool quota_given(const struct queue_field *f, const Armada__QueueSpec *s)
{
	Armada__Limit *const *list = CONST(Armada__Limit *const *, s, f->at);

	for (size_t i = 0; i < CONST(size_t, s, f->count); i++)
		if ((int)list[i]->kind == f->kind)
			return true;
	return false;
}

bool queue_field_present(const struct queue_field *f, const Armada__QueueSpec *s)
{
	return queue_field_given(f, s) && (f->shape != QUEUE_SHAPE_LIMIT || quota_given(f, s));
}

static size_t size_of(enum queue_shape shape)
{
	switch (shape) {
	case QUEUE_SHAPE_DOUBLE:
	case QUEUE_SHAPE_SECONDS:
		return 8;
	case QUEUE_SHAPE_BOOL:
		return sizeof(protobuf_c_boolean);
	default:
		return sizeof(void *); /* a text, or a list */
	}
}

void queue_field_copy(const struct queue_field *f, const Armada__QueueSpec *from,
		      Armada__QueueSpec *to)
{
	memcpy((char *)to + f->at, (const char *)from + f->at, size_of(f->shape));
	if (f->count)
		FIELD(size_t, to, f->count) = CONST(size_t, from, f->count);
}

void queue_spec_clear_flags(Armada__QueueSpec *s)
{
	for (size_t i = 0; i < QUEUE_FIELDS; i++)
		if (queue_fields[i].flag != queue_fields[i].at)
			FIELD(protobuf_c_boolean, s, queue_fields[i].flag) = false;
}

/* Shapes whose entries may contain commas. */
bool queue_field_repeats(const struct queue_field *f)
{
	return f->shape == QUEUE_SHAPE_PERMITS || f->shape == QUEUE_SHAPE_CLASSES;
}
