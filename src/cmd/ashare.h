/* ashare: the last round, shares over time, and their picture. Private to its files. */
#ifndef CMD_ASHARE_H
#define CMD_ASHARE_H

#include "cmd/command.h"
#include "cmd/listing.h"

struct ashare {
	struct listing_request listing; /* first: listing_options sets it */
	bool history;
	const char *since; /* NULL: a day ago */
	const char *plot;  /* a file to write; NULL: none */
};

/* names: of queues; none: all. All return 0, a negative errno with err, or an exit code. */
int ashare_round(const struct ashare *r, const char *const *names, size_t count, struct err *err);
/* History and plot, as of now. */
int ashare_history(const struct ashare *r, const char *const *names, size_t count, int64_t now_us,
		   struct err *err);

/* Of --since: "1d" is so long ago, else a moment. */
int ashare_since(const char *text, int64_t now_us, int64_t *ret_us, struct err *err);

/* ashare_file.c: a whole file or none; "-" is the output, and what is no file is written to. */
int file_replace(const char *path, const void *data, size_t len, struct err *err);

/* Rows are Armada__ShareSample. */
extern const struct listing history_listing;

#endif
