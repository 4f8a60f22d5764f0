/*
 * Random worlds of simple jobs that preempt one another: two schedulers must decide as the referee
 * does (contest.h).
 *
 *	preempt_worlds [FIRST-SEED [COUNT]]
 *
 * The random draws must not be changed, so that each kept seed makes the same world. Further
 * features are in mixed_worlds.
 */
#include "unit/sched/small_world.h"
#include "util/mem.h"

/* Seeds that have found a defect. */
static const uint64_t kept[] = {111945, 125258, 157671, 157783};

static void submit(struct contest *c)
{
	struct ref_job *j = small_world_job(c, NULL);

	if (!j)
		return;
	contest_tell_job(c, (int)(j - c->w.jobs));
	contest_wait(c, (int)(j - c->w.jobs) * REF_ELEMENTS);
}

static void change(struct contest *c)
{
	for (int j = 0; j < c->w.job_count; j++)
		if (c->w.units[j * REF_ELEMENTS].state == REF_RUNS && contest_one_in(c, 6))
			contest_end(c, j * REF_ELEMENTS);
	small_world_change(c, submit);
}

static bool play(struct contest *c)
{
	static const struct ref_policy policy = {
		.preempt = REF_FAIRSHARE, .counts = {1, 1, 1, 0}, .per_round = {-1, -1, -1, -1}};
	bool good = true;

	c->w.policy = policy;
	c->w.policy.protected_fraction = contest_draw(c, 4) / 2.0;
	c->eviction_probability = 1;
	c->plugins[2] = "fairshare";
	small_world_classes(c);
	contest_open(c);
	small_world_nodes(c);
	contest_tell_nodes(c);
	small_world_queues(c, NULL);
	for (int r = 0; r < SMALL_WORLD_ROUNDS && good; r++) {
		change(c);
		c->now_us = r;
		good = contest_round(c);
	}
	return good;
}

int main(int argc, char **argv)
{
	return contest_main(argc, argv, play, kept, ARRAY_SIZE(kept), SMALL_WORLD_WORLDS);
}
