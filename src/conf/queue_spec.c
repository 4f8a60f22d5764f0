#include "conf/queue_spec.h"
#include "conf/most.h"
#include "conf/permit_message.h"
#include "conf/private.h"
#include "conf/quantity.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* How a message carries a field. */
enum shape {
	SHAPE_DOUBLE,
	SHAPE_BOOL,
	SHAPE_TEXT,
	SHAPE_SECONDS,
	SHAPE_WORDS,
	SHAPE_PERMITS,
	SHAPE_FRACTIONS, /* { cpu = 0.5; } */
	SHAPE_CLASSES,   /* "armada-default:cpu=0.5,memory=0.5" */
	SHAPE_RESOURCES, /* "cpu=2" */
	SHAPE_LABELS,    /* "key=value" */
	SHAPE_MOST,      /* one limit of a list, by kind */
	SHAPES,
};

struct queue_row {
	const char *row;
	enum shape shape;
	int most; /* enum most_kind */
	size_t at, count;
	size_t said; /* of the flag that an update sets; 0: the value itself says it */
};

/* clang-format off */
#define AT(m)	 offsetof(Armada__QueueSpec, m)
#define LIST(name, shape, field) \
	{#name, shape, 0, AT(field), AT(n_##field), AT(set_##field)}
#define ONE(name, shape, field, said) \
	{#name, shape, 0, AT(field), 0, said}
#define MOST(prefix, name, field, kind) \
	{prefix #name, SHAPE_MOST, kind, AT(field), AT(n_##field), AT(set_##field)},
#define OF_ALL(kind, name, unit, type, greatest, what, more)  MOST("", name, most, kind)
#define OF_USER(kind, name, unit, type, greatest, what, more) MOST("user_", name, user_most, kind)

static const struct queue_row fields[] = {
	ONE(priority_factor, SHAPE_DOUBLE, priority_factor, 0),
	LIST(owners, SHAPE_WORDS, owners),
	LIST(group_owners, SHAPE_WORDS, group_owners),
	LIST(permissions, SHAPE_PERMITS, permissions),
	ONE(cordoned, SHAPE_BOOL, cordoned, AT(set_cordoned)),
	LIST(limits, SHAPE_FRACTIONS, limits),
	LIST(class_limits, SHAPE_CLASSES, class_limits),
	MOST_TABLE(OF_ALL)
	MOST_TABLE(OF_USER)
	ONE(default_class, SHAPE_TEXT, default_class, AT(set_default_class)),
	LIST(default_resources, SHAPE_RESOURCES, default_resources),
	ONE(default_time, SHAPE_SECONDS, default_time_s, AT(set_default_time)),
	ONE(max_time, SHAPE_SECONDS, max_time_s, AT(set_max_time)),
	ONE(lease, SHAPE_SECONDS, lease_s, AT(set_lease)),
	LIST(labels, SHAPE_LABELS, labels),
};
/* clang-format on */

#define FIELD(type, spec, offset) (*(type *)((char *)(spec) + (offset)))
#define CONST(type, spec, offset) (*(type const *)((const char *)(spec) + (offset)))

static const struct conf_list *queue_list(void)
{
	for (size_t i = 0; i < CONF_LISTS; i++)
		if (strcmp(conf_lists[i].name, "queues") == 0)
			return &conf_lists[i];
	return NULL;
}

size_t queue_row_count(void)
{
	return ARRAY_SIZE(fields);
}

const struct queue_row *queue_row_at(size_t i)
{
	return &fields[i];
}

const struct queue_row *queue_row_find(const char *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (strcmp(fields[i].row, row) == 0)
			return &fields[i];
	return NULL;
}

const char *queue_row_name(const struct queue_row *f)
{
	return f->row;
}

enum armada_option_type queue_row_type(const struct queue_row *f)
{
	return queue_row_conf(f)->opt.type;
}

const struct conf_row *queue_row_conf(const struct queue_row *f)
{
	const struct conf_list *l = queue_list();

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->rows[i].opt.name, f->row) == 0)
			return &l->rows[i];
	return NULL;
}

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

static size_t resource_of(const char *name)
{
	size_t r = 0;

	while (r < CONF_RESOURCES && strcmp(conf_resources[r], name) != 0)
		r++;
	return r;
}

static const char *class_entry(const void *one, struct arena *a)
{
	const Armada__ClassLimit *l = one;
	struct share s = {.limited = 0};
	char text[QUANTITY_TEXT];

	snprintf(s.class_name, sizeof(s.class_name), "%s", l->priority_class);
	for (size_t i = 0; i < l->n_limits; i++) {
		size_t r = resource_of(l->limits[i]->resource);

		if (r == CONF_RESOURCES)
			continue;
		s.limited |= UINT32_C(1) << r;
		s.of[r] = l->limits[i]->part;
	}
	share_print(&s, text);
	return arena_strdup(a, text);
}

/* Of a resource that this release does not know: as a number. */
static const char *resource_entry(const void *one, struct arena *a)
{
	const Armada__Resource *m = one;
	struct amount amount = {.resource = (int)resource_of(m->name), .amount = m->amount};
	char text[QUANTITY_TEXT];

	if (amount.resource == CONF_RESOURCES)
		return arena_printf(a, "%s=%" PRId64, m->name, m->amount);
	amount_print(&amount, text);
	return arena_strdup(a, text);
}

static const char *label_entry(const void *one, struct arena *a)
{
	const Armada__Label *l = one;

	return arena_printf(a, "%s=%s", l->key, l->value);
}

static const char *(*const entries[SHAPES])(const void *one, struct arena *a) = {
	[SHAPE_PERMITS] = permit_entry,
	[SHAPE_CLASSES] = class_entry,
	[SHAPE_RESOURCES] = resource_entry,
	[SHAPE_LABELS] = label_entry,
};

static void get_list(const struct queue_row *f, const Armada__QueueSpec *s, struct arena *a,
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

static void get_fractions(const struct queue_row *f, const Armada__QueueSpec *s, struct arena *a,
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

static void get_most(const struct queue_row *f, const Armada__QueueSpec *s, struct arena *a,
		     struct armada_option_value *v)
{
	Armada__Limit *const *from = CONST(Armada__Limit *const *, s, f->at);
	const struct most_row *row = most_of_kind(f->most);
	char text[64];

	for (size_t i = 0; i < CONST(size_t, s, f->count); i++) {
		if ((int)from[i]->kind != f->most || from[i]->most < 0)
			continue;
		v->set = true;
		v->i = from[i]->most;
		most_print(row, v->i, text, sizeof(text));
		v->s = arena_strdup(a, text);
	}
}

struct armada_option_value queue_row_get(const struct queue_row *f, const Armada__QueueSpec *s,
					 struct arena *a)
{
	struct armada_option_value v = {.s = ""};

	switch (f->shape) {
	case SHAPE_DOUBLE:
		v.d = CONST(double, s, f->at);
		v.set = true;
		break;
	case SHAPE_BOOL:
		v.set = true;
		v.i = CONST(protobuf_c_boolean, s, f->at);
		break;
	case SHAPE_TEXT:
		v.s = CONST(char *, s, f->at);
		v.set = *v.s != '\0';
		break;
	case SHAPE_SECONDS:
		v.i = CONST(int64_t, s, f->at) * 1000000;
		v.set = v.i != 0;
		break;
	case SHAPE_FRACTIONS:
		get_fractions(f, s, a, &v);
		break;
	case SHAPE_MOST:
		get_most(f, s, a, &v);
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
	l->limits = arena_alloc(a, CONF_RESOURCES * sizeof(*l->limits));
	for (size_t r = 0; r < CONF_RESOURCES; r++)
		if (s.limited >> r & 1)
			l->limits[l->n_limits++] = fraction_message(conf_resources[r], s.of[r], a);
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
	r->name = (char *)conf_resources[amount.resource];
	r->amount = amount.amount;
	*ret = r;
	return 0;
}

static int label_message(const char *text, struct arena *a, void **ret, struct err *err)
{
	Armada__Label *l = arena_alloc(a, sizeof(*l));
	size_t n = strcspn(text, "=");

	armada__label__init(l);
	if (!n || !text[n])
		return err_set(err, -EINVAL, "'%.64s' is no label: expected key=value", text);
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

static int (*const messages[SHAPES])(const char *text, struct arena *a, void **ret,
				     struct err *err) = {
	[SHAPE_WORDS] = word_message,    [SHAPE_PERMITS] = permit_entry_message,
	[SHAPE_CLASSES] = class_message, [SHAPE_RESOURCES] = resource_message,
	[SHAPE_LABELS] = label_message,
};

static int put_list(const struct queue_row *f, const struct armada_option_value *v, struct arena *a,
		    Armada__QueueSpec *s, struct err *err)
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

static void put_fractions(const struct queue_row *f, const struct armada_option_value *v,
			  struct arena *a, Armada__QueueSpec *s)
{
	Armada__Fraction **list = arena_alloc(a, (v->count + 1) * sizeof(*list));

	for (size_t i = 0; i < v->count; i++)
		list[i] = fraction_message(v->pairs[i].name, v->pairs[i].value, a);
	FIELD(Armada__Fraction **, s, f->at) = list;
	FIELD(size_t, s, f->count) = v->count;
}

/* The other kinds stay; what is not set is to go. */
static int put_most(const struct queue_row *f, const struct armada_option_value *v, struct arena *a,
		    Armada__QueueSpec *s, struct err *err)
{
	size_t n = CONST(size_t, s, f->count), at = 0;
	Armada__Limit *const *from = CONST(Armada__Limit *const *, s, f->at);
	Armada__Limit **list = arena_alloc(a, (n + 1) * sizeof(*list));
	const struct most_row *row = most_of_kind(f->most);
	int64_t value = v->set ? v->i : -1;
	int rc = 0;

	if (v->set && row->unit == MOST_HOURLY)
		rc = most_parse(row, v->s, &value, err);
	else if (v->set)
		rc = most_check(row, value, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		if ((int)from[i]->kind != f->most)
			list[at++] = from[i];
	list[at] = arena_alloc(a, sizeof(**list));
	armada__limit__init(list[at]);
	list[at]->kind = (Armada__LimitKind)f->most;
	list[at++]->most = value;
	FIELD(Armada__Limit **, s, f->at) = list;
	FIELD(size_t, s, f->count) = at;
	return 0;
}

int queue_row_put(const struct queue_row *f, const struct armada_option_value *v, struct arena *a,
		  Armada__QueueSpec *s, struct err *err)
{
	int rc = 0;

	switch (f->shape) {
	case SHAPE_DOUBLE:
		FIELD(double, s, f->at) = v->d;
		break;
	case SHAPE_BOOL:
		FIELD(protobuf_c_boolean, s, f->at) = v->i != 0;
		break;
	case SHAPE_TEXT:
		FIELD(char *, s, f->at) = arena_strdup(a, v->s ? v->s : "");
		break;
	case SHAPE_SECONDS:
		FIELD(int64_t, s, f->at) = (v->i + 999999) / 1000000;
		break;
	case SHAPE_FRACTIONS:
		put_fractions(f, v, a, s);
		break;
	case SHAPE_MOST:
		rc = put_most(f, v, a, s, err);
		break;
	default:
		rc = put_list(f, v, a, s, err);
		break;
	}
	if (rc == 0 && f->said)
		FIELD(protobuf_c_boolean, s, f->said) = true;
	return rc;
}

static bool most_said(const struct queue_row *f, const Armada__QueueSpec *s)
{
	Armada__Limit *const *list = CONST(Armada__Limit *const *, s, f->at);

	for (size_t i = 0; i < CONST(size_t, s, f->count); i++)
		if ((int)list[i]->kind == f->most)
			return true;
	return false;
}

bool queue_row_said(const struct queue_row *f, const Armada__QueueSpec *s)
{
	if (!f->said)
		return CONST(double, s, f->at) != 0;
	return CONST(protobuf_c_boolean, s, f->said) && (f->shape != SHAPE_MOST || most_said(f, s));
}

/* Their entries may hold commas. */
bool queue_row_repeats(const struct queue_row *f)
{
	return f->shape == SHAPE_PERMITS || f->shape == SHAPE_CLASSES;
}

bool queue_row_is_most(const struct queue_row *f)
{
	return f->shape == SHAPE_MOST;
}
