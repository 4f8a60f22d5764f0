/* The command line of ashare. */
#pragma once

#include "cmd/listing/listing.h"

struct ashare {
	struct listing_request listing; /* the first member, which listing_options sets */
	bool history, properties, rooms, stacked;
	const char *since; /* NULL: a day ago */
	const char *plot;  /* a file to write; NULL: none */
};
