/*
 * Reads armada.conf (conf.h). Input: a file, or its text. Output: a new struct conf with values or
 * defaults for every row of conf/tables.c, or an error with file, line and key. The steps are:
 * check the text (scan.c), parse it with libconfig, set the defaults, read sections, lists and
 * plugins, check the rules between values (rules.c). The first error ends the loading, so no part
 * of a faulty file takes effect. A list is read into growing arrays and copied into the arena at
 * its end.
 */
#include "conf/controllers.h"
#include "conf/private.h"
#include "conf/scan.h"
#include "conf/value.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/names.h"
#include "util/nearest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NODES_MAX = 100000, KEYS_MAX = 64 };

int conf_at(const struct conf *c, const config_setting_t *s, int code, struct err *err)
{
	const char *name = config_setting_name(s);

	if (name)
		err_prefix(err, code, "%s", name);
	return err_prefix(err, code, "%s: line %u", c->file,
			  (unsigned)config_setting_source_line(s));
}

int conf_unknown(const char *key, const char *const *words, size_t count, struct err *err)
{
	const char *near = nearest_word(key, words, count);

	if (near)
		return err_set(err, -EINVAL, "unknown key; did you mean '%s'?", near);
	for (size_t i = 0; i < CONF_SECTIONS; i++)
		for (size_t r = 0; r < conf_sections[i].count; r++)
			if (strcmp(key, conf_sections[i].rows[r].opt.name) == 0)
				return err_set(err, -EINVAL, "unknown key here: it belongs %s%s",
					       conf_sections[i].name ? "in the group " : "outside",
					       conf_sections[i].name ? conf_sections[i].name : "");
	return err_set(err, -EINVAL, "unknown key; see armada.conf(5)");
}

int conf_line(const struct conf *c, const char *list, size_t i, const char *key)
{
	const config_setting_t *s = c->priv ? config_lookup(&conf_priv(c)->cfg, list) : NULL;

	s = s ? config_setting_get_elem(s, (unsigned)i) : NULL;
	s = s ? config_setting_get_member((config_setting_t *)s, key) : NULL;
	return s ? (int)config_setting_source_line(s) : 0;
}

/* ---- one group ---- */

static const struct conf_row *find_row(const struct conf_row *rows, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].opt.name, name) == 0)
			return &rows[i];
	return NULL;
}

static int read_row(struct conf *c, const struct conf_row *row, const config_setting_t *s, void *to,
		    struct err *err)
{
	struct armada_option_value v;
	int rc = value_from_setting(&row->opt, s, conf_priv(c)->arena, &v, err);

	if (!rc)
		rc = value_check(row, &v, err);
	if (rc < 0)
		return conf_at(c, s, rc, err);
	value_store(row, &v, to);
	return 0;
}

/* Store the default of a row. Defaults are part of the program, so an invalid one is a bug. */
static int set_default(struct conf *c, const struct conf_row *row, void *to, struct err *err)
{
	const char *one = conf_list_default(row);
	struct armada_option_value v;
	int rc = option_parse(&row->opt, row->opt.def, &v, err);

	if (!rc && one) {
		v.list = arena_memdup(conf_priv(c)->arena, &one, sizeof(one));
		v.count = 1;
	}
	if (rc < 0)
		return err_prefix(err, rc, "default of %s", row->opt.name);
	if (row->none)
		v.i = -1;
	value_store(row, &v, to);
	return 0;
}

