/*
 * Limits of queues and users in absolute numbers: no owner exceeds a limit, nor grows further above
 * a limit that was lowered meanwhile. A submission never takes the waiting elements above their
 * limit.
 *
 * The numbers are those that the core counts; core_check compares its sums with its jobs.
 */
#include "asim/storm/ctl.h"
#include "asim/storm/invariant/table.h"
#include "asim/storm/policy.h"
#include "core/admission/running_quota.h"
#include "core/state/queue_user.h"

#include <stdio.h>
#include <string.h>

/* The use of an owner after the previous input. */
struct use {
	char whose[64];
	int64_t running, cpu, waiting;
};

struct uses {
	struct use *list;
	size_t count, cap;
};

static struct use *use_of(struct storm *s, struct uses *u, const char *whose)
{
	for (size_t i = 0; i < u->count; i++)
		if (strcmp(u->list[i].whose, whose) == 0)
			return &u->list[i];
	RUN_GROW(s, u->list, u->cap, u->count);
	u->list[u->count] = (struct use){0};
	snprintf(u->list[u->count].whose, sizeof(u->list->whose), "%s", whose);
	return &u->list[u->count++];
}

static void look(struct storm *s, struct uses *u, const char *whose, const struct quota *quota,
		 const struct usage *has, bool submitted)
{
	struct use *was = use_of(s, u, whose);
	int64_t running = (int64_t)has->active, cpu = has->used.amount[0];
	int64_t waiting = (int64_t)has->waiting;

	if (running > quota_get(quota, QUOTA_RUNNING) && running > was->running)
		storm_violate(s, "%s: %lld run, %lld before, of at most %lld", whose,
			      (long long)running, (long long)was->running,
			      (long long)quota->of[QUOTA_RUNNING]);
	if (cpu > quota_get(quota, QUOTA_CPU) && cpu > was->cpu)
		storm_violate(s, "%s: uses %lld of cpu, %lld before, of at most %lld", whose,
			      (long long)cpu, (long long)was->cpu, (long long)quota->of[QUOTA_CPU]);
	if (submitted && waiting > quota_get(quota, QUOTA_WAITING) && waiting > was->waiting)
		storm_violate(s, "%s: %lld wait, %lld before, of at most %lld", whose,
			      (long long)waiting, (long long)was->waiting,
			      (long long)quota->of[QUOTA_WAITING]);
	was->running = running;
	was->waiting = waiting;
	was->cpu = cpu;
}

static void on_input(struct storm *s, void *own, const struct input *in)
{
	bool submitted =
		in->kind == INPUT_MESSAGE && (in->type == MSG_SUBMIT || in->type == MSG_UPDATE_JOB);
	const struct state *state = core_state(s->ctl->core);
	char whose[64];

	for (const struct queue *q = state->queues; q; q = q->hh.next) {
		snprintf(whose, sizeof(whose), "queue %s", q->name);
		look(s, own, whose, &q->quota, &(struct usage){q->waiting, q->active, q->used},
		     submitted);
	}
	for (const struct queue_user *t = state->queue_users; t; t = t->hh.next) {
		snprintf(whose, sizeof(whose), "user %s in queue %s", t->of.user_usage->name,
			 t->of.queue->name);
		look(s, own, whose, &t->of.queue->user_quota, &t->has, submitted);
	}
	for (const struct user_usage *a = state->user_usages; a; a = a->hh.next) {
		struct quota quota;

		running_quota_of_user(&s->policy->conf, a->name, &quota);
		snprintf(whose, sizeof(whose), "user %s", a->name);
		look(s, own, whose, &quota, &a->has, submitted);
	}
}

const struct invariant invariant_quota = {.size = sizeof(struct uses), .on_input = on_input};
