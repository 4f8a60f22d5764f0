/*
 * What differs between two configurations: one walk over the option tables, so that a new row is
 * compared without more code.
 *
 * Options are compared by value, whichever way they were written; entries of a list by name, in
 * whatever order they are. Texts are as armada.conf would say them.
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
	const char *before, *after; /* "": it was not there, it is no more */
	bool refused;               /* needs a restart */
};

struct conf_changes {
	struct conf_change *list;
	size_t count;
};

/*
 * In the order of the tables. All of it lives in the arena, but for names, which borrow from both
 * configurations. Options of plugins are compared where conf_plugin_options knows them in both.
 */
void conf_compare(const struct conf *old, const struct conf *new_conf, struct arena *a,
		  struct conf_changes *ret);

/* Names of those that may not change while the daemon runs; empty: all may. */
void conf_refusals(const struct conf_changes *changes, struct buf *out);
