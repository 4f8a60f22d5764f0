/*
 * The question for marks and its answers (peer_marks.h). A process that has ended refuses the connection at
 * once. A stopped one, and one behind a cut link, say nothing.
 */
#include "asim/replicated/peer_marks.h"
#include "asim/replicated/controller.h"
#include "asim/replicated/task.h"

enum { ASK_US = 1500 * MS };

struct message {
	struct controller *from; /* who asks */
	struct controller *to;
	uint64_t question;
	bool said;
	struct armada_replica_mark mark;
};

static bool is_cut(const struct world *w, const struct message *m)
{
	return w->cut[SERVERS + m->from->number][SERVERS + m->to->number];
}

static void take_answer(struct world *w, void *arg, uint64_t number)
{
	const struct message *m = arg;
	struct controller *c = m->from;
	struct peer_marks *p = &c->marks;
	int i = m->to->number;

	(void)number;
	if (!c->alive || c->ends || p->question != m->question || is_cut(w, m))
		return;
	p->waits[i] = false;
	p->said[i] = m->said;
	p->marks[i] = m->mark;
	if (!c->paused)
		task_wake(c->main);
}

static void take_question(struct world *w, void *arg, uint64_t number)
{
	struct message *m = arg;

	(void)number;
	if (is_cut(w, m) || m->to->paused)
		return;
	m->said = controller_answers(m->to);
	if (m->said)
		m->to->ops->replica->mark(m->to->handle, &m->mark);
	world_plan(w, world_latency_us(w), take_answer, m, 0);
}

static bool waits(const struct peer_marks *p)
{
	for (int i = 0; i < CONTROLLERS; i++)
		if (p->waits[i])
			return true;
	return false;
}

void peer_marks_ask(struct controller *c)
{
	struct world *w = c->world;
	int64_t until_us = w->now_us + controller_span_us(c, ASK_US);

	c->marks = (struct peer_marks){.question = w->order};
	for (int i = 0; i < CONTROLLERS; i++) {
		struct message *m;

		if (i == c->number)
			continue;
		m = arena_zalloc(w->run, 1, sizeof(*m));
		m->from = c;
		m->to = &w->controllers[i];
		m->question = c->marks.question;
		c->marks.waits[i] = true;
		world_plan(w, world_latency_us(w), take_question, m, 0);
	}
	while (waits(&c->marks) && !c->ends && w->now_us < until_us)
		task_wait(until_us);
}
