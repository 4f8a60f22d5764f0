/*
 * The fields of a queue as text: words of a command line, and armada.conf.
 *
 * In: a word of an option, or a QueueSpec. Out: a field of a QueueSpec, or an entry of `queues`. Fields
 * with the value of a queue without settings are not printed.
 */
#include "conf/queue_text.h"
#include "conf/value.h"
#include "util/units.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* ---- a word of a command line ---- */

/* Comma-separated words; empty ones are left out. */
static const char **split(const char *text, struct arena *a, size_t *ret_count)
{
	const char **list = arena_alloc(a, (strlen(text) + 1) * sizeof(*list));
	size_t count = 0;

	while (*text) {
		size_t n = strcspn(text, ",");

		if (n)
			list[count++] = arena_printf(a, "%.*s", (int)n, text);
		text += n + (text[n] == ',');
	}
	*ret_count = count;
	return list;
}

static int read_pairs(const struct armada_option *row, const char *text, struct arena *a,
		      struct armada_option_value *v, struct err *err)
{
	const char **words = split(text, a, &v->count);
	struct armada_option_pair *pairs = arena_alloc(a, (v->count + 1) * sizeof(*pairs));
	struct armada_option number = *row;

	number.type = ARMADA_OPTION_DOUBLE;
	for (size_t i = 0; i < v->count; i++) {
		size_t n = strcspn(words[i], "=");
		struct armada_option_value one;
		int rc;

		if (!n || !words[i][n])
			return err_set(err, -EINVAL,
				       "'%.40s': expected RESOURCE=PART, as in cpu=0.5", words[i]);
		pairs[i].name = arena_printf(a, "%.*s", (int)n, words[i]);
		rc = option_parse(&number, words[i] + n + 1, &one, err);
		if (rc < 0)
			return err_prefix(err, rc, "%s", pairs[i].name);
		pairs[i].value = one.d;
	}
	v->pairs = pairs;
	return 0;
}

/* Entries of some rows contain commas: then the text is one entry, added to the earlier ones. */
static void read_words(const struct queue_field *f, const char *text, struct arena *a,
		       const Armada__QueueSpec *s, struct armada_option_value *v)
{
	const char **list;

	if (!queue_field_repeats(f)) {
		v->list = split(text, a, &v->count);
		return;
	}
	*v = queue_field_present(f, s) ? queue_field_get(f, s, a) : *v;
	list = arena_alloc(a, (v->count + 1) * sizeof(*list));
	for (size_t i = 0; i < v->count; i++)
		list[i] = v->list[i];
	list[v->count++] = text;
	v->list = list;
	v->set = true;
}

static int read_value(const struct queue_field *f, const char *text, struct arena *a,
		      const Armada__QueueSpec *s, struct armada_option_value *v, struct err *err)
{
	const struct armada_option *row = &queue_field_conf(f)->opt;
	int rc;

	switch (row->type) {
	case ARMADA_OPTION_STRINGS:
		read_words(f, text, a, s, v);
		return 0;
	case ARMADA_OPTION_NUMBERS:
		return read_pairs(row, text, a, v, err);
	case ARMADA_OPTION_DURATION:
		/* on command lines a number without a unit is minutes */
		return parse_time_limit(text, &v->i, err);
	default:
		rc = option_parse(row, text, v, err);
		v->set = rc == 0;
		return rc;
	}
}

int queue_field_read(const struct queue_field *f, const char *text, struct arena *a,
		     Armada__QueueSpec *s, struct err *err)
{
	struct armada_option_value v = {.s = ""};
	int rc = 0;

	if (strcasecmp(text, "none") != 0) {
		v.set = true;
		rc = read_value(f, text, a, s, &v, err);
		if (rc == 0)
			rc = value_check(queue_field_conf(f), &v, err);
	}
	return rc < 0 ? rc : queue_field_put(f, &v, a, s, err);
}

/* ---- armada.conf ---- */

const char *queue_field_text(const struct queue_field *f, const Armada__QueueSpec *s,
			     struct arena *a)
{
	struct armada_option_value v = queue_field_get(f, s, a);

	return v.set ? value_text(&queue_field_conf(f)->opt, &v, a) : "";
}

/* True if the field has the value of a queue without settings. */
static bool says_nothing(const struct queue_field *f, const Armada__QueueSpec *s, struct arena *a)
{
	const struct armada_option *row = &queue_field_conf(f)->opt;
	struct armada_option_value v;

	if (!*queue_field_text(f, s, a))
		return true;
	if (!row->def || option_parse(row, row->def, &v, NULL) < 0)
		return false;
	return strcmp(queue_field_text(f, s, a), value_text(row, &v, a)) == 0;
}

static void put_fields(const Armada__QueueSpec *s, const char *before, const char *after,
		       struct arena *a, struct buf *out)
{
	for (size_t i = 0; i < QUEUE_FIELDS; i++) {
		const struct queue_field *f = &queue_fields[i];

		if (!says_nothing(f, s, a))
			buf_addf(out, "%s%s = %s;%s", before, f->name, queue_field_text(f, s, a),
				 after);
	}
}

const char *queue_text(const Armada__QueueSpec *s, struct arena *a)
{
	CLEANUP_BUF struct buf text = {0};

	buf_addstr(&text, "{ ");
	put_fields(s, "", " ", a, &text);
	buf_addstr(&text, "}");
	return arena_strdup(a, (const char *)text.data);
}

void queue_show(const Armada__QueueSpec *s, const char *indent, struct buf *out)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);

	buf_addf(out, "%s{\n%s\tname = ", indent, indent);
	print_quoted(s->name, out);
	buf_addstr(out, ";\n");
	put_fields(s, arena_printf(a, "%s\t", indent), "\n", a, out);
	buf_addf(out, "%s}", indent);
}

int queue_spec_of(const struct conf *c, const struct conf_queue *q, struct arena *a,
		  Armada__QueueSpec **ret_spec, struct err *err)
{
	Armada__QueueSpec *s = arena_alloc(a, sizeof(*s));

	armada__queue_spec__init(s);
	if (q->name)
		s->name = arena_strdup(a, q->name);
	for (size_t i = 0; i < QUEUE_FIELDS; i++) {
		const struct armada_option_value *v = &q->values[i];
		int rc = v->set ? queue_field_put(&queue_fields[i], v, a, s, err) : 0;

		if (rc < 0)
			return err_prefix(err, rc, "%s: queue %s: %s", c->file, s->name,
					  queue_fields[i].name);
	}
	*ret_spec = s;
	return 0;
}
