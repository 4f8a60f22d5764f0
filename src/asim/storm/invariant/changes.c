/*
 * Restarts of running jobs with a change, from the records alone: no element starts before the change is
 * made; it is made when no element has tasks, and is the one that was recorded; and no attempt that ends so
 * is a failure. That the change is made at once then is a rule of core/check.c.
 */
#include "asim/storm/invariant/table.h"
#include "core/state/intern.h"

#include <string.h>

struct restart {
	uint64_t job;
	bool runs;
	uint32_t elements; /* that have tasks */
	uint8_t digest[32];
};

/* An element that was ended by a restart, with the failures of its attempts. */
struct ending {
	uint64_t job;
	uint32_t element, failures;
	bool restarted;
};

struct restarts {
	struct restart *list;
	struct ending *endings;
	size_t count, cap, ending_count, ending_cap;
	uint64_t now; /* the job that this record restarts; 0: none */
};

static struct restart *restart_of(struct storm *s, struct restarts *x, uint64_t job)
{
	for (size_t i = 0; i < x->count; i++)
		if (x->list[i].job == job)
			return &x->list[i];
	RUN_GROW(s, x->list, x->cap, x->count);
	x->list[x->count] = (struct restart){.job = job};
	return &x->list[x->count++];
}

static struct ending *ending_of(struct storm *s, struct restarts *x, uint64_t job, uint32_t element)
{
	for (size_t i = 0; i < x->ending_count; i++)
		if (x->endings[i].job == job && x->endings[i].element == element)
			return &x->endings[i];
	RUN_GROW(s, x->endings, x->ending_cap, x->ending_count);
	x->endings[x->ending_count] = (struct ending){.job = job, .element = element};
	return &x->endings[x->ending_count++];
}

static void digest(const Armada__JobSpec *spec, uint8_t ret[32])
{
	struct buf packed CLEANUP_BUF = {0};

	msg_pack(spec, &packed);
	core_digest(packed.data, packed.len, ret);
}

static void before_record(struct storm *s UNUSED, void *own, const Armada__Record *r UNUSED)
{
	((struct restarts *)own)->now = 0;
}

ON_EVENT(restarting)
{
	struct restarts *x = own;
	struct restart *e = restart_of(s, x, ev->job_restarting->job);

	if (e->runs || !e->elements)
		storm_violate(s, "job %llu is restarted %s", (unsigned long long)e->job,
			      e->runs ? "twice at once" : "although it does not run");
	e->runs = true;
	digest(ev->job_restarting->spec, e->digest);
	x->now = e->job;
	s->count.changed++;
}

ON_EVENT(leased)
{
	const Armada__ElementLeased *m = ev->element_leased;
	struct restart *e = restart_of(s, own, m->job);

	e->elements++;
	if (e->runs)
		storm_violate(s, "%llu_%u starts while its job is restarted",
			      (unsigned long long)m->job, m->element);
}

ON_EVENT(task_leased)
{
	const Armada__TaskKey *key = ev->task_leased->key;

	if (restart_of(s, own, key->job)->runs)
		storm_violate(s, "%llu_%u.%u is replaced while its job is restarted",
			      (unsigned long long)key->job, key->element, key->rank);
}

ON_EVENT(ending)
{
	const Armada__ElementEnding *m = ev->element_ending;
	struct restarts *x = own;

	ending_of(s, x, m->job, m->element)->restarted =
		m->job == x->now && m->why == ARMADA__END_REASON__ENDING_REQUEUE;
}

ON_EVENT(requeued)
{
	const Armada__ElementRequeued *m = ev->element_requeued;
	struct ending *e = ending_of(s, own, m->job, m->element);

	restart_of(s, own, m->job)->elements--;
	if (e->restarted && m->failures != e->failures)
		storm_violate(s, "the restart of %llu_%u counts as a failure",
			      (unsigned long long)m->job, m->element);
	e->failures = m->failures;
	e->restarted = false;
}

ON_EVENT(ended)
{
	const Armada__ElementEnded *m = ev->element_ended;

	if (m->attempt)
		restart_of(s, own, m->job)->elements--;
}

ON_EVENT(updated)
{
	const Armada__JobUpdated *m = ev->job_updated;
	struct restart *e = restart_of(s, own, m->job);
	uint8_t is[32];

	if (!e->runs)
		return;
	digest(m->spec, is);
	if (e->elements)
		storm_violate(s, "job %llu is changed while %u elements have tasks",
			      (unsigned long long)m->job, e->elements);
	if (memcmp(is, e->digest, sizeof(is)) != 0)
		storm_violate(s, "job %llu is restarted with another change than was recorded",
			      (unsigned long long)m->job);
	e->runs = false;
}

const struct invariant invariant_changes = {
	.size = sizeof(struct restarts),
	.forgets = true,
	.before_record = before_record,
	.on_event =
		{
			[ARMADA__EVENT__KIND_JOB_RESTARTING] = restarting,
			[ARMADA__EVENT__KIND_JOB_UPDATED] = updated,
			[ARMADA__EVENT__KIND_ELEMENT_LEASED] = leased,
			[ARMADA__EVENT__KIND_TASK_LEASED] = task_leased,
			[ARMADA__EVENT__KIND_ELEMENT_ENDING] = ending,
			[ARMADA__EVENT__KIND_ELEMENT_REQUEUED] = requeued,
			[ARMADA__EVENT__KIND_ELEMENT_ENDED] = ended,
		},
};
