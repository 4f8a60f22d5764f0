/*
 * Signals and steps for what runs: nothing that anybody remembers, so an order of a signal is
 * carried out once at most, whoever shows it again, and neither reaches what does not run.
 */
#include "asim/storm_parts.h"

#include <string.h>

/* A signal that a node carried out, in this life of its armd: one that begins forgets. */
struct storm_signal {
	int node;
	uint32_t life;
	uint64_t epoch, number;
};

/* A task that runs at the moment; NULL: none does. */
static const struct task_key *running(struct storm *s)
{
	size_t from = storm_random(s, s->run_count);

	for (size_t i = 0; i < s->run_count; i++) {
		const struct storm_run *r = &s->runs[(from + i) % s->run_count];

		if (r->live)
			return &r->key;
	}
	return NULL;
}

void client_signal(struct storm *s)
{
	const struct task_key *key = running(s);
	Armada__CancelRequest m = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange r = ARMADA__JOB_RANGE__INIT, *ids[] = {&r};

	if (!key)
		return;
	r.first = r.last = key->job;
	f.ids = ids;
	f.n_ids = 1;
	m.filter = &f;
	m.signal = 10;
	m.signal_script = storm_random(s, 2);
	client_ask(s, STORM_JOBS, MSG_CANCEL, &m);
}

void client_step(struct storm *s)
{
	Armada__StepRequest m = ARMADA__STEP_REQUEST__INIT;
	const struct task_key *key = running(s);

	if (!key)
		return;
	m.job = key->job;
	m.element = key->element;
	m.payload.data = (uint8_t *)"step";
	m.payload.len = 4;
	client_ask(s, STORM_JOBS, MSG_STEP, &m);
}

void signal_check(struct storm *s, const struct storm_node *n, const struct storm_attempt *a,
		  const char *what)
{
	if (!a || !a->alive || !a->start_us || a->ended)
		storm_violate(s, "%s gets a %s for a task that does not run", n->name, what);
}

void signal_once(struct storm *s, const struct storm_node *n, const struct order *o)
{
	for (size_t i = 0; i < s->signal_count; i++) {
		const struct storm_signal *x = &s->signals[i];

		if (x->node == n->index && x->life == n->life && x->epoch == o->epoch &&
		    x->number == o->number)
			storm_violate(s, "%s carries signal %llu out twice", n->name,
				      (unsigned long long)o->number);
	}
	GROW(s->signals, s->signal_cap, s->signal_count + 1);
	s->signals[s->signal_count++] =
		(struct storm_signal){n->index, n->life, o->epoch, o->number};
	s->count.signals++;
}
