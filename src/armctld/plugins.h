/*
 * The plugins armctld uses, loaded and configured by armada.conf.
 */
#ifndef ARMCTLD_PLUGINS_H
#define ARMCTLD_PLUGINS_H

#include "conf/conf.h"
#include "plugin/plugin.h"

struct plugins {
	struct plugin kinds[CONF_PLUGIN_KINDS]; /* by enum armada_plugin_kind */
	bool loaded[CONF_PLUGIN_KINDS];
};

/* Loads what the controller runs with and checks every kind's options against its table. */
int plugins_load(struct plugins *ret_plugins, struct conf *conf, struct err *err);
void plugins_done(struct plugins *p);
/* Check conf's options against the plugins that are loaded; changes conf only. */
int plugins_check(const struct plugins *p, struct conf *conf, struct err *err);
/* From here on they have conf's values, which must have been checked and must live on. */
void plugins_configure(struct plugins *p, const struct conf *conf);
/* Also armd's, for armctld --check. On failure too, release with plugins_done. */
int plugins_load_all(struct plugins *ret_plugins, struct conf *conf, struct err *err);

#endif
