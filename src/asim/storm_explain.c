/*
 * A storm with --explain: before each round some jobs are explained, with the seed of that round. It
 * must change nothing (the trace is the same with and without), and what is said to start must start.
 */
#include "asim/storm_parts.h"
#include "sched/explain.h"

static bool starts(const struct sched_result *r, uint64_t job)
{
	for (size_t i = 0; i < r->decision_count; i++)
		if (r->decisions[i].kind == SCHED_START && r->decisions[i].job == job)
			return true;
	return false;
}

static uint64_t nth_job(const struct storm *s, size_t n)
{
	return s->job_count ? s->jobs[(s->step + n * 7) % s->job_count].id : 0;
}

void explain_some(struct storm *s, const struct sched_round *round, uint64_t *ret_starting)
{
	for (size_t i = 0; i < EXPLAINED; i++) {
		uint64_t job = nth_job(s, i);
		struct sched_explanation x;

		ret_starting[i] = 0;
		if (!job || sched_explain(s->ctl.sched, job, round, &x) != 0)
			continue;
		if (x.why == WHY_NONE)
			ret_starting[i] = job;
		else if (!x.text || !why_word(x.why))
			storm_violate(s, "job %llu waits for no reason", (unsigned long long)job);
		sched_explanation_done(&x);
	}
}

void explain_check(struct storm *s, const struct sched_result *r, const uint64_t *starting)
{
	for (size_t i = 0; i < EXPLAINED; i++)
		if (starting[i] && !starts(r, starting[i]))
			storm_violate(s, "job %llu was to start in this round, and does not",
				      (unsigned long long)starting[i]);
}
