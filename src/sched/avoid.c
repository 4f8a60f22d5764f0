/* A job that leaves nodes out for a while gets another key, and so another lane. */
#include "sched/parts.h"
#include "sched/swap.h"
#include "util/mem.h"

/* What it waits for stays; only where it stands, and what it asks for, is another. */
static void change_lane(struct sched *s, uint32_t job, const struct sched_job *as)
{
	uint32_t old = s->jobs[job].lane, lane;

	/* first the new one: what is described is borrowed from the old */
	lane = lane_intern(s, lane_like(s, job, key_intern(s, as)));
	if (lane == old)
		return;
	s->lanes[lane].jobs++;
	job_count_demand(s, job, -1);
	if (s->jobs[job].ready)
		lane_remove(s, job);
	tasks_change_lane(s, job, lane);
	s->jobs[job].reason = 0;
	job_count_demand(s, job, 1);
	s->lanes[old].jobs--;
	lane_release(s, old);
	job_settle(s, job);
	s->changes++;
}

void sched_job_avoid(struct sched *s, uint64_t id, const char *const *nodes, size_t count)
{
	uint32_t job = view_job_find(s, id), n;
	struct sched_job *parts CLEANUP_FREE = NULL;
	const uint32_t *keys;
	struct sched_job as;

	if (job == NIL)
		return;
	swap_describe(s, job, &as);
	as.avoid = nodes;
	as.avoid_count = count;
	as.part_count = s->keys[s->lanes[s->jobs[job].lane].key].part_count;
	keys = key_parts(s, &s->lanes[s->jobs[job].lane].key, &n);
	parts = xcalloc(n, sizeof(*parts));
	for (uint32_t i = 0; i < as.part_count; i++) {
		key_describe(s, keys[i], &parts[i]);
		parts[i].avoid = nodes;
		parts[i].avoid_count = count;
	}
	as.parts = as.part_count ? parts : NULL;
	change_lane(s, job, &as);
}
