/*
 * Comparing two configurations, for a reload and `actl reconfigure --dry-run`.
 *
 * In: the old and the new configuration. Out: a list of changes with the texts before and after. The rows of
 * tables.c are compared by value. Entries of lists are sorted by name and compared; entries with the same
 * change are combined into one. Plugin options are compared by value if both plugins are loaded, otherwise
 * as they were written.
 */
#include "conf/compare.h"
#include "conf/private.h"
#include "conf/value.h"
#include "util/mem.h"
#include "util/names.h"

#include <stdlib.h>
#include <string.h>

/* The state of a comparison. */
struct walk {
	const struct conf *old, *new_conf;
	struct arena *arena;
	struct conf_change *list;
	size_t count, cap;
};

static struct conf_change *add(struct walk *w, const char *name)
{
	struct conf_change *c;

	w->list = grow(w->list, &w->cap, w->count + 1, sizeof(*w->list));
	c = &w->list[w->count++];
	*c = (struct conf_change){.name_count = 1, .key = "", .before = "", .after = ""};
	c->names = arena_memdup(w->arena, &name, sizeof(name));
	return c;
}

static bool is_unset(const struct conf_row *row, const struct armada_option_value *v)
{
	if (!row->none)
		return false;
	if (row->opt.type == ARMADA_OPTION_STRINGS)
		return !v->list;
	return row->opt.type == ARMADA_OPTION_STRING ? !*v->s : v->i < 0;
}

/* A value in the syntax of the file; "": no value. */
static const char *row_text(const struct conf_row *row, const struct armada_option_value *v,
			    struct arena *a)
{
	return is_unset(row, v) ? "" : value_text(&row->opt, v, a);
}

/* The change of a row between two structs; NULL: no change. */
static struct conf_change *add_row(struct walk *w, const char *name, const struct conf_row *row,
				   const void *from, const void *to)
{
	struct armada_option_value a = value_fetch(row, from), b = value_fetch(row, to);
	struct conf_change *c;

	if (row->shorthand ||
	    (is_unset(row, &a) == is_unset(row, &b) && value_equal(&row->opt, &a, &b)))
		return NULL;
	c = add(w, name);
	c->before = row_text(row, &a, w->arena);
	c->after = row_text(row, &b, w->arena);
	c->refused = !row->opt.reload;
	return c;
}

/* ---- sections ---- */

static void compare_section(struct walk *w, const struct conf_section *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct conf_change *c =
			add_row(w, s->rows[i].opt.name, &s->rows[i], w->old, w->new_conf);

		if (c)
			c->section = s->name ? s->name : "";
	}
}

/* ---- lists ---- */

/* One entry of a list, and which of its rows were written. */
struct entry {
	const char *name;
	const void *at;
	const bool *set;
};

/* Sorted by name; to be freed. */
static struct entry *entries_of(const struct conf *c, size_t index, size_t *ret_count)
{
	const struct conf_list *l = &conf_lists[index];
	const char *structs = *(const char *const *)((const char *)c + l->offset);
	size_t count = *(const size_t *)((const char *)c + l->count_offset);
	struct entry *list = xcalloc(count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++) {
		const char *at = structs + i * l->size;

		list[i] = (struct entry){
			.name = *(const char *const *)(at + l->rows[0].offset),
			.at = at,
			.set = conf_priv(c)->list_set[index] + i * l->count,
		};
	}
	qsort(list, count, sizeof(*list), names_compare);
	*ret_count = count;
	return list;
}

/* True if the file sets the row, or the row has another value than an unset row. */
static bool says(const struct conf_row *row, const struct armada_option_value *v, bool set)
{
	struct armada_option_value def;

	if (row->shorthand || row->none)
		return row->none && set;
	return set || option_parse(&row->opt, row->opt.def, &def, NULL) < 0 ||
	       !value_equal(&row->opt, v, &def);
}

/* All rows of the entry that are set, as one group. */
static const char *group_text(struct walk *w, const struct conf_list *l, const struct entry *e)
{
	CLEANUP_BUF struct buf text = {0};

	buf_addstr(&text, "{ ");
	for (size_t i = 1; i < l->count; i++) {
		struct armada_option_value v = value_fetch(&l->rows[i], e->at);

		if (!says(&l->rows[i], &v, e->set[i]))
			continue;
		buf_addf(&text, "%s = ", l->rows[i].opt.name);
		value_print(&l->rows[i].opt, &v, &text);
		buf_addstr(&text, "; ");
	}
	buf_addstr(&text, "}");
	return arena_strdup(w->arena, (const char *)text.data);
}

/* a or b is NULL if that configuration has no entry of the name. */
static void compare_entry(struct walk *w, const struct conf_list *l, const struct entry *a,
			  const struct entry *b)
{
	struct conf_change *c;

	if (!a || !b) {
		c = add(w, a ? a->name : b->name);
		c->list = l->name;
		c->before = a ? group_text(w, l, a) : "";
		c->after = b ? group_text(w, l, b) : "";
		return;
	}
	for (size_t i = 1; i < l->count; i++) {
		c = add_row(w, a->name, &l->rows[i], a->at, b->at);
		if (!c)
			continue;
		c->list = l->name;
		c->key = l->rows[i].opt.name;
	}
}