int conf_set_defaults(struct conf *c, const struct conf_row *rows, size_t count, void *to,
		      struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		int rc = set_default(c, &rows[i], to, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int unknown_in(const struct conf *c, const struct conf_row *rows, size_t count, bool top,
		      const config_setting_t *s, struct err *err)
{
	const char *words[KEYS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		words[n++] = rows[i].opt.name;
	for (size_t i = 1; top && i < CONF_SECTIONS; i++)
		words[n++] = conf_sections[i].name;
	for (size_t i = 0; top && i < CONF_LISTS; i++)
		words[n++] = conf_lists[i].name;
	if (top)
		words[n++] = "plugins";
	return conf_at(c, s, conf_unknown(config_setting_name(s), words, n, err), err);
}

/* Read a group of the file into a struct that holds the defaults. set: one for each row. */
static int read_group(struct conf *c, const struct conf_row *rows, size_t count,
		      const config_setting_t *group, void *to, bool *set, struct err *err)
{
	if (config_setting_type(group) != CONFIG_TYPE_GROUP)
		return conf_at(c, group, err_set(err, -EINVAL, "expected a group { ... }"), err);
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
		const struct conf_row *row = find_row(rows, count, config_setting_name(s));
		int rc;

		if (!row)
			return unknown_in(c, rows, count, false, s, err);
		rc = read_row(c, row, s, to, err);
		if (rc < 0)
			return rc;
		set[row - rows] = true;
	}
	return 0;
}

/* ---- lists of groups ---- */

/* A list section while it is read. */
struct reading {
	const struct conf_list *list;
	char *structs;
	bool *set;
	size_t count, cap;
};

static const char *name_of(const struct reading *r, size_t i)
{
	return *(const char **)(r->structs + i * r->list->size + r->list->rows[0].offset);
}

/* Append a copy of one struct under another name. */
static void append(struct conf *c, struct reading *r, const void *from, const bool *set,
		   const char *name)
{
	const struct conf_list *l = r->list;
	size_t cap = r->cap;

	r->structs = grow(r->structs, &cap, r->count + 1, l->size);
	if (cap != r->cap)
		r->set = xreallocarray(r->set, cap * l->count, sizeof(*r->set));
	r->cap = cap;
	memcpy(r->structs + r->count * l->size, from, l->size);
	memcpy(r->set + r->count * l->count, set, l->count * sizeof(*set));
	*(const char **)(r->structs + r->count * l->size + l->rows[0].offset) =
		arena_strdup(conf_priv(c)->arena, name);
	r->count++;
}

static int append_names(struct conf *c, struct reading *r, const void *from, const bool *set,
			struct err *err)
{
	const char *name = *(const char *const *)((const char *)from + r->list->rows[0].offset);
	char **names;
	size_t count;
	int rc;

	if (!r->list->many) {
		append(c, r, from, set, name);
		return 0;
	}
	rc = hostlist_expand(name, NODES_MAX - r->count, &names, &count, err);
	if (rc < 0)
		return err_prefix(err, rc, "name");
	for (size_t i = 0; i < count; i++)
		append(c, r, from, set, names[i]);
	hostlist_free(names, count);
	return 0;
}

/* An entry of a keyed list: its name is the key, and a number is the second row. */
static int read_keyed(struct conf *c, const struct conf_list *l, const config_setting_t *s,
		      void *one, bool *set, struct err *err)
{
	int rc = 0;

	if (config_setting_type(s) == CONFIG_TYPE_GROUP) {
		rc = read_group(c, l->rows + 1, l->count - 1, s, one, set + 1, err);
	} else {
		rc = read_row(c, &l->rows[1], s, one, err);
		set[1] = true;
	}
	*(const char **)((char *)one + l->rows[0].offset) = config_setting_name(s);
	set[0] = true;
	return rc;
}

static int read_entry(struct conf *c, struct reading *r, const config_setting_t *s, struct err *err)
{
	const struct conf_list *l = r->list;
	CLEANUP_FREE char *one = xcalloc(1, l->size);
	bool set[KEYS_MAX] = {false};
	int rc = conf_set_defaults(c, l->rows, l->count, one, err);

	if (!rc && l->keyed)
		rc = read_keyed(c, l, s, one, set, err);
	else if (!rc)
		rc = read_group(c, l->rows, l->count, s, one, set, err);
	if (rc < 0)
		return rc;
	if (!set[0])
		return conf_at(c, s, err_set(err, -EINVAL, "%s: an entry without a name", l->name),
			       err);
	rc = l->settle ? l->settle(one, set, err) : 0;
	if (rc < 0)
		err_prefix(err, rc, "%s", l->name);
	if (!rc)
		rc = append_names(c, r, one, set, err);
	return rc < 0 ? conf_at(c, s, rc, err) : 0;
}

/* The last entry of this name in the file, which is r's list of single names. */
static const config_setting_t *last_entry(const struct reading *r, const config_setting_t *s,
					  const char *name)
{
	size_t i = r->count;

	while (strcmp(name_of(r, --i), name) != 0)
		;
	return config_setting_get_elem(s, (unsigned)i);
}

static int refuse_duplicate(const struct conf *c, const struct reading *r,
			    const config_setting_t *s, const char *name, struct err *err)
{
	int rc = err_set(err, -EEXIST,
			 "the name '%s' is given twice; expected one entry for each name", name);

	if (r->list->many)
		return conf_at(c, s, rc, err);
	return conf_at(c, last_entry(r, s, name), err_prefix(err, rc, "%s", r->list->name), err);
}

static int check_duplicates(const struct conf *c, const struct reading *r,
			    const config_setting_t *s, struct err *err)
{
	CLEANUP_FREE const char **names = xcalloc(r->count, sizeof(*names));

	for (size_t i = 0; i < r->count; i++)
		names[i] = name_of(r, i);
	qsort(names, r->count, sizeof(*names), names_compare);
	for (size_t i = 1; i < r->count; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			return refuse_duplicate(c, r, s, names[i], err);
	return 0;
}

static void keep(struct conf *c, size_t index, const struct reading *r)
{
	struct conf_priv *p = conf_priv(c);
	const struct conf_list *l = r->list;

	*(void **)((char *)c + l->offset) =
		r->count ? arena_memdup(p->arena, r->structs, r->count * l->size) : NULL;
	*(size_t *)((char *)c + l->count_offset) = r->count;
	p->list_set[index] = arena_memdup(p->arena, r->set, r->count * l->count * sizeof(*r->set));
	p->listed[index] = true;
}

static int read_list(struct conf *c, size_t index, const config_setting_t *s, struct err *err)
{
	struct reading r = {.list = &conf_lists[index]};
	int type = config_setting_type(s), rc = 0;

	if (r.list->keyed && type != CONFIG_TYPE_GROUP)
		return conf_at(c, s, err_set(err, -EINVAL, "expected a group: { NAME = ...; }"),
			       err);
	if (!r.list->keyed && type != CONFIG_TYPE_LIST &&
	    !(type == CONFIG_TYPE_ARRAY && !config_setting_length(s)))
		return conf_at(c, s,
			       err_set(err, -EINVAL,
				       "expected a list of groups: ( { name = \"...\"; } )"),
			       err);
	for (int i = 0; !rc && i < config_setting_length(s); i++)
		rc = read_entry(c, &r, config_setting_get_elem(s, (unsigned)i), err);
	if (!rc)
		rc = check_duplicates(c, &r, s, err);
	if (!rc)
		keep(c, index, &r);
	free(r.structs);
	free(r.set);
	return rc;
}

/* ---- the whole file ---- */

static int read_member(struct conf *c, const config_setting_t *s, struct err *err)
{
	struct conf_priv *p = conf_priv(c);
	const struct conf_section *top = &conf_sections[0];
	const char *name = config_setting_name(s);
	const struct conf_row *row = find_row(top->rows, top->count, name);

	if (row) {
		p->set[0][row - top->rows] = true;
		return read_row(c, row, s, c, err);
	}
	for (size_t i = 1; i < CONF_SECTIONS; i++)
		if (strcmp(conf_sections[i].name, name) == 0)
			return read_group(c, conf_sections[i].rows, conf_sections[i].count, s, c,
					  p->set[i], err);
	for (size_t i = 0; i < CONF_LISTS; i++)
		if (strcmp(conf_lists[i].name, name) == 0)
			return p->listed[i] ? 0 : read_list(c, i, s, err);
	if (strcmp(name, "plugins") == 0)
		return conf_read_plugins(c, s, err);
	return unknown_in(c, top->rows, top->count, true, s, err);
}

static int read_list_named(struct conf *c, const char *name, struct err *err)
{
	const config_setting_t *s = config_lookup(&conf_priv(c)->cfg, name);
	size_t index = 0;

	while (strcmp(conf_lists[index].name, name) != 0)
		index++;
	return s ? read_list(c, index, s, err) : 0;
}

/* Before all others: these name resources and have amounts of them. */
static int read_resources(struct conf *c, struct err *err)
{
	const config_setting_t *s = config_lookup(&conf_priv(c)->cfg, "floating");
	CLEANUP_FREE struct resource_row *rows = NULL;
	size_t n = 0;
	int rc = read_list_named(c, "resources", err);

	if (rc == 0)
		rc = read_list_named(c, "floating", err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < c->resource_count; i++)
		rc = resource_row_check(c->resources[i].name, err);
	if (rc < 0 || !c->floating_count)
		s = config_lookup(&conf_priv(c)->cfg, "resources");
	if (rc < 0)
		return conf_at(c, s, rc, err);
	rows = xcalloc(c->resource_count + c->floating_count + 1, sizeof(*rows));
	for (size_t i = 0; i < c->resource_count; i++)
		rows[n++] = (struct resource_row){
			c->resources[i].name,
			strcmp(c->resources[i].unit, "size") == 0 ? RESOURCE_SIZE : RESOURCE_COUNT,
			false};
	for (size_t i = 0; i < c->floating_count; i++)
		rows[n++] = (struct resource_row){c->floating[i].name, RESOURCE_COUNT, true};
	rc = resource_table_set(rows, n, err);
	return rc < 0 && s ? conf_at(c, s, rc, err) : rc;
}

static int read_all(struct conf *c, struct err *err)
{
	struct conf_priv *p = conf_priv(c);
	const config_setting_t *root = config_root_setting(&p->cfg);
	int rc = 0;

	for (size_t i = 0; !rc && i < CONF_SECTIONS; i++) {
		p->set[i] = arena_zalloc(p->arena, conf_sections[i].count, sizeof(bool));
		rc = conf_set_defaults(c, conf_sections[i].rows, conf_sections[i].count, c, err);
	}
	if (!rc)
		rc = conf_read_plugins(c, NULL, err);
	if (!rc)
		rc = read_resources(c, err);
	for (int i = 0; !rc && i < config_setting_length(root); i++)
		rc = read_member(c, config_setting_get_elem(root, (unsigned)i), err);
	if (!rc && !p->listed[0])
		rc = conf_default_classes(c, err);
	if (!rc)
		rc = conf_fill_controllers(c, err);
	return rc ? rc : conf_check_rules(c, err);
}

/* A file with queues alone: each is checked by itself, but not against other settings. */
static int read_queues(struct conf *c, struct err *err)
{
	const config_setting_t *root = config_root_setting(&conf_priv(c)->cfg);
	size_t index = 0;
	int rc = 0;

	while (strcmp(conf_lists[index].name, "queues") != 0)
		index++;
	for (int i = 0; !rc && i < config_setting_length(root); i++) {
		const config_setting_t *s = config_setting_get_elem(root, (unsigned)i);

		if (strcmp(config_setting_name(s), "queues") == 0)
			rc = read_list(c, index, s, err);
		else
			rc = conf_at(c, s,
				     err_set(err, -EINVAL, "only queues = ( ... ) is allowed here"),
				     err);
	}
	if (!rc && !c->queue_count)
		rc = err_set(err, -EINVAL, "%s: expected queues = ( { name = \"...\"; } );",
			     c->file);
	return rc ? rc : conf_check_each_queue(c, err);
}

static int parse_text(struct conf *c, const char *text,
		      int (*take)(struct conf *c, struct err *err), struct err *err)
{
	config_t *cfg = &conf_priv(c)->cfg;
	CLEANUP_BUF struct buf safe = {0};
	int rc = conf_scan(text, &safe, err);

	if (rc < 0)
		return err_prefix(err, rc, "%s", c->file);
	if (!config_read_string(cfg, (const char *)safe.data))
		return conf_scan_refused(c->file, (const char *)safe.data, config_error_line(cfg),
					 config_error_text(cfg), err);
	return take(c, err);
}

static int parse(struct conf **ret_conf, const char *name, const char *text,
		 int (*take)(struct conf *c, struct err *err), struct err *err)
{
	struct conf *c = xcalloc(1, sizeof(*c));
	struct conf_priv *p = xcalloc(1, sizeof(*p));
	int rc;

	c->priv = p;
	c->file = xstrdup(name);
	p->arena = arena_new(0);
	config_init(&p->cfg);
	rc = parse_text(c, text, take, err);
	if (rc < 0) {
		conf_free(c);
		return rc;
	}
	*ret_conf = c;
	return 0;
}

int conf_parse(struct conf **ret_conf, const char *name, const char *text, struct err *err)
{
	return parse(ret_conf, name, text, read_all, err);
}

int conf_parse_queues(struct conf **ret_conf, const char *name, const char *text, struct err *err)
{
	return parse(ret_conf, name, text, read_queues, err);
}

void conf_free(struct conf *c)
{
	if (!c)
		return;
	config_destroy(&conf_priv(c)->cfg);
	arena_free(conf_priv(c)->arena);
	free(c->priv);
	free(c->file);
	free(c);
}

/* Write access to the file gives the right to run jobs as any user. */
static int check_file(const char *file, const struct stat *st, struct err *err)
{
	if (!S_ISREG(st->st_mode))
		return err_set(err, -EINVAL, "%s is not a plain file", file);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, -EPERM,
			       "%s may be written by its group or by others: chmod go-w %s", file,
			       file);
	return 0;
}

int conf_read_text(int fd, const char *name, struct buf *out, struct err *err)
{
	ssize_t n;

	while ((n = read(fd, buf_reserve(out, 65536), 65536)) > 0 && out->len <= CONF_TEXT_MAX)
		out->len += (size_t)n;
	if (n < 0)
		return err_sys(err, -errno, "%s", name);
	if (out->len > CONF_TEXT_MAX)
		return err_set(err, -E2BIG, "%s is larger than %d MiB", name, CONF_TEXT_MAX >> 20);
	buf_addstr(out, "");
	if (memchr(out->data, 0, out->len))
		return err_set(err, -EINVAL, "%s contains a zero byte, so it is not a text file",
			       name);
	return 0;
}

static int read_file(const char *file, struct buf *out, struct err *err)
{
	CLEANUP_CLOSE int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, -errno, "%s", file);
	rc = check_file(file, &st, err);
	return rc < 0 ? rc : conf_read_text(fd, file, out, err);
}

int conf_load(struct conf **ret_conf, const char *file, struct err *err)
{
	CLEANUP_BUF struct buf text = {0};
	int rc;

	if (!file)
		file = getenv("ARMADA_CONF");
	if (!file || !*file)
		file = ARMADA_SYSCONFDIR "/armada.conf";
	rc = read_file(file, &text, err);
	return rc < 0 ? rc : conf_parse(ret_conf, file, (const char *)text.data, err);
}
