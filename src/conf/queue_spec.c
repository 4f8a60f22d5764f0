#include "conf/queue_spec.h"
#include "conf/most.h"
#include "conf/permit_message.h"
#include "conf/private.h"
#include "conf/value.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <math.h>
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

const struct conf_row *queue_row_conf(const struct queue_row *f)
{
	const struct conf_list *l = queue_list();

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->rows[i].opt.name, f->row) == 0)
			return &l->rows[i];
	return NULL;
}

/* ---- from a message ---- */

static const char *pair_text(const char *name, const char *value, char separator, struct arena *a)
{
	return arena_printf(a, "%s%c%s", name, separator, value);
}

static const char *part_text(double part, struct arena *a)
{
	CLEANUP_BUF struct buf text = {0};

	print_number(ARMADA_OPTION_DOUBLE, part, &text);
	return arena_strdup(a, (const char *)text.data);
}

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
	const char *text = arena_printf(a, "%s:", l->priority_class);

	for (size_t i = 0; i < l->n_limits; i++)
		text = arena_printf(a, "%s%s%s=%s", text, i ? "," : "", l->limits[i]->resource,
				    part_text(l->limits[i]->part, a));
	return text;
}

static const char *resource_entry(const void *one, struct arena *a)
{
	const Armada__Resource *r = one;
	CLEANUP_BUF struct buf text = {0};
	enum armada_option_type type = strcmp(r->name, "cpu") == 0      ? ARMADA_OPTION_CPU
				       : strcmp(r->name, "memory") == 0 ? ARMADA_OPTION_SIZE
									: ARMADA_OPTION_INT;

	print_number(type, (double)r->amount, &text);
	return pair_text(r->name, (const char *)text.data, '=', a);
}

static const char *label_entry(const void *one, struct arena *a)
{
	const Armada__Label *l = one;

	return pair_text(l->key, l->value, '=', a);
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
		if ((int)from[i]->kind != f->most)
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

static int parse_fractions(const char *text, struct arena *a, Armada__ClassLimit *to,
			   struct err *err)
{
	size_t words = 1;

	for (const char *p = text; *p; p++)
		words += *p == ',';
	to->limits = arena_alloc(a, words * sizeof(*to->limits));
	while (*text) {
		size_t n = strcspn(text, ","), name = strcspn(text, "=");
		Armada__Fraction *part = arena_alloc(a, sizeof(*part));
		const struct armada_option row = {.type = ARMADA_OPTION_DOUBLE, .min = 0, .max = 1};
		struct armada_option_value v;
		int rc;

		if (name >= n || !name)
			return err_set(err, -EINVAL,
				       "'%.64s': expected a class and parts of the cluster, as in "
				       "armada-default:cpu=0.5,memory=0.5",
				       text);
		armada__fraction__init(part);
		part->resource = arena_printf(a, "%.*s", (int)name, text);
		rc = option_parse(&row,
				  arena_printf(a, "%.*s", (int)(n - name - 1), text + name + 1), &v,
				  err);
		if (rc < 0)
			return err_prefix(err, rc, "%s", part->resource);
		part->part = v.d;
		to->limits[to->n_limits++] = part;
		text += n + (text[n] == ',');
	}
	return 0;
}

static int class_message(const char *text, struct arena *a, void **ret, struct err *err)
{
	Armada__ClassLimit *l = arena_alloc(a, sizeof(*l));
	size_t n = strcspn(text, ":");

	armada__class_limit__init(l);
	if (!n || !text[n] || !text[n + 1])
		return err_set(err, -EINVAL,
			       "'%.64s': expected a class and parts of the cluster, as in "
			       "armada-default:cpu=0.5,memory=0.5",
			       text);
	l->priority_class = arena_printf(a, "%.*s", (int)n, text);
	*ret = l;
	return parse_fractions(text + n + 1, a, l, err);
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
	size_t n = strcspn(text, "=");
	int rc;

	armada__resource__init(r);
	if (!n || !text[n])
		return err_set(err, -EINVAL,
			       "'%.64s': expected a resource and how much of it, as in cpu=2 or "
			       "memory=4G",
			       text);
	r->name = arena_printf(a, "%.*s", (int)n, text);
	text += n + 1;
	if (strcmp(r->name, "cpu") == 0)
		rc = parse_cpu(text, &r->amount, err);
	else if (strcmp(r->name, "memory") == 0)
		rc = parse_size(text, &r->amount, err);
	else
		rc = parse_int(text, 0, INT64_C(1) << 40, &r->amount, err);
	*ret = r;
	return rc < 0 ? err_prefix(err, rc, "%s", r->name) : 0;
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

	for (size_t i = 0; i < v->count; i++) {
		list[i] = arena_alloc(a, sizeof(**list));
		armada__fraction__init(list[i]);
		list[i]->resource = arena_strdup(a, v->pairs[i].name);
		list[i]->part = v->pairs[i].value;
	}
	FIELD(Armada__Fraction **, s, f->at) = list;
	FIELD(size_t, s, f->count) = v->count;
}

/* The other kinds stay. */
static int put_most(const struct queue_row *f, const struct armada_option_value *v, struct arena *a,
		    Armada__QueueSpec *s, struct err *err)
{
	size_t n = CONST(size_t, s, f->count), to = 0;
	Armada__Limit *const *from = CONST(Armada__Limit *const *, s, f->at);
	Armada__Limit **list = arena_alloc(a, (n + 1) * sizeof(*list));
	const struct most_row *row = most_of_kind(f->most);
	int64_t value = v->i;
	int rc = 0;

	if (v->set && row->unit == MOST_HOURLY)
		rc = most_parse(row, v->s, &value, err);
	else if (v->set)
		rc = most_check(row, value, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		if ((int)from[i]->kind != f->most)
			list[to++] = from[i];
	if (v->set) {
		list[to] = arena_alloc(a, sizeof(**list));
		armada__limit__init(list[to]);
		list[to]->kind = (Armada__LimitKind)f->most;
		list[to++]->most = value;
	}
	FIELD(Armada__Limit **, s, f->at) = list;
	FIELD(size_t, s, f->count) = to;
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

bool queue_row_said(const struct queue_row *f, const Armada__QueueSpec *s)
{
	return f->said ? CONST(protobuf_c_boolean, s, f->said) : CONST(double, s, f->at) != 0;
}

/* Their entries may hold commas. */
bool queue_row_repeats(const struct queue_row *f)
{
	return f->shape == SHAPE_PERMITS || f->shape == SHAPE_CLASSES;
}
