/*
 * Labels that nodes must have, as text: key, key=value, !key, joined by & (and) and | (or).
 *
 * Conditions that are joined by & must all be met. Of alternatives, joined by | within one condition, one is
 * enough. With both, parentheses show what belongs together: (gpu=a100|gpu=h100)&!old.
 */
#pragma once

#include "util/err.h"
#include "util/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { SELECTORS_MAX = 64 };

struct selector_words {
	const char *key, *value; /* value "": any value of the key */
	bool negate;
	bool alternative; /* to the one before it */
};

/* Parses into an array in the arena. Refuses an empty text. */
int selectors_parse(const char *text, struct arena *arena, struct selector_words **ret_list,
		    size_t *ret_count, struct err *err);

/* Checks a text of armada.conf; "" is accepted: no labels. */
int check_selectors(const char *text, struct err *err);
