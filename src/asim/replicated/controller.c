/*
 * The process of a controller and what comes to it (controller.h): life, clock, messages of users. What its
 * threads do is in controller_task.c.
 */
#include "asim/replicated/controller.h"
#include "asim/replicated/controller_task.h"
#include "asim/replicated/task.h"
#include "asim/replicated/users.h"
#include "util/splitmix.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TICK_US = 50 * MS };

int64_t controller_clock_us(const struct controller *c)
{
	return c->offset_us + (int64_t)((double)c->world->now_us * c->rate);
}

int64_t controller_span_us(const struct controller *c, int64_t us)
{
	return (int64_t)((double)us / c->rate) + 1;
}

bool controller_leads(const struct controller *c)
{
	return controller_clock_us(c) < c->ops->replica->lease_until(c->handle);
}

bool controller_answers(const struct controller *c)
{
	return c->alive && !c->ends && !c->paused && !c->stopping && c->answers_us;
}

static void wake_both(struct world *w, void *arg, uint64_t number)
{
	struct controller *c = arg;

	(void)w;
	(void)number;
	task_wake(c->main);
	task_wake(c->side);
}

void controller_end(struct controller *c, int64_t rests_us, const char *why)
{
	if (c->ends)
		return;
	world_trace(c->world, "controller %d ends: %.150s", c->number, why);
	c->ends = true;
	c->acts = false;
	c->rests_us = rests_us;
	world_plan(c->world, 0, wake_both, c, 0);
}

void controller_kill(struct world *w, struct controller *c)
{
	if (!c->alive || c->ends)
		return;
	c->paused = false;
	controller_end(c, 500 * MS + (int64_t)world_random(w, 4 * SECOND), "killed");
}

void controller_pause(struct world *w, struct controller *c, bool on)
{
	if (!c->alive || c->ends || c->paused == on)
		return;
	world_trace(w, "controller %d %s", c->number, on ? "is stopped" : "goes on");
	c->paused = on;
	if (on)
		return;
	if (c->answers_us)
		c->answers_us = w->now_us;
	wake_both(w, c, 0);
}

void controller_resign(struct world *w, struct controller *c, int heir)
{
	if (!c->acts || c->paused || c->stopping)
		return;
	world_trace(w, "controller %d gives the lead up", c->number);
	w->count.handed_over++;
	c->acts = false;
	c->stopping = true;
	c->heir = heir;
	c->interrupted = true;
	c->ops->replica->interrupt(c->handle, true);
	world_plan(w, 0, wake_both, c, 0);
}

static void start(struct world *w, void *arg, uint64_t number)
{
	struct controller *c = arg;
	struct controller fresh = {.world = w,
				   .number = c->number,
				   .ops = c->ops,
				   .values = c->values,
				   .rate = c->rate,
				   .offset_us = c->offset_us,
				   .alive = true,
				   .rests_us = SECOND,
				   .heir = -1};

	(void)number;
	memcpy(fresh.dir, c->dir, sizeof(fresh.dir));
	*c = fresh;
	c->main = task_new(w, c, controller_main);
}

/* A process whose threads have ended is closed, and starts again. */
static void tick(struct world *w, void *arg, uint64_t number)
{
	struct controller *c = arg;

	if (c->alive && c->holds && c->acts && !c->paused && !controller_leads(c))
		controller_end(c, 100 * MS, "the lease has ended before it was renewed");
	if (c->alive && task_ended(c->main) && (!c->side || task_ended(c->side))) {
		task_join(c->main);
		if (c->side)
			task_join(c->side);
		c->alive = false;
		if (c->handle)
			c->ops->close(c->handle);
		c->handle = NULL;
		world_plan(w, c->rests_us, start, c, 0);
	}
	world_plan(w, TICK_US, tick, c, number);
}

/* An answer leaves only with the lease. */
static bool may_answer(struct world *w, struct controller *c)
{
	if (!controller_leads(c)) {
		controller_end(c, 100 * MS, "the lease has ended before an answer");
		return false;
	}
	truth_act(w, c);
	w->count.answers++;
	return true;
}

void controller_receive(struct world *w, struct controller *c, uint64_t key, bool submits)
{
	if (!c->alive || c->ends || c->paused || !c->acts)
		return;
	if (submits && !c->fold.of_key[key]) {
		if (!c->pending[key])
			c->queue[c->queued++] = key;
		c->pending[key] = true;
		task_wake(c->main);
	} else if (may_answer(w, c)) {
		users_answer(w, key, c->fold.of_key[key], submits);
	}
}

void controllers_init(struct world *w, const struct armada_state_ops *ops,
		      const struct armada_option_value *values, const char *dir)
{
	w->controllers = xcalloc(CONTROLLERS, sizeof(*w->controllers));
	for (int i = 0; i < CONTROLLERS; i++) {
		struct controller *c = &w->controllers[i];

		c->world = w;
		c->number = i;
		c->ops = ops;
		c->values = values;
		snprintf(c->dir, sizeof(c->dir), "%.100s/%d", dir, i);
		c->rate = 0.95 + (double)world_random(w, 100) / 1000;
		c->offset_us = (int64_t)world_random(w, 1000000) * SECOND;
		world_plan(w, 200 * MS + (int64_t)world_random(w, SECOND), start, c, 0);
		world_plan(w, SECOND, tick, c, 0);
	}
}

void controllers_done(struct world *w)
{
	for (int i = 0; i < CONTROLLERS; i++) {
		struct controller *c = &w->controllers[i];

		if (!c->alive)
			continue;
		c->paused = false;
		controller_end(c, 0, "the run is over");
		while (!task_ended(c->main) || (c->side && !task_ended(c->side)))
			wake_both(w, c, 0);
		task_join(c->main);
		if (c->side)
			task_join(c->side);
		if (c->handle)
			c->ops->close(c->handle);
	}
	free(w->controllers);
}
