/*
 * The host side of plugins: find, check, load, configure.
 *
 * The directory is opened once; a plugin is <kind>_<name>.so inside it, a plain file owned by root
 * or by the user we run as and writable by nobody else, and so is the directory. Names hold
 * letters, digits, dash and underscore only, so no name leaves the directory (S14). A loaded plugin
 * stays until plugin_free; its options are the group `kind { name = ...; option = value; }` of the
 * plugins section of armada.conf.
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
	void *own_ops; /* a longer copy of its table, with NULLs at the end; NULL: it is long enough */
	struct armada_option_value *own_values; /* the defaults */
};

/* "fairness" and back; NULL or 0 for none. */
const char *plugin_kind_name(enum armada_plugin_kind kind);
enum armada_plugin_kind plugin_kind_of(const char *name);
/* The size the host expects of the ops table of a kind. */
size_t plugin_ops_size(enum armada_plugin_kind kind);

/*
 * Load one. Values are the descriptor's defaults until plugin_set_values. Refusals name the file
 * and what is wrong with it.
 */
int plugin_load(struct plugin *ret_plugin, const char *dir, enum armada_plugin_kind kind,
		const char *name, struct err *err);
/* The one that the configuration names, with the values that it gives. Loaded also when those are wrong. */
int plugin_load_chosen(struct plugin *ret_plugin, struct conf *conf, enum armada_plugin_kind kind,
		       struct err *err);
/* values: one for each row, borrowed until plugin_free. */
void plugin_set_values(struct plugin *p, const struct armada_option_value *values);
void plugin_free(struct plugin *p);
/* Open one of kind auth, with its values. NULL in ret_handle when that fails. */
int plugin_open_auth(const struct plugin *p, void **ret_handle, struct err *err);

/* What plugins are given as their host: log lines go to util/log. */
extern const struct armada_host plugin_host;
