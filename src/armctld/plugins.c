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
	plugins_configure(&p, conf);
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
}

int plugins_check(const struct plugins *p, struct conf *conf, struct err *err)
{
	const struct armada_plugin *desc;
	int rc;

	for (size_t kind = 0; kind < ARRAY_SIZE(p->kinds); kind++) {
		if (!p->loaded[kind])
			continue;
		desc = p->kinds[kind].desc;
		if (strcmp(desc->name, conf->plugins[kind].name) != 0)
			return err_set(err, -EBUSY,
				       "%s: plugins: %s: \"%s\" instead of \"%s\" needs a restart",
				       conf->file, plugin_kind_name(kind), conf->plugins[kind].name,
				       desc->name);
		rc = conf_plugin_options(conf, kind, desc->options, desc->option_count, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

void plugins_configure(struct plugins *p, const struct conf *conf)
{
	for (size_t kind = 0; kind < ARRAY_SIZE(p->kinds); kind++)
		if (p->loaded[kind])
			plugin_set_values(&p->kinds[kind], conf->plugins[kind].values);
}

int plugins_load_all(struct plugins *ret_plugins, struct conf *conf, struct err *err)
{
	const char *contain = conf->plugins[ARMADA_PLUGIN_CONTAIN].name;
	int rc = plugins_load(ret_plugins, conf, err);

	/* "auto" is armd's to resolve, on the machine it runs on */
	if (rc == 0 && contain && strcmp(contain, "auto") != 0)
		rc = load(ret_plugins, ARMADA_PLUGIN_CONTAIN, conf, err);
	return rc;
}
