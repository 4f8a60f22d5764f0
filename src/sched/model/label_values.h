/*
 * The values of one label in byte order, kept from gang to gang: node classes are added, but never
 * changed or removed. So a label with a value for each node costs in proportion to the nodes, not
 * to their square.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct model;

/* The values of a label, in byte order, each with the node classes that have it. */
struct label_values {
	char *label;
	size_t kinds; /* number of classes when the list was made */
	struct label_value {
		const char *text;
		uint32_t kind;
	} * list;
	size_t count, cap;
};

/* All values of the label; borrowed until another label is asked for, or a class is added. */
const struct label_values *label_values_of(struct model *m, const char *label);
/* end of the entries with the same value */
size_t label_values_end(const struct label_values *v, size_t at);
