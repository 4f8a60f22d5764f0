#include "elastic_job.h"

#include "core/state/task_replacement.h"
#include "util/mem.h"

#include <string.h>

#define END(name) ARMADA__END_CAUSE__END_##name

void elastic_init(struct elastic *p, uint32_t tasks, uint32_t least)
{
	spec_init(&p->spec, &p->group);
	spec_cpus(&p->group, 1, &p->cpu, p->list);
	p->group.replicas = tasks;
	p->spec.min_available = least;
	p->spec.elastic = ARMADA__ELASTIC__ELASTIC_YES;
}

void world_two(struct test_world *w)
{
	world_init(w);
	world_node(w, 1, "n1", 4, "boot1", 1);
	world_node(w, 2, "n2", 4, "boot2", 2);
}

/* "pending/running/succeeded/failed" of all tasks. */
const char *counts(struct test_world *w, uint64_t job)
{
	const Armada__JobRow *r = world_row(w, job);

	if (!r || !r->n_groups)
		return "";
	return arena_printf(w->arena, "%u/%u/%u/%u", r->groups[0]->pending, r->groups[0]->running,
			    r->groups[0]->succeeded, r->groups[0]->failed);
}

/* The id of an extra task of the first elastic lease of the world, which has this number. */
uint64_t extra(uint32_t lease, uint32_t n)
{
	return extra_id(REPLACEMENT_ID_BIT + lease, n);
}

const struct effect *order_to(const struct test_world *w, enum order_kind kind, uint32_t rank)
{
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_ORDER &&
		    w->out.effects[i].order.kind == kind &&
		    w->out.effects[i].order.key.rank == rank)
			return &w->out.effects[i];
	return NULL;
}

/* The list of hosts in the settings order to this rank; "": there was none. */
const char *hosts_told(struct test_world *w, uint32_t rank)
{
	const struct effect *e = order_to(w, ORDER_SETTINGS, rank);
	const Armada__TaskSettings *m =
		e ? msg_unpack_as(&armada__task_settings__descriptor, e->body, e->len, w->arena,
				  &(struct err){0})
		  : NULL;
	char *text;

	if (!m)
		return "";
	text = arena_printf(w->arena, "%.*s", (int)m->hosts.len, (const char *)m->hosts.data);
	for (char *p = text; *p; p++)
		*p = *p == '\n' ? ',' : *p;
	return text;
}

/* Submits the job and starts its first tasks on n1. */
uint64_t run_elastic(struct test_world *w, struct elastic *p)
{
	uint64_t id = world_submit(w, &p->spec);
	char nodes[64] = "";

	for (uint32_t i = 0; i < p->spec.min_available; i++)
		strcat(nodes, " n1");
	world_decide(w, id, 0, nodes);
	for (uint32_t i = 0; i < p->spec.min_available; i++)
		world_started(w, 1, id, 0, i, 1);
	return id;
}

void round_of(struct cluster *c)
{
	struct sched_round round = {.now_us = c->w.wall_us};
	struct sched_result result;
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &result};

	sched_run_round(c->live.rig.s, &round, &result);
	world_feed(&c->w, &in);
	fed_sched_apply(&c->live, &c->w);
	sched_result_done(&result);
}

/* Reports the start of each task that the last input launched, on its node. */
void start_launched(struct cluster *c)
{
	struct {
		uint64_t conn;
		struct task_key key;
	} list[32];
	size_t n = 0;

	for (size_t i = 0; i < c->w.out.effect_count && n < 32; i++)
		if (c->w.out.effects[i].kind == EFFECT_ORDER &&
		    c->w.out.effects[i].order.kind == ORDER_LAUNCH) {
			list[n].conn = c->w.out.effects[i].conn;
			list[n++].key = c->w.out.effects[i].order.key;
		}
	for (size_t i = 0; i < n; i++) {
		world_started(&c->w, list[i].conn, list[i].key.job, list[i].key.element,
			      list[i].key.rank, list[i].key.attempt);
		fed_sched_apply(&c->live, &c->w);
	}
}

/* Runs rounds, whose tasks start at once, until one decides nothing. */
void settle(struct cluster *c)
{
	for (int i = 0; i < 20; i++) {
		round_of(c);
		if (!world_orders(&c->w, ORDER_LAUNCH))
			return;
		start_launched(c);
	}
}
uint64_t submit(struct cluster *c, struct elastic *p)
{
	uint64_t id = world_submit(&c->w, &p->spec);

	fed_sched_apply(&c->live, &c->w);
	return id;
}

/* Ends a job of one task. The node where it does not run has no such task. */
void end_single(struct cluster *c, uint64_t job)
{
	for (uint64_t conn = 1; conn <= 2; conn++) {
		world_ended(&c->w, conn, job, 0, 0, 1, END(EXITED), 0);
		fed_sched_apply(&c->live, &c->w);
	}
}

void cluster_init(struct cluster *c, const char *order)
{
	world_two(&c->w);
	fed_sched_init(&c->live, &c->w, (struct rig_policy){.order = order, .preempt = "urgency"});
}

void cluster_done(struct cluster *c)
{
	fed_sched_done(&c->live);
	world_done(&c->w);
}
