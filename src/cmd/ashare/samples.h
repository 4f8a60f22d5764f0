/*
 * Samples of the shares of queues over time: fetching them, and their columns.
 */
#pragma once

#include "client/connection.h"
#include "cmd/listing/listing.h"

/* Rows are Armada__ShareSample. */
extern const struct listing history_listing;

/* Samples by time, of which the first `earlier` are before the time that was asked for. */
struct samples {
	Armada__ShareSample **list;
	size_t count, earlier;
	int64_t since_us;
	bool cut; /* samples after the time that was asked for are missing */
};

/* since: a time in the past; NULL: a day ago. names: the queues; none: all. Allocates in the arena. */
int samples_fetch(struct connection *c, const char *since, const char *const *names, size_t count,
		  int64_t now_us, struct arena *arena, struct samples *ret, struct err *err);
/* -ENOENT: a named queue has no samples; most likely its name is wrong. */
int samples_check_names(const struct samples *v, const char *const *names, size_t count,
			struct err *err);
/* The JSON of ashare --history. */
json_t *samples_json(const struct samples *v);
