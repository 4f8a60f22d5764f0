/*
 * Loads the plugins of armctld and renews them for a reload (plugins.h). Input: armada.conf.
 * Output: loaded plugins with checked options. A reload shares unchanged plugins with the running
 * set; plugins_drop frees only those that the other set does not use.
 */
#include "armctld/plugins.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

static const enum armada_plugin_kind ours[] = {
	ARMADA_PLUGIN_AUTH,  ARMADA_PLUGIN_STATE,   ARMADA_PLUGIN_FAIRNESS,
	ARMADA_PLUGIN_ORDER, ARMADA_PLUGIN_PREEMPT, ARMADA_PLUGIN_SELECT,
};

static int load(struct plugins *p, enum armada_plugin_kind kind, struct conf *conf, struct err *err)
{
	struct plugin *plugin = &p->kinds[kind];
	int rc = plugin_load(plugin, conf->plugin_dir, kind, conf->plugins[kind].name, err);

	if (rc < 0)
		return rc;
	p->loaded[kind] = true;
	return conf_plugin_options(conf, kind, plugin->desc->options, plugin->desc->option_count,
				   err);
}

int plugins_load(struct plugins *ret_plugins, struct conf *conf, struct err *err)
{
	struct plugins p = {0};
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		rc = load(&p, ours[i], conf, err);
		if (rc < 0) {
			plugins_done(&p);
			return rc;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		plugin_set_values(&p.kinds[ours[i]], conf->plugins[ours[i]].values);
	*ret_plugins = p;
	return 0;
}

void plugins_done(struct plugins *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(p->kinds); i++) {
		if (p->loaded[i])
			plugin_free(&p->kinds[i]);
		p->loaded[i] = false;
	}
	candidates_free(&p->contain);
}

static bool of_scheduler(enum armada_plugin_kind kind)
{
	return kind == ARMADA_PLUGIN_FAIRNESS || kind == ARMADA_PLUGIN_ORDER ||
	       kind == ARMADA_PLUGIN_PREEMPT || kind == ARMADA_PLUGIN_SELECT;
}

static int renew(const struct plugins *now, enum armada_plugin_kind kind, struct conf *conf,
		 struct plugins *next, struct err *err)
{
	const struct plugin *old = &now->kinds[kind];
	const char *name = conf->plugins[kind].name;
	int rc;

	if (strcmp(old->desc->name, name) != 0) {
		if (!of_scheduler(kind))
			return err_set(err, -EBUSY,
				       "%s: plugins: %s: '%s' instead of '%s' needs a restart",
				       conf->file, plugin_kind_name(kind), name, old->desc->name);
		rc = load(next, kind, conf, err);
	} else {
		next->kinds[kind] = *old;
		next->loaded[kind] = true;
		rc = conf_plugin_options(conf, kind, old->desc->options, old->desc->option_count,
					 err);
	}
	if (rc == 0)
		plugin_set_values(&next->kinds[kind], conf->plugins[kind].values);
	return rc;
}

int plugins_renew(const struct plugins *now, struct conf *conf, struct plugins *ret_next,
		  struct err *err)
{
	struct plugins next = {0};

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		int rc = renew(now, ours[i], conf, &next, err);

		if (rc < 0) {
			plugins_drop(&next, now);
			return rc;
		}
	}
	*ret_next = next;
	return 0;
}

void plugins_drop(struct plugins *p, const struct plugins *other)
{
	for (size_t i = 0; i < ARRAY_SIZE(p->kinds); i++)
		if (p->loaded[i] && p->kinds[i].path == other->kinds[i].path)
			p->loaded[i] = false;
	plugins_done(p);
}

int plugins_load_all(struct plugins *ret_plugins, struct conf *conf, struct err *err)
{
	struct plugin *contain = &ret_plugins->kinds[ARMADA_PLUGIN_CONTAIN];
	CLEANUP_BUF struct buf ignored = {0};
	int rc = plugins_load(ret_plugins, conf, err);

	if (rc < 0)
		return rc;
	if (candidates_wanted(conf))
		return candidates_load(&ret_plugins->contain, conf, &ignored, err);
	rc = load(ret_plugins, ARMADA_PLUGIN_CONTAIN, conf, err);
	if (rc < 0)
		return rc;
	plugin_set_values(contain, conf->plugins[ARMADA_PLUGIN_CONTAIN].values);
	return candidates_check(contain, conf, err);
}
