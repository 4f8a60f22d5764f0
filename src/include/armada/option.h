/*
 * The row of an option table.
 *
 * armada.conf, its sections and every plugin describe their options with these rows. Parsing, the
 * default, error messages with file and line, the line of `armctld --show-config` and the paragraph
 * of the manual are made from the row.
 */
#ifndef ARMADA_OPTION_H
#define ARMADA_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum armada_option_type {
	ARMADA_OPTION_BOOL = 1,	 /* true or false -> i: 0 or 1 */
	ARMADA_OPTION_INT = 2,	 /* -> i */
	ARMADA_OPTION_DOUBLE = 3, /* -> d */
	ARMADA_OPTION_STRING = 4, /* -> s, never NULL */
	ARMADA_OPTION_DURATION = 5, /* "90s", "2h", "1-12:00:00" -> i: microseconds */
	ARMADA_OPTION_SIZE = 6,	 /* "16G", base 1024 -> i: bytes */
	ARMADA_OPTION_CPU = 7,	 /* "500m" or 2 -> i: millicores */
	ARMADA_OPTION_CHOICE = 8, /* one of `choices` -> i: its index, s: the word */
	ARMADA_OPTION_STRINGS = 9, /* ["a", "b"] -> list, count */
	ARMADA_OPTION_NUMBERS = 10, /* group of resource = number -> pairs, count */
};

struct armada_option {
	const char *name;
	enum armada_option_type type;
	const char *def;     /* as in armada.conf; lists and groups: NULL is empty */
	double min, max;     /* in the unit of the value; both 0: no range */
	const char *choices; /* "a|b|c", for ARMADA_OPTION_CHOICE */
	bool reload;	     /* may change while the daemon runs */
	const char *help;    /* one or more sentences, plain text */
};

struct armada_option_pair {
	const char *name;
	double value;
};

/*
 * The value of one option; values are in the order of the table. Strings and arrays belong to the
 * configuration and are valid as long as it is.
 */
struct armada_option_value {
	bool set; /* given in armada.conf; false: the default */
	int64_t i;
	double d;
	const char *s;
	const char *const *list;
	const struct armada_option_pair *pairs;
	size_t count;
};

#endif
