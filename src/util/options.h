/*
 * Options of a command line as table rows.
 *
 * One table of rows gives the parsing of a command's options, its --help, its shell completion and the tests
 * of its manual page. A row has the offset of its value in the target's struct, the type and the range; only
 * an option that is not a plain value has a function of its own.
 *
 * Parsing follows GNU getopt_long (long names, unambiguous beginnings, "--name=value", clustered
 * letters, "--"), but keeps no state of its own, so that #ARMADA lines and programs that use
 * libarmada can share it, and it suggests the nearest name for one that does not exist.
 *
 * A row hides rows of the same name in later tables. A row without a help text is not shown, and its
 * beginnings are given to the rows that are; it refuses an option that only another command has.
 */
#pragma once

#include "util/buf.h"
#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_type {
	OPT_TYPE_CALL, /* first, so that an empty row has no function, which is detected as a mistake */
	OPT_TYPE_READ,
	OPT_TYPE_VALUE,
	OPT_TYPE_INT,
	OPT_TYPE_CPU,
	OPT_TYPE_SIZE,
	OPT_TYPE_DURATION,
	OPT_TYPE_TEXT,
	OPT_TYPE_LIST,
	OPT_TYPE_CHOICE,
	OPT_TYPE_REFUSE,
	OPT_TYPE_STOP,
};

/* Type and place of an option's value. Only the macros OPT_... below make one. */
struct opt_to {
	enum opt_type type;
	uint32_t size; /* of the field */
	size_t offset; /* in the target */
	int64_t min, max;
	size_t count_offset; /* LIST */
	const char *
		text; /* CHOICE: the words; REFUSE: the sentence; else: error for values below min */
	const void *arg; /* READ */
	int (*check)(const char *value, struct err *err);
	union {
		int (*call)(void *target, const char *value, struct err *err);
		int (*read)(void *field, const void *arg, const char *value, struct err *err);
	};
};

struct opt {
	const char *name;  /* long name, without dashes */
	const char *alias; /* other names that --help does not show: "job-name -p" */
	char letter;       /* 0: none */
	const char *arg;   /* name of the value in --help; NULL: takes none; "[X]": optional */
	struct opt_to to;
	const char *help; /* one sentence without a full stop */
};

/* clang-format off */
#define OPT_FIELD(S, f) .offset = offsetof(S, f), .size = sizeof(((S *)0)->f)
/* As OPT_FIELD, for a field of type T or const T and no other. */
#define OPT_POINTER(S, f, T)                                                                       \
	.offset = offsetof(S, f), .size = sizeof(_Generic(((S *)0)->f, T: (void *)0, const T: (void *)0))

/* Sets the field to v: for flags, and for several options of one field. */
#define OPT_VALUE(S, f, v) {.type = OPT_TYPE_VALUE, OPT_FIELD(S, f), .min = (v)}
#define OPT_FLAG(S, f) OPT_VALUE(S, f, true)
/* A whole number; the field is an integer of any width. */
#define OPT_INT(S, f, least, most) {.type = OPT_TYPE_INT, OPT_FIELD(S, f), .min = (least), .max = (most)}
/*
 * Cpus in millicores, sizes in bytes, durations in units of that many microseconds, rounded down.
 * `least` is in millicores, bytes or microseconds. `why` is the error for smaller values; if it begins with a
 * colon, the value in quotes is put before it. The field is an integer of any width.
 */
#define OPT_CPU(S, f, least, why)                                                                  \
	{.type = OPT_TYPE_CPU, OPT_FIELD(S, f), .min = (least), .max = 1, .text = why}
#define OPT_SIZE(S, f, least, why)                                                                 \
	{.type = OPT_TYPE_SIZE, OPT_FIELD(S, f), .min = (least), .max = 1, .text = why}
#define OPT_DURATION(S, f, unit_us, least, why)                                                    \
	{.type = OPT_TYPE_DURATION, OPT_FIELD(S, f), .min = (least), .max = (unit_us), .text = why}
