/*
 * Limits of queues and users in absolute numbers: nobody comes above one, nor further above one that was
 * lowered while more ran. What waits is more than may by nobody's submission.
 */
#include "asim/storm_parts.h"
#include "core/allowance.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

/* What somebody had running after the input before. */
struct storm_use {
	char whose[64];
	int64_t running, cpu, waiting;
};

static struct storm_use *use_of(struct storm *s, const char *whose)
{
	for (size_t i = 0; i < s->use_count; i++)
		if (strcmp(s->uses[i].whose, whose) == 0)
			return &s->uses[i];
	GROW(s->uses, s->use_cap, s->use_count + 1);
	s->uses[s->use_count] = (struct storm_use){0};
	snprintf(s->uses[s->use_count].whose, sizeof(s->uses->whose), "%s", whose);
	return &s->uses[s->use_count++];
}

static void look(struct storm *s, const char *whose, const struct most *most,
		 const struct usage *has, bool submitted)
{
	struct storm_use *was = use_of(s, whose);
	int64_t running = (int64_t)has->active, cpu = has->used.amount[0];
	int64_t waiting = (int64_t)has->waiting;

	if (running > most_get(most, MOST_RUNNING) && running > was->running)
		storm_violate(s, "%s: %lld run, %lld before, of at most %lld", whose,
			      (long long)running, (long long)was->running,
			      (long long)most->of[MOST_RUNNING]);
	if (cpu > most_get(most, MOST_CPU) && cpu > was->cpu)
		storm_violate(s, "%s: uses %lld of cpu, %lld before, of at most %lld", whose,
			      (long long)cpu, (long long)was->cpu, (long long)most->of[MOST_CPU]);
	if (submitted && waiting > most_get(most, MOST_WAITING) && waiting > was->waiting)
		storm_violate(s, "%s: %lld wait, %lld before, of at most %lld", whose,
			      (long long)waiting, (long long)was->waiting,
			      (long long)most->of[MOST_WAITING]);
	was->running = running;
	was->waiting = waiting;
	was->cpu = cpu;
}

void most_check_all(struct storm *s, const struct input *in)
{
	bool submitted =
		in->kind == INPUT_MESSAGE && (in->type == MSG_SUBMIT || in->type == MSG_UPDATE_JOB);
	const struct core *c = s->ctl.core;
	char whose[64];

	for (const struct queue *q = c->queues; q; q = q->hh.next) {
		snprintf(whose, sizeof(whose), "queue %s", q->name);
		look(s, whose, &q->most, &(struct usage){q->waiting, q->active, q->used},
		     submitted);
	}
	for (const struct tenant *t = c->tenants; t; t = t->hh.next) {
		snprintf(whose, sizeof(whose), "user %s in queue %s", t->of.account->name,
			 t->of.queue->name);
		look(s, whose, &t->of.queue->user_most, &t->has, submitted);
	}
	for (const struct account *a = c->accounts; a; a = a->hh.next) {
		struct most most;

		allowance_of_user(c->policy, a->name, &most);
		snprintf(whose, sizeof(whose), "user %s", a->name);
		look(s, whose, &most, &a->has, submitted);
	}
}

/* No smaller than the largest of what is submitted, but for a few: those are refused until it is over. */
static void draw_most(struct storm *s, struct most *ret)
{
	enum { LARGEST = 8 };

	*ret = (struct most){0};
	if (storm_random(s, 4) == 0)
		most_put(ret, MOST_RUNNING, LARGEST + storm_random(s, 8));
	if (storm_random(s, 4) == 0)
		most_put(ret, MOST_CPU, 1000 * (LARGEST + storm_random(s, 8)));
	if (storm_random(s, 4) == 0)
		most_put(ret, MOST_WAITING, LARGEST + storm_random(s, 32));
}

void most_draw(struct storm *s)
{
	for (size_t i = 0; i < STORM_QUEUES; i++) {
		draw_most(s, &s->queues[i].most);
		draw_most(s, &s->queues[i].user_most);
	}
	draw_most(s, &s->policy.user_most);
	draw_most(s, &s->users[0].most);
	s->users[0].name = "bob";
	s->policy.users = s->users;
	s->policy.user_count = s->users[0].most.set ? 1 : 0;
}

void most_reset(struct storm *s)
{
	s->policy.user_most = (struct most){0};
	s->policy.user_count = 0;
}

void most_done(struct storm *s)
{
	free(s->uses);
}

/* Every other job that is alone is bob's. */
const char *most_user(const struct storm *s, uint64_t number)
{
	return number < s->job_count && !s->jobs[number].gang && number % 2 ? "bob" : "ann";
}
