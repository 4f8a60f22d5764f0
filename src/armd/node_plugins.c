/*
 * Loads the plugins of this node: auth, which decodes credentials, and contain, which contains
 * tasks. Input: armada.conf. Output: the loaded plugins in struct node; the choice of "auto" is
 * logged with the reasons against better plugins.
 *
 * With contain = "auto" the first candidate whose probe succeeds is used. Options beside the name
 * apply to every candidate that has an option of that name.
 */
#include "armd/node_plugins.h"

#include "util/log.h"
#include "util/mem.h"

#include <armada/contain.h>

#include <errno.h>
#include <string.h>

/* The best first; the last one works on every machine. */
static const char *const candidates[] = {"cgroup2", "cgroup1", "rlimit"};

enum { CANDIDATES = ARRAY_SIZE(candidates) };

static int probe(const struct plugin *p, struct armada_error *ret_text)
{
	const struct armada_contain_ops *ops = p->ops;

	ret_text->text[0] = '\0';
	return ops->probe(p->values, ret_text);
}

static int load_named(struct node *n, struct err *err)
{
	struct armada_error text;
	int rc = plugin_load_chosen(&n->contain, n->conf, ARMADA_PLUGIN_CONTAIN, err);

	if (rc < 0)
		return rc;
	rc = probe(&n->contain, &text);
	if (rc < 0)
		return err_set(err, rc, "%s: plugins: contain: %s", n->conf->file, text.text);
	log_notice("containment: %s%s%s", n->contain.desc->name, text.text[0] ? ", " : "",
		   text.text);
	return 0;
}

static bool has_row(const struct armada_option *rows, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].name, name) == 0)
			return true;
	return false;
}

/* Options beside name = "auto" apply to each candidate that has them. */
static int read_options(struct node *n, const struct plugin *loaded, size_t *ret_count,
			struct err *err)
{
	size_t count = 0, cap = 0;

	for (int i = 0; i < CANDIDATES; i++) {
		const struct armada_plugin *d = loaded[i].desc;

		for (size_t k = 0; d && k < d->option_count; k++) {
			if (has_row(n->contain_rows, count, d->options[k].name))
				continue;
			GROW(n->contain_rows, cap, count + 1);
			n->contain_rows[count++] = d->options[k];
		}
	}
	*ret_count = count;
	return conf_plugin_options(n->conf, ARMADA_PLUGIN_CONTAIN, n->contain_rows, count, err);
}

static void give_options(struct node *n, struct plugin *p, size_t row_count)
{
	const struct armada_option_value *all = n->conf->plugins[ARMADA_PLUGIN_CONTAIN].values;
	const struct armada_plugin *d = p->desc;

	free(n->contain_values);
	n->contain_values = xcalloc(d->option_count + 1, sizeof(*n->contain_values));
	for (size_t k = 0; k < d->option_count; k++)
		for (size_t i = 0; i < row_count; i++)
			if (strcmp(n->contain_rows[i].name, d->options[k].name) == 0)
				n->contain_values[k] = all[i];
	plugin_set_values(p, n->contain_values);
}

static void add_reason(struct buf *why, const char *text)
{
	buf_addstr(why, why->len ? "; " : "");
	buf_addstr(why, text);
}

static void log_choice(const char *name, const char *remark, const struct buf *why)
{
	bool last = strcmp(name, candidates[CANDIDATES - 1]) == 0;

	log_at(last ? LOG_WARN : LOG_NOTICE, "containment: %s%s%s%s%.*s%s", name,
	       last      ? ", which limits neither memory nor cpu"
	       : *remark ? ", "
			 : "",
	       last ? "" : remark, why->len ? " (not better: " : "", (int)why->len,
	       why->len ? (char *)why->data : "", why->len ? ")" : "");
}

/* Moves the first plugin that works out of loaded. */
static int choose(struct node *n, struct plugin *loaded, size_t row_count, struct buf *why,
		  struct err *err)
{
	struct armada_error text;

	for (int i = 0; i < CANDIDATES; i++) {
		if (!loaded[i].desc)
			continue;
		give_options(n, &loaded[i], row_count);
		if (probe(&loaded[i], &text) < 0) {
			add_reason(why, text.text);
			continue;
		}
		n->contain = loaded[i];
		loaded[i] = (struct plugin){0};
		log_choice(candidates[i], text.text, why);
		return 0;
	}
	return err_set(err, -ENOTSUP, "no contain plugin works here: %.*s", (int)why->len,
		       why->len ? (char *)why->data : "none is installed");
}

static int load_best(struct node *n, struct err *err)
{
	struct plugin *loaded = n->contain_others;
	CLEANUP_BUF struct buf why = {0};
	size_t row_count;
	int rc;

	_Static_assert(ARRAY_SIZE(candidates) == (size_t)NODE_CONTAIN_OTHERS,
		       "room for every candidate");
	for (int i = 0; i < CANDIDATES; i++)
		if (plugin_load(&loaded[i], n->conf->plugin_dir, ARMADA_PLUGIN_CONTAIN,
				candidates[i], err) < 0)
			add_reason(&why, err->text);
	rc = read_options(n, loaded, &row_count, err);
	if (rc == 0)
		rc = choose(n, loaded, row_count, &why, err);
	if (why.len)
		n->contain_why = xasprintf("%.*s", (int)why.len, (char *)why.data);
	return rc;
}

int node_load_contain(struct node *n, struct err *err)
{
	n->contain_auto = strcmp(n->conf->plugins[ARMADA_PLUGIN_CONTAIN].name, "auto") == 0;
	if (n->contain_auto)
		return load_best(n, err);
	return load_named(n, err);
}

int node_load_plugins(struct node *n, struct err *err)
{
	int rc = plugin_load_chosen(&n->auth, n->conf, ARMADA_PLUGIN_AUTH, err);

	if (rc == 0)
		rc = node_load_contain(n, err);
	return rc < 0 ? rc : plugin_open_auth(&n->auth, &n->auth_handle, err);
}

/* True if libraries see only the task's gpus, because a task can open no others. */
bool node_filters_devices(const struct node *n)
{
	for (size_t i = 0; i < n->contain.desc->option_count; i++)
		if (strcmp(n->contain.desc->options[i].name, "device_filter") == 0)
			return n->contain.values[i].i != 0;
	return false;
}
