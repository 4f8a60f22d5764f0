/*
 * The differences of two configurations: one walk over the option tables, so that a new row needs no more
 * code.
 *
 * Options are compared by value, not by text; entries of a list by name, not by position. The texts of
 * changes have the syntax of armada.conf.
 */
#pragma once

#include "conf/conf.h"
#include "util/arena.h"

struct conf_change {
	const char *list; /* of an entry: "queues", "priority_classes"; NULL: an option, a plugin */
	/* The option's ("" is the top level), or "plugins". NULL for an entry. */
	const char *section;
	/* The option, the kind of plugin, the entries that change alike. */
	const char *const *names;
	size_t name_count;
	const char *key;            /* of a plugin or an entry; "": all of it */
	const char *before, *after; /* "": it did not exist before, or does not exist after */
	bool refused;               /* needs a restart */
};

struct conf_changes {
	struct conf_change *list;
	size_t count;
};

/*
 * In the order of the tables. The result lives in the arena; names are borrowed from both configurations.
 * Options of plugins are compared by value if conf_plugin_options was called for both.
 */
void conf_compare(const struct conf *old, const struct conf *new_conf, struct arena *a,
		  struct conf_changes *ret);

/* The names of the changes that need a restart; empty: none. */
void conf_refusals(const struct conf_changes *changes, struct buf *out);
