/*
 * Random worlds in which jobs have time limits. Two schedulers must agree with the referee about
 * the reservation: its job, its start, its nodes, and the jobs that it holds back (contest.h).
 *
 *	reserve_worlds [FIRST-SEED [COUNT]]
 */
#include "unit/sched/small_world.h"

static const char *const preempts[] = {"none", "urgency", "fairshare"};

static void draw_shape(struct contest *c, struct ref_shape *s)
{
	if (contest_one_in(c, 4))
		s->min = 1 + contest_draw(c, s->members);
	s->exclusive = contest_one_in(c, 10);
}

static void submit(struct contest *c)
{
	struct ref_job *j = small_world_job(c, draw_shape);
	int job;

	if (!j)
		return;
	job = (int)(j - c->w.jobs);
	j->limit = contest_one_in(c, 5) ? 0 : 1 + contest_draw(c, 9);
	j->throttle = contest_one_in(c, 6);
	contest_tell_job(c, job);
	for (int e = contest_one_in(c, 4) ? contest_draw(c, REF_ELEMENTS) : 0; e >= 0; e--)
		contest_wait(c, job * REF_ELEMENTS + e);
}

static void change(struct contest *c)
{
	for (int u = 0; u < c->w.job_count * REF_ELEMENTS; u++)
		if (c->w.units[u].state == REF_RUNS && contest_one_in(c, 6))
			contest_end(c, u);
		else if (c->w.units[u].state == REF_RUNS && contest_one_in(c, 20))
			contest_pin(c, u, !c->w.units[u].pinned);
	small_world_change(c, submit);
}

static void draw_limit(struct contest *c, struct ref_queue *q)
{
	if (contest_one_in(c, 6))
		q->limit[0] = contest_draw(c, 5) / 4.0;
}

static bool play(struct contest *c)
{
	static const struct ref_policy policy = {
		.backfill = true, .counts = {1, 1, 1, 0}, .per_round = {-1, -1, -1, -1}};
	bool good = true;

	c->w.policy = policy;
	c->w.policy.protected_fraction = contest_draw(c, 4) / 2.0;
	c->eviction_probability = 1;
	c->w.policy.preempt = (enum ref_preempt)contest_draw(c, 3);
	c->plugins[2] = preempts[c->w.policy.preempt];
	c->w.policy.partial = contest_one_in(c, 3);
	c->w.policy.prefer_large = contest_one_in(c, 3);
	c->w.policy.lookback = contest_one_in(c, 6) ? 1 + contest_draw(c, 9) : 0;
	c->w.policy.jobs_per_round = contest_one_in(c, 6) ? 1 + contest_draw(c, 9) : 0;
	small_world_classes(c);
	contest_open(c);
	small_world_nodes(c);
	contest_tell_nodes(c);
	small_world_queues(c, draw_limit);
	for (int r = 0; r < SMALL_WORLD_ROUNDS && good; r++) {
		change(c);
		c->now_us += contest_draw(c, 3);
		good = contest_round(c);
	}
	return good;
}

int main(int argc, char **argv)
{
	return contest_main(argc, argv, play, NULL, 0, SMALL_WORLD_WORLDS);
}
