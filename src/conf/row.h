/*
 * Macros for the rows of the tables of armada.conf (tables.h): ranges, and one for each kind of row.
 */
#pragma once

#include "conf/tables.h"

#include <stddef.h>

#define MS(n)  ((n)*1e3)
#define SEC(n) ((n)*1e6)
#define MIN(n) ((n)*60e6)
#define DAY(n) ((n)*86400e6)
#define KIB(n) ((n)*1024.0)
#define MIB(n) ((n)*1048576.0)
#define TIB(n) ((n)*1099511627776.0)

#define YEARS DAY(3660)

/* A row of type T named n whose value is the field f of struct s. */
#define ROW(s, T, n, f, d, ...)                                                                    \
	{                                                                                          \
		.opt = {.name = #n, .type = ARMADA_OPTION_##T, .def = d, __VA_ARGS__},             \
		.offset = offsetof(struct s, f),                                                   \
	}
#define CHECKED(s, T, n, f, d, c, ...)                                                             \
	{                                                                                          \
		.opt = {.name = #n, .type = ARMADA_OPTION_##T, .def = d, __VA_ARGS__},             \
		.offset = offsetof(struct s, f), .check = c,                                       \
	}
/* A row without a default that sets the values of other rows. */
#define SHORTHAND(s, T, n, f, ...)                                                                 \
	{                                                                                          \
		.opt = {.name = #n, .type = ARMADA_OPTION_##T, __VA_ARGS__},                       \
		.offset = offsetof(struct s, f), .shorthand = true,                                \
	}
#define LIST(s, T, n, f, k, c, ...)                                                                \
	{                                                                                          \
		.opt = {.name = #n, .type = ARMADA_OPTION_##T, __VA_ARGS__},                       \
		.offset = offsetof(struct s, f), .count_offset = offsetof(struct s, k),            \
		.check = c,                                                                        \
	}

/* A list that is NULL if it is not set. */
#define LIST_OR_NONE(s, n, f, k, c, ...)                                                           \
	{                                                                                          \
		.opt = {.name = #n, .type = ARMADA_OPTION_STRINGS, __VA_ARGS__},                   \
		.offset = offsetof(struct s, f), .count_offset = offsetof(struct s, k),            \
		.check = c, .none = true,                                                          \
	}
