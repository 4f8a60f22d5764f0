/*
 * Whether two programs could read the headers of a request differently. A proxy before the gateway
 * could then find another end of the body, and so another next request, or another user.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What the headers so far leave open; all zero at first. */
struct framing {
	unsigned lengths, encodings, hosts, users;
	bool strange; /* a length or an encoding that no two programs need read alike */
	bool broken;  /* a name that is no word, or a value with control characters */
};

/* The next header. Both texts end with a null byte; a value may contain others. */
void framing_add(struct framing *f, const char *name, size_t len, const char *value,
		 size_t value_len);
/* The sentence of the refusal; NULL: all programs read these headers alike. */
const char *framing_wrong(const struct framing *f);
