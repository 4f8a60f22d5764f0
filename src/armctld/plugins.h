/*
 * The plugins armctld uses, loaded and configured by armada.conf.
 */
#pragma once

#include "conf/conf.h"
#include "plugin/candidates.h"
#include "plugin/plugin.h"

struct plugins {
	struct plugin kinds[CONF_PLUGIN_KINDS]; /* by enum armada_plugin_kind */
	bool loaded[CONF_PLUGIN_KINDS];
	struct candidates contain; /* with plugins_load_all, if "auto" chooses the contain plugin */
};

/* Load the plugins of the controller and check the options of each. */
int plugins_load(struct plugins *ret_plugins, struct conf *conf, struct err *err);
void plugins_done(struct plugins *p);
/*
 * The plugins after a reload: those that stay, with the new values, and the scheduler plugins that
 * conf newly names. conf must outlive them. Afterwards call plugins_drop for one of the sets.
 */
int plugins_renew(const struct plugins *now, struct conf *conf, struct plugins *ret_next,
		  struct err *err);
/* Free the plugins that other does not use. */
void plugins_drop(struct plugins *p, const struct plugins *other);
/* Also the plugins of armd, for armctld --check. Call plugins_done also after a failure. */
int plugins_load_all(struct plugins *ret_plugins, struct conf *conf, struct err *err);
