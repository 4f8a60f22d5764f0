/*
 * YAML and JSON become a tree, by libyaml.
 *
 * libyaml reports events: the begin and end of lists and maps, and scalars. A plain scalar that looks like a
 * number, a truth value (true, false) or null is one; every other scalar is a text, also yes and no. A number
 * that begins with 0 is refused, because readers differ on whether it is octal. JSON is YAML but for tabs
 * between values, which become blanks first.
 */
#include "client/jobtree.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct reader {
	const char *name;
	struct arena *arena;
	struct err *err;
	struct jobtree *open[JOBTREE_DEPTH_MAX];
	size_t depth, values;
	struct jobtree *root;
	const char *key; /* of the value that comes next in a map; NULL: a key comes next */
};

static int refuse(const struct reader *r, const yaml_event_t *e, const char *text)
{
	return err_set(r->err, -EINVAL, "%s: line %zu: %s", r->name, e->start_mark.line + 1, text);
}

static bool is_digits(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return n && !s[n];
}

/* Digits with a point or an exponent. */
static bool is_float(const char *s)
{
	char *end;

	if (s[strspn(s, "0123456789.eE+-")] || !strpbrk(s, "0123456789"))
		return false;
	strtod(s, &end);
	return !*end;
}

static int plain(const struct reader *r, const yaml_event_t *e, const char *s, struct jobtree *t)
{
	const char *digits = s + (*s == '-' || *s == '+');

	if (!*s || !strcmp(s, "~") || !strcmp(s, "null")) {
		t->type = JOBTREE_NULL;
	} else if (!strcmp(s, "true") || !strcmp(s, "false")) {
		t->type = JOBTREE_BOOL;
		t->flag = *s == 't';
	} else if (is_digits(digits)) {
		t->type = JOBTREE_INT;
		if (digits[0] == '0' && digits[1])
			return refuse(r, e,
				      "a number begins with 0; write it without, or in quotes");
	} else if (is_float(s)) {
		t->type = JOBTREE_FLOAT;
	}
	return 0;
}

/* A new value at the place that is open. */
static int add(struct reader *r, const yaml_event_t *e, struct jobtree **ret)
{
	struct jobtree *up = r->depth ? r->open[r->depth - 1] : NULL;
	unsigned line = (unsigned)e->start_mark.line + 1;

	if (++r->values > JOBTREE_VALUES_MAX)
		return refuse(r, e, "the file has too many values");
	*ret = jobtree_add(up, up && up->type == JOBTREE_MAP ? r->key : NULL, line, r->arena);
	if (!up)
		r->root = *ret;
	r->key = NULL;
	return 0;
}

static int take_key(struct reader *r, const yaml_event_t *e, const struct jobtree *map)
{
	const char *key = (const char *)e->data.scalar.value;

	if (!*key)
		return refuse(r, e, "a key is empty");
	if (strcmp(key, "<<") == 0)
		return refuse(r, e, "<< (merging of maps) is not supported; write the keys out");
	if (map->count >= JOBTREE_KEYS_MAX)
		return refuse(r, e, "a map has too many keys");
	if (jobtree_get(map, key))
		return err_set(r->err, -EINVAL, "%s: line %zu: %.60s: this key occurs twice",
			       r->name, e->start_mark.line + 1, key);
	r->key = arena_strdup(r->arena, key);
	return 0;
}

static int take_scalar(struct reader *r, const yaml_event_t *e)
{
	struct jobtree *up = r->depth ? r->open[r->depth - 1] : NULL;
	struct jobtree *t = NULL;
	const char *text = (const char *)e->data.scalar.value;
	int rc;

	if (e->data.scalar.anchor)
		return refuse(r, e, "anchors (&name) are not supported; write the value out");
	if (e->data.scalar.tag)
		return refuse(r, e, "tags (!name) are not supported; leave it out");
	if (strlen(text) != e->data.scalar.length)
		return refuse(r, e, "a text contains a zero byte");
	if (up && up->type == JOBTREE_MAP && !r->key)
		return take_key(r, e, up);
	rc = add(r, e, &t);
	if (rc < 0)
		return rc;
	t->type = JOBTREE_TEXT;
	t->text = arena_strdup(r->arena, text);
	return e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? plain(r, e, text, t) : 0;
}

static int begin(struct reader *r, const yaml_event_t *e, bool is_map)
{
	const yaml_char_t *anchor =
		is_map ? e->data.mapping_start.anchor : e->data.sequence_start.anchor;
	const yaml_char_t *tag = is_map ? e->data.mapping_start.tag : e->data.sequence_start.tag;
	struct jobtree *up = r->depth ? r->open[r->depth - 1] : NULL;
	struct jobtree *t;
	int rc;

	if (anchor)
		return refuse(r, e, "anchors (&name) are not supported; write the value out");
	if (tag)
		return refuse(r, e, "tags (!name) are not supported; leave it out");
	if (up && up->type == JOBTREE_MAP && !r->key)
		return refuse(r, e, "a key must be a text");
	if (r->depth == JOBTREE_DEPTH_MAX)
		return refuse(r, e, "lists and maps are nested too deeply");
	rc = add(r, e, &t);
	if (rc < 0)
		return rc;
	t->type = is_map ? JOBTREE_MAP : JOBTREE_LIST;
	r->open[r->depth++] = t;
	return 0;
}

static int take(struct reader *r, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		return r->root ? refuse(r, e,
					"more than one document; put the jobs in a list: jobs")
			       : 0;
	case YAML_ALIAS_EVENT:
		return refuse(r, e, "aliases (*name) are not supported; write the value out");
	case YAML_SCALAR_EVENT:
		return take_scalar(r, e);
	case YAML_SEQUENCE_START_EVENT:
		return begin(r, e, false);
	case YAML_MAPPING_START_EVENT:
		return begin(r, e, true);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		r->depth--;
		return 0;
	default:
		return 0;
	}
}

static int read_events(struct reader *r, yaml_parser_t *parser)
{
	bool over = false;
	int rc = 0;

	while (rc == 0 && !over) {
		yaml_event_t e;

		if (!yaml_parser_parse(parser, &e))
			return err_set(r->err, -EINVAL, "%s: line %zu: %s", r->name,
				       parser->problem_mark.line + 1,
				       parser->problem ? parser->problem : "not valid YAML");
		over = e.type == YAML_STREAM_END_EVENT;
		rc = take(r, &e);
		yaml_event_delete(&e);
	}
	return rc;
}

/* Tabs between the values of JSON become blanks; within its strings there are none. */
static char *without_tabs(const char *text, struct arena *arena)
{
	char *copy = arena_strdup(arena, text);

	for (char *c = copy; *c; c++)
		if (*c == '\t')
			*c = ' ';
	return copy;
}

int jobtree_parse_yaml(const char *name, const char *text, struct arena *arena,
		       struct jobtree **ret_root, struct err *err)
{
	struct reader r = {.name = name, .arena = arena, .err = err};
	yaml_parser_t parser;
	int rc;

	if (text[strspn(text, " \t\r\n")] == '{')
		text = without_tabs(text, arena);
	if (!yaml_parser_initialize(&parser))
		return err_set(err, -ENOMEM, "%s: no memory", name);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
	rc = read_events(&r, &parser);
	yaml_parser_delete(&parser);
	if (rc < 0)
		return rc;
	if (!r.root || r.root->type != JOBTREE_MAP)
		return err_set(err, -EINVAL,
			       "%s: line 1: a job file is a map of keys: name, command, ...", name);
	*ret_root = r.root;
	return 0;
}
