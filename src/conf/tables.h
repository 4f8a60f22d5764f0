/*
 * The tables behind armada.conf.
 *
 * A section is a group of the file (the top level is the section without a name); a list section
 * is a list of groups, each with a name, held as an array of structs. A row says where the value
 * goes: `offset` into the struct of its section, and for lists and groups of numbers
 * `count_offset` for their length. Everything else (reading, defaults, ranges, --show-config,
 * reload, the manual) is written once, over these tables.
 */
#pragma once

#include "util/err.h"
#include <armada/option.h>

#include <stdbool.h>
#include <stddef.h>

/* What a text must look like beyond its type; returns 0 or fills err. */
typedef int conf_check(const char *text, struct err *err);

struct conf_row {
	struct armada_option opt;
	size_t offset, count_offset;
	conf_check *check; /* of a string, of each in a list, of each name in a group of numbers */
	bool shorthand;    /* stands for other rows: has no value of its own */
	bool none; /* where it is not said there is none: a number is -1, and nothing is shown */
	bool as_written; /* its place is a struct armada_option_value */
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
	/* After a group was read: what follows from which rows were set. May be NULL. */
	void (*settle)(void *one, bool *set);
	const char *help;
};

enum { CONF_SECTIONS = 9, CONF_LISTS = 4 };

extern const struct conf_section conf_sections[CONF_SECTIONS];
extern const struct conf_list conf_lists[CONF_LISTS];

/* Of a queue: its name, then a row for each of QUEUE_TABLE. */
extern const struct conf_row conf_queue_rows[];

/* A kind of plugin and the one that serves when none is chosen; index: enum armada_plugin_kind. */
struct conf_kind {
	const char *name, *def, *help;
};
extern const struct conf_kind conf_kinds[];

/* priority_classes: the shorthand's part. set: one for each row. */
void conf_settle_class(void *one, bool *set);

/* The default of the list rows, which have none in their table: one string, or NULL. */
const char *conf_list_default(const struct conf_row *row);
