/*
 * Reading a JSON document strictly: every value is asked for by name and type, and the first thing
 * that is wrong is kept, with its path in the document and what would be accepted.
 *
 * A doc latches: after the first fault every getter returns its default and says nothing, so
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

/* Where a value stands: a key of the object above, or an element of the array above. */
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

/* An object with no keys but these, ended by NULL; false if it is not. */
bool doc_object(struct doc *d, const struct at *at, const char *const *keys);
/* Member of an object; its value is NULL when it is not there. */
struct at doc_get(const struct at *at, const char *key);
/* How many elements; 0 if it is not there. Not an array: a fault. */
size_t doc_array(struct doc *d, const struct at *at);
struct at doc_item(const struct at *at, size_t index);
/* How many members an object has; 0 if it is not there. Not an object of these: a fault. */
size_t doc_members(struct doc *d, const struct at *at, const char *what);
/*
 * The next member of an object or element of an array, the first where item is zeroed; false behind the
 * last one, and after a fault.
 */
bool doc_next(const struct doc *d, const struct at *of, struct at *item);

const char *doc_text(struct doc *d, const struct at *at, const char *def);
/* Text that must be there and not be empty. */
const char *doc_name(struct doc *d, const struct at *at);
bool doc_bool(struct doc *d, const struct at *at, bool def);
int64_t doc_int(struct doc *d, const struct at *at, int64_t min, int64_t max, int64_t def);
double doc_number(struct doc *d, const struct at *at, double min, double max, double def);
int64_t doc_duration(struct doc *d, const struct at *at, int64_t def);
/* cpu in cores, memory in bytes, others in units, as armada.conf writes them. */
int64_t doc_quantity(struct doc *d, const struct at *at, const char *resource);
