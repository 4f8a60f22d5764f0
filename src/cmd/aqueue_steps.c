/*
 * aqueue --steps (aqueue_steps.h). Input: a filter of jobs, and ids of steps. Output: a listing.
 */
#include "cmd/aqueue_steps.h"

#include "cmd/listing/step_rows.h"
#include "util/mem.h"

int aqueue_steps_check(const struct listing_request *listing, struct err *err)
{
	return listing_check(&step_listing, listing, err);
}

int aqueue_steps(const struct job_request *which, const char *const *ids, size_t count, bool all,
		 struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct step_rows rows = {.arena = arena};
	struct connection *c = NULL;
	int rc = connection_new(&c, NULL, err);

	if (rc == 0 && all)
		rc = step_rows_fetch(&rows, c, &which->filter, err);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = step_rows_fetch_one(&rows, c, ids[i], err);
	if (rc == 0)
		rc = listing_print(&step_listing, &which->listing, rows.list, rows.count, stdout,
				   err);
	connection_free(c);
	return rc;
}
