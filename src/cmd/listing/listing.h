/*
 * Listings: one table of columns gives the aligned table, --json, --format and the manual.
 *
 * On a terminal the table is coloured and long columns are cut to the window's width; anywhere
 * else nothing is cut. JSON is one object: "version", then the rows under the listing's key, with
 * every column of the table as a member, always. Members are only ever added.
 */
#pragma once

#include "cmd/listing/column.h"
#include "util/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct listing {
	const char *key;      /* of the rows in JSON */
	const char *standard; /* columns without --format */
	const struct column *columns;
	size_t count;
};

/* A listing of all columns of an array. */
#define LISTING(k, s, all)                                                                         \
	{                                                                                          \
		.key = (k), .standard = (s), .columns = (all), .count = ARRAY_SIZE(all)            \
	}

/* First member of a listing command's target, set by listing_options. */
struct listing_request {
	bool noheader, json;
	const char *format; /* "name,state:10" or "%.18i %j"; NULL: the standard columns */
};

/* --noheader, --json, --format; the target begins with a struct listing_request. */
extern const struct opt_table listing_options;

/* Refuse a bad format before anything is asked of the controller. */
int listing_check(const struct listing *l, const struct listing_request *r, struct err *err);

/* Print the rows, which the columns' functions understand. */
int listing_print(const struct listing *l, const struct listing_request *r, const void *const *rows,
		  size_t count, FILE *out, struct err *err);

/* The rows alone as a new JSON array, for a command whose JSON says more. */
json_t *listing_json(const struct listing *l, const void *const *rows, size_t count);
/* One row as a new JSON object. */
json_t *listing_row_json(const struct listing *l, const void *row);
/* A new object with "version" in it, as every JSON of a command begins; and its end. */
json_t *listing_json_new(void);
void listing_json_print(json_t *root, FILE *out);

/* Is it a terminal that is to be coloured? */
bool listing_colours(FILE *out);

/* Before anything is printed: the terminal's character set, or UTF-8. */
void listing_locale(void);

/* Lines for --help: the columns there are. */
void listing_help(const struct listing *l, struct buf *out);
