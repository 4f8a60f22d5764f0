/* The command line of ashare. */
#ifndef CMD_ASHARE_ASHARE_H
#define CMD_ASHARE_ASHARE_H

#include "cmd/listing/listing.h"

struct ashare {
	struct listing_request listing; /* first: listing_options sets it */
	bool history;
	const char *since; /* NULL: a day ago */
	const char *plot;  /* a file to write; NULL: none */
};

#endif
