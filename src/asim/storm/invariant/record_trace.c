/*
 * Counts and traces the records that the core makes, for the line of a seed and its trace; and
 * checks that no element is leased of a job whose user got the reply that it is cancelled (I4).
 */
#include "asim/storm/client.h"
#include "asim/storm/invariant/table.h"

ON_EVENT(leased)
{
	const Armada__ElementLeased *m = ev->element_leased;

	for (size_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].id == m->job && s->jobs[i].cancelled)
			storm_violate(s, "I4: %llu_%u was cancelled and is leased again",
				      (unsigned long long)m->job, m->element);
	s->count.pending_leases += m->lease_pending;
	storm_trace(s, "ctl: %llu_%u/%u is %s %s", (unsigned long long)m->job, m->element,
		    m->attempt, m->lease_pending ? "leased, pending, on" : "leased on",
		    m->nodes[0]);
}

ON_EVENT(ending)
{
	const Armada__ElementEnding *m = ev->element_ending;

	s->count.preempted += m->why == ARMADA__END_REASON__ENDING_PREEMPT;
	storm_trace(s, "ctl: %llu_%u is being ended (%d): %s", (unsigned long long)m->job,
		    m->element, m->why, m->text);
}

ON_EVENT(released)
{
	s->count.released++;
	storm_trace(s, "ctl: %llu_%u is released", (unsigned long long)ev->element_released->job,
		    ev->element_released->element);
}

ON_EVENT(requeued)
{
	const Armada__ElementRequeued *m = ev->element_requeued;

	storm_trace(s, "ctl: %llu_%u waits again: %s", (unsigned long long)m->job, m->element,
		    m->reason);
}

const struct invariant invariant_record_trace = {
	.on_event =
		{
			[ARMADA__EVENT__KIND_ELEMENT_LEASED] = leased,
			[ARMADA__EVENT__KIND_ELEMENT_ENDING] = ending,
			[ARMADA__EVENT__KIND_ELEMENT_RELEASED] = released,
			[ARMADA__EVENT__KIND_ELEMENT_REQUEUED] = requeued,
		},
};
