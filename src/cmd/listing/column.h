/*
 * A column of a listing: its name, where its value is, and how the value is printed.
 *
 * The value of most columns is a field of the row, given by its offset; its type determines the
 * text and the JSON value. A computed number has a function that returns the number. A column whose
 * text is more than one value has functions for its text and its JSON value.
 */
#pragma once

#include "util/buf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cell_type {
	CELL_TYPE_OWN,    /* functions of its own */
	CELL_TYPE_CUSTOM, /* the same, with an argument */
	CELL_TYPE_TEXT,
	CELL_TYPE_NUMBER,
	CELL_TYPE_BOOL,
	CELL_TYPE_REAL,
	CELL_TYPE_PERCENT,
	CELL_TYPE_RESOURCES,
};

/* A computed number that is not known: "-", and null in JSON. */
#define CELL_UNKNOWN INT64_MIN

/* Formats a quantity for people. */
typedef void cell_format(int64_t value, char *out, size_t size);

/* Where a value is and how it is shown. Made only by the macros CELL... below. */
struct cell {
	enum cell_type type;
	bool through;     /* the field is in another message, to which the row has a pointer */
	bool is_signed;   /* NUMBER */
	uint16_t size;    /* of the field */
	uint16_t pointer; /* with through: the offset of the pointer */
	uint32_t offset;
	const void *arg;
	cell_format *format;                                 /* NUMBER; NULL: a plain number */
	int64_t (*number)(const void *row, const void *arg); /* NUMBER; NULL: the field */
	double (*real)(const void *row);                     /* REAL; NULL: the field */
	uint32_t count_offset;                               /* RESOURCES */
	union {
		/* OWN; with another type it replaces the text, but not the JSON value */
		void (*text)(const void *row, struct buf *out);
		void (*text_with)(const void *row, const void *arg, struct buf *out);
	};
	union { /* NULL: the text as a string */
		json_t *(*json)(const void *row);
		json_t *(*json_with)(const void *row, const void *arg);
	};
};

/* clang-format off */
/* More designators may follow the arguments, such as .through = true. */
#define CELL_FIELD(S, f) .offset = offsetof(S, f), .size = sizeof(((S *)0)->f)
#define CELL_TEXT(S, f, ...) {.type = CELL_TYPE_TEXT, CELL_FIELD(S, f), __VA_ARGS__}
/* A plain number; a number that is printed with a unit in text and as a number in JSON. */
#define CELL_INT(S, f, ...) CELL_QUANTITY(S, f, NULL, __VA_ARGS__)
#define CELL_QUANTITY(S, f, how, ...)                                                              \
	{.type = CELL_TYPE_NUMBER, CELL_FIELD(S, f), .format = (how),                              \
	 .is_signed = _Generic(((S *)0)->f, uint32_t: false, uint64_t: false, default: true), __VA_ARGS__}
/* A number that `function` returns for the row and `data`. */
#define CELL_NUMBER(function, data, how)                                                           \
	{.type = CELL_TYPE_NUMBER, .number = (function), .arg = (data), .format = (how)}
/* yes or no */
#define CELL_BOOL(S, f, ...) {.type = CELL_TYPE_BOOL, CELL_FIELD(S, f), __VA_ARGS__}
/* A double as a number or as a percentage; null in JSON if it is not finite. */
#define CELL_REAL(S, f, ...) {.type = CELL_TYPE_REAL, CELL_FIELD(S, f), __VA_ARGS__}
/* A double that `function` returns for the row. */
#define CELL_REAL_OF(function) {.type = CELL_TYPE_REAL, .real = (function)}
/* A list of resources; an object in JSON. */
#define CELL_RESOURCES(S, f)                                                                       \
	{.type = CELL_TYPE_RESOURCES, CELL_FIELD(S, f), .count_offset = offsetof(S, n_##f)}
#define CELL_PERCENT(S, f, ...) {.type = CELL_TYPE_PERCENT, CELL_FIELD(S, f), __VA_ARGS__}
/*
 * A column with functions of its own; js NULL: the text as a string. CELL_CUSTOM passes `data` to
 * them.
 */
#define CELL(txt, js) {.type = CELL_TYPE_OWN, .text = (txt), .json = (js)}
#define CELL_CUSTOM(txt, js, data) {.type = CELL_TYPE_CUSTOM, .text_with = (txt), .json_with = (js), .arg = (data)}
/* clang-format on */

struct column {
	const char *name;    /* for --format; the member in JSON */
	const char *heading; /* in the header line */
	char letter;         /* in a %-format, the same as in Slurm if it has one; 0: none */
	bool right;          /* aligned to the right */
	bool shrinks;        /* may be cut on a terminal */
	struct cell cell;
	const char *(*colour)(const void *row); /* the name of a colour for smartcols; NULL: none */
	const char *help;
};

/* Adds the text of a column for a row to out; returns a new JSON value. */
void column_text(const struct column *c, const void *row, struct buf *out);
json_t *column_json(const struct column *c, const void *row);

/* "33.3%" */
void column_percent(double fraction, struct buf *out);
/* The same, or "-" for NAN: not known. */
void column_fraction(double fraction, struct buf *out);
/* A new array of strings. */
json_t *column_strings_json(const char *const *list, size_t count);
/* A new number; null if the value is not finite, because JSON has no such numbers. */
json_t *column_real_json(double value);
