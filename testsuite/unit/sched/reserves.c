/*
 * Random worlds in which jobs have time limits: who holds the reservation, from when on and where,
 * and whom it holds back.
 *
 *	reserves [FIRST-SEED [COUNT]]
 */
#include "unit/sched/contest.h"
#include "util/mem.h"

#include <string.h>

enum { ROUNDS = 8, WORLDS = 300, NODES = 6, QUEUES = 3, JOBS = 60, MEMBERS = 4 };

static const struct ref_class classes[REF_CLASSES] = {{0, true, true, {-1, -1, -1, -1}},
						      {10, true, false, {-1, -1, -1, -1}},
						      {10, true, true, {-1, -1, -1, -1}},
						      {20, false, true, {-1, -1, -1, -1}},
						      {30, false, false, {-1, -1, -1, -1}}};

static const char *const preempts[] = {"none", "urgency", "fairshare"};
static const char racks[3][REF_NAME] = {"r0", "r1", "r2"};

static void draw_nodes(struct contest *c)
{
	for (int i = 0; i < NODES; i++) {
		struct ref_node *n = &c->w.nodes[i];
		int rack;

		n->present = true;
		n->total[0] = 1000 * (2 + contest_draw(c, 8));
		n->total[1] = RIG_G * (2 + contest_draw(c, 8));
		n->total[2] = contest_draw(c, 3);
		rack = contest_draw(c, 4) - 1;
		if (rack >= 0)
			strcpy(n->labels[0], racks[rack]);
		n->up = !contest_one_in(c, 8);
	}
	c->w.node_count = NODES;
}

static void draw_shape(struct contest *c, struct ref_shape *s)
{
	struct ref_part *p = &s->parts[0];

	memset(s, 0, sizeof(*s));
	p->request[0] = 1000 * (1 + contest_draw(c, 6));
	p->request[1] = RIG_G * (1 + contest_draw(c, 4));
	p->request[2] = contest_one_in(c, 4);
	p->class = contest_draw(c, REF_CLASSES);
	p->members = contest_one_in(c, 3) ? 1 + contest_draw(c, MEMBERS) : 1;
	if (contest_one_in(c, 5)) {
		p->selector_count = 1;
		strcpy(p->selectors[0].value, racks[contest_draw(c, 3)]);
	}
	s->part_count = 1;
	s->members = s->min = p->members;
	if (contest_one_in(c, 4))
		s->min = 1 + contest_draw(c, s->members);
	s->exclusive = contest_one_in(c, 10);
	s->distinct = s->members > 1 && contest_one_in(c, 3);
	s->uniform = s->members > 1 && contest_one_in(c, 3) ? 0 : -1;
}

static void submit(struct contest *c)
{
	int job = c->w.job_count;
	struct ref_job *j = &c->w.jobs[job];
	struct ref_shape s;

	if (job == JOBS)
		return;
	*j = (struct ref_job){.present = true};
	j->queue = contest_draw(c, QUEUES);
	if (c->w.shape_count && !contest_one_in(c, 3)) {
		j->shape = contest_draw(c, c->w.shape_count);
	} else {
		draw_shape(c, &s);
		j->shape = contest_shape(c, &s);
	}
	j->priority = contest_draw(c, 3);
	j->submit = contest_draw(c, 5);
	j->limit = contest_one_in(c, 5) ? 0 : 1 + contest_draw(c, 9);
	j->throttle = contest_one_in(c, 6);
	c->w.job_count++;
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
	for (int i = 0; i < NODES; i++) {
		if (!contest_one_in(c, 20))
			continue;
		c->w.nodes[i].up = !c->w.nodes[i].up;
		contest_tell_node(c, i);
	}
	for (int i = contest_draw(c, 12); i > 0; i--)
		submit(c);
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
	memcpy(c->w.classes, classes, sizeof(classes));
	contest_open(c);
	draw_nodes(c);
	contest_tell_nodes(c);
	for (int q = 0; q < REF_QUEUES; q++)
		c->w.queues[q] = (struct ref_queue){1, false, {-1, -1, -1, -1}};
	for (int q = 0; q < QUEUES; q++) {
		c->w.queues[q].factor = 1 + contest_draw(c, 3);
		if (contest_one_in(c, 6))
			c->w.queues[q].limit[0] = contest_draw(c, 5) / 4.0;
		contest_tell_queue(c, q);
	}
	for (int r = 0; r < ROUNDS && good; r++) {
		change(c);
		c->now_us += contest_draw(c, 3);
		good = contest_round(c);
	}
	return good;
}

int main(int argc, char **argv)
{
	return contest_main(argc, argv, play, NULL, 0, WORLDS);
}