static int alike(const struct conf_change *a, const struct conf_change *b)
{
	int order = strcmp(a->key, b->key);

	if (!order)
		order = strcmp(a->before, b->before);
	return order ? order : strcmp(a->after, b->after);
}

static int by_likeness(const void *a, const void *b)
{
	int order = alike(a, b);

	return order ? order
		     : strcmp(((const struct conf_change *)a)->names[0],
			      ((const struct conf_change *)b)->names[0]);
}

/* Combine the entries from `from` on that have the same change into one change. */
static void gather(struct walk *w, size_t from)
{
	size_t to = from;

	if (w->count == from)
		return;
	qsort(w->list + from, w->count - from, sizeof(*w->list), by_likeness);
	for (size_t i = from, end; i < w->count; i = end) {
		const char **names;

		for (end = i + 1; end < w->count && !alike(&w->list[i], &w->list[end]);)
			end++;
		names = arena_alloc(w->arena, (end - i) * sizeof(*names));
		for (size_t k = i; k < end; k++)
			names[k - i] = w->list[k].names[0];
		w->list[to] = w->list[i];
		w->list[to].names = names;
		w->list[to++].name_count = end - i;
	}
	w->count = to;
}

static void compare_list(struct walk *w, size_t index)
{
	const struct conf_list *l = &conf_lists[index];
	size_t from = w->count, n, m, i = 0, k = 0;
	CLEANUP_FREE struct entry *a = entries_of(w->old, index, &n);
	CLEANUP_FREE struct entry *b = entries_of(w->new_conf, index, &m);

	while (i < n || k < m) {
		int order = i == n ? 1 : k == m ? -1 : names_compare(&a[i], &b[k]);

		compare_entry(w, l, order <= 0 ? &a[i] : NULL, order >= 0 ? &b[k] : NULL);
		i += order <= 0;
		k += order >= 0;
	}
	if (l->many)
		gather(w, from);
}

/* ---- plugins ---- */

/* Plugins of the scheduler may change: a reload opens them again. */
static bool of_scheduler(int kind)
{
	return kind >= ARMADA_PLUGIN_FAIRNESS && kind <= ARMADA_PLUGIN_SELECT;
}

static struct conf_change *add_plugin(struct walk *w, int kind, bool refused, const char *before,
				      const char *after)
{
	struct conf_change *c = add(w, conf_kinds[kind].name);

	c->section = "plugins";
	c->refused = refused;
	c->before = before;
	c->after = after;
	return c;
}

/* The options of a plugin that was not loaded, as they were written. */
static void compare_unloaded(struct walk *w, int kind)
{
	CLEANUP_BUF struct buf a = {0}, b = {0};

	conf_show_plugin(w->old, kind, &a);
	conf_show_plugin(w->new_conf, kind, &b);
	if (strcmp((const char *)a.data, (const char *)b.data) != 0)
		add_plugin(w, kind, false, arena_strdup(w->arena, (const char *)a.data),
			   arena_strdup(w->arena, (const char *)b.data));
}

static void compare_plugin(struct walk *w, int kind)
{
	const struct conf_plugin *a = &w->old->plugins[kind], *b = &w->new_conf->plugins[kind];
	const struct armada_option *rows = conf_priv(w->old)->plugins[kind].rows;

	if (strcmp(a->name, b->name) != 0) {
		const struct armada_option name = {.type = ARMADA_OPTION_STRING};
		const struct armada_option_value was = {.s = a->name}, is = {.s = b->name};

		add_plugin(w, kind, !of_scheduler(kind), value_text(&name, &was, w->arena),
			   value_text(&name, &is, w->arena));
		return;
	}
	if (!a->values || !b->values) {
		compare_unloaded(w, kind);
		return;
	}
	for (size_t i = 0; i < conf_priv(w->old)->plugins[kind].count; i++)
		if (!value_equal(&rows[i], &a->values[i], &b->values[i]))
			add_plugin(w, kind, !rows[i].reload && !of_scheduler(kind),
				   value_text(&rows[i], &a->values[i], w->arena),
				   value_text(&rows[i], &b->values[i], w->arena))
				->key = rows[i].name;
}

void conf_compare(const struct conf *old, const struct conf *new_conf, struct arena *a,
		  struct conf_changes *ret)
{
	struct walk w = {.old = old, .new_conf = new_conf, .arena = a};

	for (size_t i = 0; i < CONF_SECTIONS; i++)
		compare_section(&w, &conf_sections[i]);
	for (size_t i = 0; i < CONF_LISTS; i++)
		compare_list(&w, i);
	for (int k = ARMADA_PLUGIN_AUTH; k <= ARMADA_PLUGIN_CONTAIN; k++)
		compare_plugin(&w, k);
	ret->list = arena_memdup(a, w.list, w.count * sizeof(*w.list));
	ret->count = w.count;
	free(w.list);
}

void conf_refusals(const struct conf_changes *changes, struct buf *out)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct conf_change *c = &changes->list[i];
		const char *of = c->section ? c->section : c->list;

		if (!c->refused)
			continue;
		buf_addf(out, "%s%s%s%s%s%s", out->len ? ", " : "", of, *of ? "." : "", c->names[0],
			 *c->key ? "." : "", c->key);
	}
}
