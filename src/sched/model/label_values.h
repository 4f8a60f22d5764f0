/*
 * The values of one label in byte order, kept from gang to gang: node classes come, but none changes or
 * goes. So a label with a value for each node costs what its nodes cost, not their square.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct model;

/* The values of a label, in byte order, each with the classes of node that have it. */
struct label_values {
	char *label;
	size_t kinds; /* how many there were then */
	struct label_value {
		const char *text;
		uint32_t kind;
	} * list;
	size_t count, cap;
};

/* All of the label; borrowed until those of another are asked for, or classes come. */
const struct label_values *label_values_of(struct model *m, const char *label);
size_t label_values_end(const struct label_values *v, size_t at); /* of those with the same value */
