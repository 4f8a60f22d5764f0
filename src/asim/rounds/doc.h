/*
 * Strict reading of a JSON document: every value is read by name and type, and the first error is
 * kept, with its path in the document and the accepted values.
 *
 * A doc latches: after the first error every getter returns its default and reports nothing, so
 * readers need not check each step. Strings are borrowed from the document.
 */
#pragma once

#include "util/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct doc {
	json_t *root;
	bool bad;
	struct err *err;
};

/* The place of a value: a key of the object above, or an element of the array above. */
struct at {
	const struct at *up;
	const char *key; /* NULL: index */
	size_t index;
	json_t *value;
};

int doc_load(struct doc *d, const char *file, struct err *err);
int doc_parse(struct doc *d, const char *text, size_t len, struct err *err);
void doc_done(struct doc *d);
void doc_fail(struct doc *d, const struct at *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* An object with no other keys than these, ended by NULL; otherwise false. */
bool doc_object(struct doc *d, const struct at *at, const char *const *keys);
/* A member of an object; its value is NULL if it is missing. */
struct at doc_get(const struct at *at, const char *key);
/* The number of elements; 0 if it is missing. Not an array: an error. */
size_t doc_array(struct doc *d, const struct at *at);
struct at doc_item(const struct at *at, size_t index);
/* The number of members of an object; 0 if it is missing. Not an object of these: an error. */
size_t doc_members(struct doc *d, const struct at *at, const char *what);
/*
 * The next member of an object or element of an array, the first if item is zeroed; false after the
 * last one, and after an error.
 */
bool doc_next(const struct doc *d, const struct at *of, struct at *item);

const char *doc_text(struct doc *d, const struct at *at, const char *def);
/* A text that must not be missing or empty. */
const char *doc_name(struct doc *d, const struct at *at);
bool doc_bool(struct doc *d, const struct at *at, bool def);
int64_t doc_int(struct doc *d, const struct at *at, int64_t min, int64_t max, int64_t def);
double doc_number(struct doc *d, const struct at *at, double min, double max, double def);
int64_t doc_duration(struct doc *d, const struct at *at, int64_t def);
/* cpu in cores, memory in bytes, others in units, as in armada.conf. */
int64_t doc_quantity(struct doc *d, const struct at *at, const char *resource);
