/*
 * The resources of a cluster: the one table.
 *
 * Every vector of amounts has the order of this table. The first rows are always cpu, memory and gpu; the
 * others come from `resources` and then from `floating` of armada.conf, in their order. A row has everything
 * that depends on the resource: its name and the unit of its amounts, in which they are read and printed.
 *
 * There is one table in a process. Loading armada.conf replaces it until resource_table_keep() is called,
 * which a daemon does before it makes its first vector. From then on a configuration with other resources
 * is refused: it needs a restart. So the table never changes while another thread reads it.
 *
 * Cost: finding a name compares it with each row.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RESOURCE_MAX = 16, RESOURCE_NAME_LEN = 31 };

enum resource_unit {
	RESOURCE_COUNT, /* whole numbers: "2" */
	RESOURCE_MILLI, /* thousandths: "1.5" is 1500 */
	RESOURCE_SIZE,  /* bytes: "16G" */
};

size_t resource_count(void);
const char *resource_name(size_t resource);
enum resource_unit resource_unit(size_t resource);
/* "cpus", "gpus", otherwise the name: options and columns are called so. */
const char *resource_plural(size_t resource);
/* A resource of armada.conf, not cpu, memory or gpu. */
bool resource_is_added(size_t resource);
/* Every task has some of it: cpu and memory. */
bool resource_is_basic(size_t resource);
/* It belongs to the cluster, not to nodes: `floating` of armada.conf. */
bool resource_is_floating(size_t resource);
/* The names, in the order of the table. */
const char *const *resource_names(void);
/* The index of a name of len bytes; -1: the table does not have it. */
int resource_find(const char *name, size_t len);
int resource_index(const char *name);
/* As resource_index; the error lists the names of the table, and a near one. */
int resource_need(const char *name, struct err *err);
/* For a command: resource_need calls it once, for a name that is not in the table. It may set the table. */
void resource_table_on_unknown(void (*learn)(void));
/* Checks the form of a name: a lower-case letter, then letters, digits, _ or -. */
int resource_name_check(const char *name, struct err *err);
/* Checks that a text is a name of the table: 0, or -EINVAL. */
int check_resource(const char *text, struct err *err);

/* One amount: "2", "1.5", "16G", as the unit of the resource demands. */
int resource_parse(size_t resource, const char *text, int64_t *ret, struct err *err);
void resource_format(size_t resource, int64_t amount, char *out, size_t size);
/* The same where only the unit is known. */
int unit_parse(enum resource_unit unit, const char *text, int64_t *ret, struct err *err);
void unit_format(enum resource_unit unit, int64_t amount, char *out, size_t size);

/* A row to add to cpu, memory and gpu. */
struct resource_row {
	const char *name;
	enum resource_unit unit;
	bool floating;
};
/* Whether armada.conf may add a resource of this name. */
int resource_row_check(const char *name, struct err *err);
/*
 * Replaces the rows after gpu; the names are copied. -EINVAL: a name is not allowed, or there are too many;
 * -EBUSY: the table is kept and differs.
 */
int resource_table_set(const struct resource_row *rows, size_t count, struct err *err);
void resource_table_keep(void);
