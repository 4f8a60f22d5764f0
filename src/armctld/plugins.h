/*
 * The plugins armctld uses, loaded and configured by armada.conf.
 */
#pragma once

#include "conf/conf.h"
#include "plugin/plugin.h"

struct plugins {
	struct plugin kinds[CONF_PLUGIN_KINDS]; /* by enum armada_plugin_kind */
	bool loaded[CONF_PLUGIN_KINDS];
};

/* Loads what the controller runs with and checks every kind's options against its table. */
int plugins_load(struct plugins *ret_plugins, struct conf *conf, struct err *err);
void plugins_done(struct plugins *p);
/*
 * What a reload would run with: those of now with conf's values, which are checked and must live on,
 * and where conf names another plugin of the scheduler that one. Afterwards either plugins_drop.
 */
int plugins_renew(const struct plugins *now, struct conf *conf, struct plugins *ret_next,
		  struct err *err);
/* Free what other has not too. */
void plugins_drop(struct plugins *p, const struct plugins *other);
/* Also armd's, for armctld --check. On failure too, release with plugins_done. */
int plugins_load_all(struct plugins *ret_plugins, struct conf *conf, struct err *err);
