/*
 * Listings: one table of columns gives the aligned table, --json, --format and --help.
 *
 * On a terminal the table is coloured, and long columns are cut to the width of the window;
 * elsewhere no column is cut. JSON is one object with "version" and the rows under the key of the
 * listing. Every column of the table is a member of each row. Later releases only add members.
 */
#pragma once

#include "cmd/listing/column.h"
#include "util/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct listing {
	const char *key; /* the member with the rows in JSON */
	/* Columns without --format. A column with a '?' is shown only if a row has a value in it. */
	const char *standard;
	const struct column *columns;
	size_t count;
	/* "column other other": what --format accepts beside names and headings; NULL-terminated, or NULL */
	const char *const *aliases;
	/* Columns that continue on further lines on a narrow terminal, instead of being cut; NULL: none. */
	const char *wraps;
	bool aliases_first; /* before names that differ in case or underscores: CPUTime, cpu_time */
};

/* A listing of all columns of an array. Further members may follow. */
#define LISTING(k, s, all, ...)                                                                    \
	{                                                                                          \
		.key = (k), .standard = (s), .columns = (all), .count = ARRAY_SIZE(all),           \
		__VA_ARGS__                                                                        \
	}

/* The first member of the target of a command with listing_options. */
struct listing_request {
	bool noheader, json;
	const char *format; /* "name,state:10" or "%.18i %j"; NULL: the standard columns */
	/* Of aacct: comma-separated values; values with | in between, and also at the end. */
	bool csv, parsable2, parsable;
};

/* --noheader, --json, --format; the target begins with a struct listing_request. */
extern const struct opt_table listing_options;

/* The column of this name, which must exist. */
const struct column *listing_column(const struct listing *l, const char *name);

/* Refuses an invalid format, before a request is sent. */
int listing_check(const struct listing *l, const struct listing_request *r, struct err *err);

/* Prints rows of the type that the columns expect. */
int listing_print(const struct listing *l, const struct listing_request *r, const void *const *rows,
		  size_t count, FILE *out, struct err *err);

/* The rows as a new JSON array, for a command whose JSON object has more members. */
json_t *listing_json(const struct listing *l, const void *const *rows, size_t count);
/* One row as a new JSON object. */
json_t *listing_row_json(const struct listing *l, const void *row);
/* Makes the JSON object of a command, with "version"; prints it and frees it. */
json_t *listing_json_new(void);
void listing_json_print(json_t *root, FILE *out);

/* Whether the output is a terminal with colours. */
bool listing_colours(FILE *out);

/* Sets the character set of the terminal, or UTF-8; call it before anything is printed. */
void listing_locale(void);

/* Adds the list of columns for --help. */
void listing_help(const struct listing *l, struct buf *out);