/* A borrowed text; OPT_WORD: a text that is not empty; OPT_CHECKED: a text that `test` accepts. */
#define OPT_TEXT(S, f) {.type = OPT_TYPE_TEXT, OPT_POINTER(S, f, char *)}
#define OPT_WORD(S, f) OPT_CHECKED(S, f, opt_check_word)
#define OPT_CHECKED(S, f, test) {.type = OPT_TYPE_TEXT, OPT_POINTER(S, f, char *), .check = (test)}
/*
 * Borrowed texts, added to an array of at most `most` entries; the field n of type size_t is their number.
 * The owner of the target frees the array. `test` as for OPT_CHECKED; NULL: any text.
 */
#define OPT_LIST(S, f, n, most, test)                                                              \
	{.type = OPT_TYPE_LIST, OPT_POINTER(S, f, char **), .count_offset = offsetof(S, n),        \
	 .max = (most), .check = (test)}
/* One of the words, separated by "|"; the field becomes the word's index, an integer of any width. */
#define OPT_CHOICE(S, f, words) {.type = OPT_TYPE_CHOICE, OPT_FIELD(S, f), .text = words}
/* A type of the caller's own: `reader` gets the field and `data`, which is the same for every target. */
#define OPT_READ(S, f, reader, data) {.type = OPT_TYPE_READ, OPT_FIELD(S, f), .read = (reader), .arg = (data)}
/* As OPT_READ, for values of more than one field: `function` gets the target. */
#define OPT_WITH(function, data) {.type = OPT_TYPE_READ, .read = (function), .arg = (data)}
/* A log level, an int: --log-level names one, --verbose has no value and raises it. */
#define OPT_LOG_LEVEL(S, f) OPT_READ(S, f, opt_read_log_level, NULL)
/* An int: enum log_format of util/log.h. */
#define OPT_LOG_FORMAT(S, f) OPT_READ(S, f, opt_read_log_format, NULL)
/* An option without a value: `function` gets the target. */
#define OPT_CALL(function) {.type = OPT_TYPE_CALL, .call = (function)}
/* An option that is always an error, with this text. */
#define OPT_REFUSE(why) {.type = OPT_TYPE_REFUSE, .text = why}
/* Ends the parsing with this code, which is below OPT_ERRNO_LEAST. */
#define OPT_STOP(code) {.type = OPT_TYPE_STOP, .min = (code)}
/* clang-format on */

struct opt_table {
	const char *heading; /* over the options in --help; NULL: they are not shown */
	const struct opt *rows;
	size_t count;
};

/* Set up by the caller: tables and argv; next is the first word to look at. */
struct opt_parser {
	const struct opt_table *const *tables; /* NULL-terminated, as everywhere below */
	char *const *argv;
	int argc;
	int next;
	bool after_dashes; /* after "--": all further words are operands */
	const char *rest;  /* of a cluster of letters */
	char shown[64];    /* the option as written, for messages: "-t", "--time" */
};

/* Codes of OPT_STOP, which end the parsing, are below this one, and so below every -errno. */
enum { OPT_ERRNO_LEAST = -4095 };

enum { OPT_END = 0, OPT_OPTION = 1, OPT_OPERAND = 2 };

/*
 * The next option (ret_opt, ret_value) or operand (ret_value). Returns one of the above, or -EINVAL
 * with a sentence. Values are borrowed from argv.
 */
int opt_next(struct opt_parser *p, const struct opt **ret_opt, const char **ret_value,
	     struct err *err);

/* Set one option in the target. value NULL: the option was given without a value. */
int opt_set(const struct opt *o, void *target, const char *value, struct err *err);

/*
 * Parse everything: each option is set in the target, in order. Operands are returned in a new array
 * (NULL-terminated, freed with free(); the words are borrowed). Every error of a command line is -EINVAL.
 */
int opt_parse(const struct opt_table *const *tables, int argc, char *const *argv, void *target,
	      const char ***ret_operands, size_t *ret_count, struct err *err);

/* The row of a long name or alias, exactly; NULL for none. */
const struct opt *opt_find(const struct opt_table *const *tables, const char *name);

/* For OPT_WORD: not empty. */
int opt_check_word(const char *value, struct err *err);

/* For OPT_LOG_LEVEL. */
int opt_read_log_level(void *field, const void *arg, const char *value, struct err *err);
int opt_read_log_format(void *field, const void *arg, const char *value, struct err *err);

/* The lines of --help. */
void opt_help(const struct opt_table *const *tables, struct buf *out);
