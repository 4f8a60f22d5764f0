/*
 * The words of anode label and anode taint: KEY=VALUE, KEY[=VALUE][:EFFECT], and KEY- for a key to remove.
 */
#pragma once

#include "proto/msg.h"
#include "util/arena.h"
#include "util/err.h"

#include <stdbool.h>

/* Fills the lists of the request, in the arena. */
int node_words_read(const char *const *words, size_t count, bool taints, struct arena *arena,
		    Armada__UpdateNodeRequest *q, struct err *err);
