/*
 * The tables behind armada.conf.
 *
 * A section is a group of the file (the top level is the section without a name). A list section is a list
 * of groups with names, stored as an array of structs. A row has the place of its value: `offset` in the
 * struct of its section, and for lists and groups of numbers `count_offset` for their length. Everything
 * else (reading, defaults, ranges, --show-config, reload, the manual) is written once for all rows.
 */
#pragma once

#include "util/err.h"
#include <armada/option.h>

#include <stdbool.h>
#include <stddef.h>

/* Checks the syntax of a text; returns 0, or a negative code and fills err. */
typedef int conf_check(const char *text, struct err *err);

struct conf_row {
	struct armada_option opt;
	size_t offset, count_offset;
	conf_check *check; /* of a string, of each in a list, of each name in a group of numbers */
	bool shorthand;    /* sets other rows and has no value of its own */
	bool none;         /* unset means no value: a number is -1, a list NULL; nothing is shown */
	bool as_written;   /* the value is stored as a struct armada_option_value */
};

struct conf_section {
	const char *name; /* NULL: the top level */
	const struct conf_row *rows;
	size_t count;
	const char *help;
};

struct conf_list {
	const char *name;
	const struct conf_row *rows; /* the first is `name` */
	size_t count;
	size_t size;                 /* of one struct */
	size_t offset, count_offset; /* in struct conf */
	bool many;                   /* the name may be a host list */
	/* A group whose members have the names: { a = 5; b = { ... }; }. A number is the second row. */
	bool keyed;
	/*
	 * Called after a group was read, with the rows that were set; it may change values, or refuse the
	 * group. May be NULL.
	 */
	int (*settle)(void *one, bool *set, struct err *err);
	const char *help;
};

enum { CONF_SECTIONS = 10, CONF_LISTS = 9 };

extern const struct conf_section conf_sections[CONF_SECTIONS];
extern const struct conf_list conf_lists[CONF_LISTS];

/* The rows of a queue: its name, then the rows of QUEUE_TABLE. */
extern const struct conf_row conf_queue_rows[];

/* A kind of plugin and its default plugin; index: enum armada_plugin_kind. */
struct conf_kind {
	const char *name, *def, *help;
};
extern const struct conf_kind conf_kinds[];

/* The default of a row with a list, which the table cannot hold: one string, or NULL. */
const char *conf_list_default(const struct conf_row *row);
