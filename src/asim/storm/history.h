/*
 * The history of jobs, from the records. The controller gets it when it asks which elements of a
 * job have begun and how they ended.
 */
#pragma once

#include "asim/storm/storm.h"
#include "core/core.h"

enum { HISTORY_BEGUN = 1, HISTORY_ENDED = 2, HISTORY_GOOD = 4 };

/* One job, by its id. */
struct sim_job_history {
	bool known;
	uint32_t elements, left;
	uint8_t *state;    /* of each element: bits of the above */
	int64_t *begun_us; /* or the time at which it ended without a start */
};

struct sim_history {
	struct sim_job_history *jobs;
	size_t count, cap;
};

/* NULL: unknown. */
struct sim_job_history *sim_history_find(const struct storm *s, uint64_t job);
void sim_history_note(struct storm *s, const Armada__Event *ev, const Armada__Record *r);
/* The jobs that have ended, by id, as the core asks for them. */
struct core_finished_job *sim_history_ended_jobs(struct storm *s, size_t *ret_count);
void sim_history_past_free(struct core_finished_job *past, size_t count);
