/*
 * A column of a listing: a row says what it is called, where its value stands and what it looks like.
 *
 * The value of most columns is a field of the row, by its offset: the type says how it is printed and
 * what it is in JSON. Numbers that must be computed have a function for the number alone; functions
 * of their own have those columns whose text is more than one value.
 */
#pragma once

#include "util/buf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cell_type {
	CELL_TYPE_OWN, /* the two functions */
	CELL_TYPE_WITH,
	CELL_TYPE_TEXT,
	CELL_TYPE_NUMBER,
	CELL_TYPE_TRUTH,
	CELL_TYPE_REAL,
	CELL_TYPE_PERCENT,
	CELL_TYPE_RESOURCES,
};

/* A quantity as people read it. */
typedef void cell_format(int64_t value, char *out, size_t size);

/* Where a value stands and how it is shown. Only the macros CELL... below make one. */
struct cell {
	enum cell_type type;
	bool through;     /* the field is in another message: the row has a pointer to that */
	bool is_signed;   /* NUMBER */
	uint16_t size;    /* of the field */
	uint16_t pointer; /* with through: where the pointer is */
	uint32_t offset;
	const void *arg;
	cell_format *format;                                 /* NUMBER; NULL: as it is */
	int64_t (*number)(const void *row, const void *arg); /* NUMBER; NULL: the field */
	double (*real)(const void *row);                     /* REAL; NULL: the field */
	uint32_t count_offset;                               /* RESOURCES */
	union {
		/* OWN; of another type: the text instead of the field's, which stays in JSON */
		void (*text)(const void *row, struct buf *out);
		void (*text_with)(const void *row, const void *arg, struct buf *out);
	};
	union { /* NULL: the text as a string */
		json_t *(*json)(const void *row);
		json_t *(*json_with)(const void *row, const void *arg);
	};
};

/* clang-format off */
/* More designators may follow the arguments: .through = true. */
#define CELL_FIELD(S, f) .offset = offsetof(S, f), .size = sizeof(((S *)0)->f)
#define CELL_TEXT(S, f, ...) {.type = CELL_TYPE_TEXT, CELL_FIELD(S, f), __VA_ARGS__}
/* A whole number as it is; one that people read with a unit, and programs as a number. */
#define CELL_INT(S, f, ...) CELL_QUANTITY(S, f, NULL, __VA_ARGS__)
#define CELL_QUANTITY(S, f, how, ...)                                                              \
	{.type = CELL_TYPE_NUMBER, CELL_FIELD(S, f), .format = (how),                              \
	 .is_signed = _Generic(((S *)0)->f, uint32_t: false, uint64_t: false, default: true), __VA_ARGS__}
/* The same of what `function` returns for the row and `data`. */
#define CELL_NUMBER(function, data, how)                                                           \
	{.type = CELL_TYPE_NUMBER, .number = (function), .arg = (data), .format = (how)}
/* yes or no */
#define CELL_TRUTH(S, f, ...) {.type = CELL_TYPE_TRUTH, CELL_FIELD(S, f), __VA_ARGS__}
/* Doubles: as they are, and as percentages; null in JSON where they are no numbers. */
#define CELL_REAL(S, f, ...) {.type = CELL_TYPE_REAL, CELL_FIELD(S, f), __VA_ARGS__}
/* What `function` returns for the row. */
#define CELL_REAL_OF(function) {.type = CELL_TYPE_REAL, .real = (function)}
/* A list of resources; an object in JSON. */
#define CELL_RESOURCES(S, f)                                                                       \
	{.type = CELL_TYPE_RESOURCES, CELL_FIELD(S, f), .count_offset = offsetof(S, n_##f)}
#define CELL_PERCENT(S, f, ...) {.type = CELL_TYPE_PERCENT, CELL_FIELD(S, f), __VA_ARGS__}
/* What has functions of its own; js NULL: the text as a string. CELL_WITH: they get `data` too. */
#define CELL(txt, js) {.type = CELL_TYPE_OWN, .text = (txt), .json = (js)}
#define CELL_WITH(txt, js, data) {.type = CELL_TYPE_WITH, .text_with = (txt), .json_with = (js), .arg = (data)}
/* clang-format on */

struct column {
	const char *name;    /* for --format; the key in JSON */
	const char *heading; /* over the column */
	char letter;         /* of a %-format, Slurm's where it has one; 0: none */
	bool right;          /* aligned to the right */
	bool shrinks;        /* may be cut on a terminal */
	struct cell cell;
	const char *(*colour)(const void *row); /* NULL: none; a name smartcols knows, or NULL */
	const char *help;
};

/* What the column shows of a row; and what it is in JSON, new. */
void column_text(const struct column *c, const void *row, struct buf *out);
json_t *column_json(const struct column *c, const void *row);

/* "33.3%" */
void column_percent(double fraction, struct buf *out);
/* A new array of strings. */
json_t *column_strings_json(const char *const *list, size_t count);
/* JSON has no word for what is not a number: null. */
json_t *column_real_json(double value);
