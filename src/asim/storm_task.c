/* Shepherds and their tasks, and the journal that the tasks keep. */
#include "asim/storm_parts.h"

#include <stdio.h>

struct storm_attempt *attempt_find(struct storm_node *n, const struct task_key *key)
{
	struct storm_attempt *a = n->spool;

	while (a && !task_key_equal(&a->key, key))
		a = a->next;
	return a;
}

void journal_start(struct storm *s, const struct storm_node *n, const struct task_key *key)
{
	int cpus = group_cpus(s, key), used = cpus;
	char text[64];

	task_key_format(key, text);
	s->count.runs++;
	for (size_t i = 0; i < s->run_count; i++) {
		const struct storm_run *r = &s->runs[i];

		if (task_key_equal(&r->key, key))
			storm_violate(s, "I2: %s runs a second time, on %s after n%d", text,
				      n->name, r->node);
		else if (r->live && r->key.job == key->job && r->key.element == key->element &&
			 r->key.rank == key->rank)
			storm_violate(s, "I3: %s runs on %s while attempt %u runs on n%d", text,
				      n->name, r->key.attempt, r->node);
		used += r->live && r->node == n->index ? r->cpus : 0;
	}
	if (used > n->cpus)
		storm_violate(s, "I6: with %s, tasks of %d cpus run on %s, which has %d", text,
			      used, n->name, n->cpus);
	GROW(s->runs, s->run_cap, s->run_count + 1);
	s->runs[s->run_count++] = (struct storm_run){*key, n->index, cpus, true};
	storm_trace(s, "%s: %s runs", n->name, text);
}

void journal_end(struct storm *s, const struct task_key *key)
{
	for (size_t i = 0; i < s->run_count; i++)
		if (task_key_equal(&s->runs[i].key, key))
			s->runs[i].live = false;
}

static void plan(struct storm *s, struct storm_node *n, const struct storm_attempt *a,
		 enum happening_kind kind, int64_t later_us)
{
	struct happening h = {
		.kind = kind,
		.node = n->index,
		.life = n->boot, /* a shepherd lives as long as its machine */
		.key = a->key,
		.at_us = s->now_us + later_us,
		.number = a->cause,
	};

	happenings_put(&s->queue, &h);
}

void attempt_fork(struct storm *s, struct storm_node *n, struct storm_attempt *a)
{
	a->forked = true;
	a->alive = true;
	if (lease_begins(s, n, a))
		plan(s, n, a, HAPPEN_TASK_START, 1000 + storm_random(s, 100000));
	if (n->leaving) /* accepted before, and started late */
		attempt_kill(s, n, a, ARMADA__END_CAUSE__END_SHUTDOWN, 1000);
}

void attempt_kill(struct storm *s, struct storm_node *n, struct storm_attempt *a, uint32_t cause,
		  int64_t grace_ms)
{
	if (!a->alive || a->ended || a->cause)
		return;
	a->cause = cause;
	plan(s, n, a, HAPPEN_TASK_END, 1000 + storm_random(s, grace_ms * 1000 + 1));
}

static const uint32_t failures[] = {
	ARMADA__END_CAUSE__END_NODE,
	ARMADA__END_CAUSE__END_NODE,
	ARMADA__END_CAUSE__END_ACCOUNT,
	ARMADA__END_CAUSE__END_LAUNCH_FAILED,
};

/* Set up in full; what follows is another's decision. */
static void reach_gate(struct storm *s, struct storm_node *n, struct storm_attempt *a)
{
	struct ledger_effects out = {.arena = s->arena};

	if (a->cause || storm_fault(s, 60)) {
		if (!a->cause)
			a->cause = failures[storm_random(s, ARRAY_SIZE(failures))];
		plan(s, n, a, HAPPEN_TASK_END, 1000);
		return;
	}
	a->ready = true;
	gate_reached(s, &a->key);
	if (!n->up)
		return;
	ledger_ready(n->ledger, &a->key, &out);
	node_ledger_effects(s, n, &out);
}

void attempt_release(struct storm *s, struct storm_node *n, struct storm_attempt *a)
{
	if (!a->alive || a->ended || a->cause || !a->ready || a->released)
		return;
	a->released = true;
	plan(s, n, a, HAPPEN_TASK_START, 1000 + storm_random(s, 20000));
}

void attempt_started(struct storm *s, const struct happening *h)
{
	struct storm_node *n = &s->nodes[h->node];
	struct storm_attempt *a = attempt_find(n, &h->key);
	struct ledger_effects out = {.arena = s->arena};

	if (!a || !a->alive || a->ended || a->lapsed)
		return;
	if (a->gated && !a->released) {
		reach_gate(s, n, a);
		return;
	}
	gate_check(s, &a->key);
	journal_start(s, n, &a->key);
	a->start_us = 1700000000000000 + s->now_us;
	plan(s, n, a, HAPPEN_TASK_END,
	     storm_random(s, 4) ? storm_random(s, 5000000) : storm_random(s, 300000000));
	if (!n->up)
		return;
	ledger_started(n->ledger, &a->key, a->start_us, &out);
	node_ledger_effects(s, n, &out);
}

void attempt_ended(struct storm *s, const struct happening *h)
{
	struct storm_node *n = &s->nodes[h->node];
	struct storm_attempt *a = attempt_find(n, &h->key);
	struct ledger_effects out = {.arena = s->arena};
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;

	if (!a || !a->alive || a->ended)
		return;
	if (a->start_us)
		journal_end(s, &a->key);
	end.cause = a->cause ? a->cause : ARMADA__END_CAUSE__END_EXITED;
	end.exit_code = !a->cause && storm_random(s, 10) == 0;
	if (storm_fault(s, 60))
		end.node_problem = (char *)"epilog: bad weather";
	end.start_us = a->start_us;
	end.end_us = 1700000000000000 + s->now_us;
	a->end = end;
	a->end.text = xstrdup("");
	a->ended = true;
	a->alive = false;
	if (!n->up)
		return;
	ledger_ended(n->ledger, &a->key, &a->end, false, &out);
	node_ledger_effects(s, n, &out);
}
