/*
 * The random worlds of preempt_worlds and reserve_worlds: nodes, classes, queues, jobs, and the
 * changes between rounds.
 */
#include "unit/sched/small_world.h"
#include "util/mem.h"

#include <string.h>

enum { MEMBERS = 4 };

static const struct ref_class classes[REF_CLASSES] = {{0, true, true, {-1, -1, -1, -1}},
						      {10, true, false, {-1, -1, -1, -1}},
						      {10, true, true, {-1, -1, -1, -1}},
						      {20, false, true, {-1, -1, -1, -1}},
						      {30, false, false, {-1, -1, -1, -1}}};

static const char racks[3][REF_NAME] = {"r0", "r1", "r2"};

void small_world_classes(struct contest *c)
{
	memcpy(c->w.classes, classes, sizeof(classes));
}

void small_world_nodes(struct contest *c)
{
	for (int i = 0; i < SMALL_WORLD_NODES; i++) {
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
	c->w.node_count = SMALL_WORLD_NODES;
}

static void draw_shape(struct contest *c, struct ref_shape *s, small_world_shape_fn *own)
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
	if (own)
		own(c, s);
	s->distinct = s->members > 1 && contest_one_in(c, 3);
	s->uniform = s->members > 1 && contest_one_in(c, 3) ? 0 : -1;
}

struct ref_job *small_world_job(struct contest *c, small_world_shape_fn *own)
{
	struct ref_job *j = &c->w.jobs[c->w.job_count];
	struct ref_shape s;

	if (c->w.job_count == SMALL_WORLD_JOBS)
		return NULL;
	*j = (struct ref_job){.present = true, .elements = 1};
	j->queue = contest_draw(c, SMALL_WORLD_QUEUES);
	if (c->w.shape_count && !contest_one_in(c, 3)) {
		j->shape = contest_draw(c, c->w.shape_count);
	} else {
		draw_shape(c, &s, own);
		j->shape = contest_shape(c, &s);
	}
	j->priority = contest_draw(c, 3);
	j->submit = contest_draw(c, 5);
	c->w.job_count++;
	return j;
}

void small_world_change(struct contest *c, void (*submit)(struct contest *c))
{
	for (int i = 0; i < SMALL_WORLD_NODES; i++) {
		if (!contest_one_in(c, 20))
			continue;
		c->w.nodes[i].up = !c->w.nodes[i].up;
		contest_tell_node(c, i);
	}
	for (int i = contest_draw(c, 12); i > 0; i--)
		submit(c);
}

void small_world_queues(struct contest *c, void (*own)(struct contest *c, struct ref_queue *q))
{
	for (int q = 0; q < REF_QUEUES; q++)
		c->w.queues[q] = (struct ref_queue){1,
						    false,
						    {-1, -1, -1, -1},
						    contest_no_quota,
						    contest_no_quota,
						    {{false, {0}}}};
	for (int q = 0; q < SMALL_WORLD_QUEUES; q++) {
		c->w.queues[q].factor = 1 + contest_draw(c, 3);
		if (own)
			own(c, &c->w.queues[q]);
		contest_tell_queue(c, q);
	}
}
