/*
 * The host side of plugins: find, check, load, configure.
 *
 * A plugin is the file <kind>_<name>.so in the plugin directory. The file must be a plain file. The file and
 * the directory must belong to root or to the user that the daemon runs as, and only their owner may write
 * them. Names hold letters, digits, dash and underscore only, so a name cannot refer to a file outside of the
 * directory. A plugin remains loaded until plugin_free. Its options are the group `kind { name = ...; option
 * = value; }` of the plugins section of armada.conf.
 */
#pragma once

#include "util/err.h"
#include <armada/plugin.h>

struct conf;

struct plugin {
	const struct armada_plugin *desc;
	const void *ops;
	const struct armada_option_value *values; /* one for each row of desc->options */
	char *path;
	void *dl;
	void *own_ops; /* a longer copy of its table, with NULLs at the end; NULL: not needed */
	struct armada_option_value *own_values; /* the defaults */
};

/* From kind to name ("fairness") and back; NULL and 0: unknown. */
const char *plugin_kind_name(enum armada_plugin_kind kind);
enum armada_plugin_kind plugin_kind_of(const char *name);
/* The size of the operations table of a kind in this release. */
size_t plugin_ops_size(enum armada_plugin_kind kind);

/*
 * Load a plugin. Its values are the descriptor's defaults until plugin_set_values. Errors name the file
 * and its defect.
 */
int plugin_load(struct plugin *ret_plugin, const char *dir, enum armada_plugin_kind kind,
		const char *name, struct err *err);
/* Load the plugin that the configuration names, with its values. If these are wrong, it is loaded anyway. */
int plugin_load_chosen(struct plugin *ret_plugin, struct conf *conf, enum armada_plugin_kind kind,
		       struct err *err);
/* values: one for each row, borrowed until plugin_free. */
void plugin_set_values(struct plugin *p, const struct armada_option_value *values);
void plugin_free(struct plugin *p);
/* Open a plugin of kind auth with its values. On failure ret_handle is NULL. */
int plugin_open_auth(const struct plugin *p, void **ret_handle, struct err *err);

/* The host that plugins get as argument: log lines go to util/log. */
extern const struct armada_host plugin_host;
