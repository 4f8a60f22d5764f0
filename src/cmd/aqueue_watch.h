/*
 * aqueue --watch: waits until a job of a listing changes, by the events of the job sets in it.
 */
#pragma once

#include "client/filter.h"
#include "cmd/listing/job_rows.h"

struct aqueue_watch;

/* Opens a connection of its own with the first wait. */
struct aqueue_watch *aqueue_watch_new(void);
void aqueue_watch_free(struct aqueue_watch *w);
/*
 * Returns when the listing is to be made again: after an event of a set of these rows or of the filter, but
 * at least a second after the last return; after a minute at the latest, for jobs of other sets.
 */
int aqueue_watch_wait(struct aqueue_watch *w, const struct filter *f, const struct job_rows *found,
		      struct err *err);
