/* Job events as rows of a listing, and as JSON. */
#pragma once

#include "cmd/listing/listing.h"
#include "proto/msg.h"

/* A row of the listing. */
struct event_view {
	const Armada__JobEvent *event;
	const char *queue, *job_set;
};

extern const struct listing event_listing;

/* One object, whose members are those of armada-events(5). */
json_t *event_json(const struct event_view *v);
/* Fields of the event besides those of the other columns, as "nodes=n1 attempt=1: reason". */
void event_detail(const Armada__JobEvent *ev, struct buf *out);
/* A name that stands for a colour on terminals; NULL: none. */
const char *event_colour(const Armada__JobEvent *ev);
/* "812", "812_3", "812_[0-9,12]" */
void event_id(const Armada__JobEvent *ev, struct buf *out);
