/*
 * The contain plugins among which "auto" chooses, and the options of contain plugins.
 *
 * armd chooses the first candidate that works on its machine. armctld --check only checks the options, which
 * apply to every candidate that has an option of that name.
 */
#pragma once

#include "plugin/plugin.h"
#include "util/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { CANDIDATES = 3 };

struct candidates {
	struct plugin loaded[CANDIDATES];               /* the best first; desc NULL: not loaded */
	struct armada_option_value *values[CANDIDATES]; /* of each */
	struct armada_option *rows;                     /* the options of all */
};

/* Is the plugin to be chosen on the machine of the tasks? */
bool candidates_wanted(const struct conf *conf);
/*
 * Load the candidates that are installed, with their values. why gets a text for each of the others. Call
 * candidates_free also after a failure. The options of conf borrow from the plugins until then.
 */
int candidates_load(struct candidates *ret, struct conf *conf, struct buf *why, struct err *err);
void candidates_free(struct candidates *c);
/* Check the values of a contain plugin as far as no machine is needed. */
int candidates_check(const struct plugin *p, const struct conf *conf, struct err *err);
/* The limits that a list such as "memory,cpu" names: the sum of enum armada_contains. */
int candidates_limits(const char *list, uint32_t *ret_bits, struct err *err);
