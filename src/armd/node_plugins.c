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

	if (rc == 0)
		rc = candidates_check(&n->contain, n->conf, err);
	if (rc < 0)
		return rc;
	rc = probe(&n->contain, &text);
	if (rc < 0)
		return err_set(err, rc, "%s: plugins: contain: %s", n->conf->file, text.text);
	log_notice("containment: %s%s%s", n->contain.desc->name, text.text[0] ? ", " : "",
		   text.text);
	return 0;
}

static void add_reason(struct buf *why, const char *text)
{
	buf_addstr(why, why->len ? "; " : "");
	buf_addstr(why, text);
}

static void log_choice(const char *name, bool last, const char *remark, const struct buf *why)
{
	log_at(last ? LOG_WARN : LOG_NOTICE, "containment: %s%s%s%s%.*s%s", name,
	       last      ? ", which limits neither memory nor cpu"
	       : *remark ? ", "
			 : "",
	       last ? "" : remark, why->len ? " (not better: " : "", (int)why->len,
	       why->len ? (char *)why->data : "", why->len ? ")" : "");
}

/* Moves the first plugin that works out of loaded. */
static int choose(struct node *n, struct plugin *loaded, struct buf *why, struct err *err)
{
	struct armada_error text;

	for (int i = 0; i < CANDIDATES; i++) {
		if (!loaded[i].desc)
			continue;
		if (probe(&loaded[i], &text) < 0) {
			add_reason(why, text.text);
			continue;
		}
		n->contain = loaded[i];
		loaded[i] = (struct plugin){0};
		log_choice(n->contain.desc->name, i == CANDIDATES - 1, text.text, why);
		return 0;
	}
	return err_set(err, -ENOTSUP, "no contain plugin works here: %.*s", (int)why->len,
		       why->len ? (char *)why->data : "none is installed");
}

static int load_best(struct node *n, struct err *err)
{
	CLEANUP_BUF struct buf why = {0};
	int rc = candidates_load(&n->contain_others, n->conf, &why, err);

	if (rc == 0)
		rc = choose(n, n->contain_others.loaded, &why, err);
	if (why.len)
		n->contain_why = xasprintf("%.*s", (int)why.len, (char *)why.data);
	return rc;
}

int node_load_contain(struct node *n, struct err *err)
{
	n->contain_auto = candidates_wanted(n->conf);
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
