/*
 * A storm with --explain: before each round some jobs are explained, with the seed of that round.
 * The explanations must change nothing (the trace is the same with and without), and a job that an
 * explanation says will start must start.
 */
#include "asim/storm/client.h"
#include "asim/storm/invariant/table.h"
#include "asim/storm/round.h"

enum { EXPLAINED = 3 };

/* The jobs that will start in this round, as explained; 0: none. */
struct explained {
	uint64_t starting[EXPLAINED];
};

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

static void on_round(struct storm *s, void *own, const struct sched_round *round)
{
	struct explained *e = own;

	for (size_t i = 0; i < EXPLAINED && s->opt->explain; i++) {
		uint64_t job = nth_job(s, i);
		struct sched_explanation x;

		e->starting[i] = 0;
		if (!job || sched_explain(s->round->sched, job, round, &x) != 0)
			continue;
		if (x.why == WHY_NONE)
			e->starting[i] = job;
		else if (!x.text || !why_word(x.why))
			storm_violate(s, "job %llu waits for no reason", (unsigned long long)job);
		sched_explanation_done(&x);
	}
}

static void on_result(struct storm *s, void *own, const struct sched_result *r)
{
	const struct explained *e = own;

	for (size_t i = 0; i < EXPLAINED; i++)
		if (e->starting[i] && !starts(r, e->starting[i]))
			storm_violate(s, "job %llu was to start in this round, and does not",
				      (unsigned long long)e->starting[i]);
}

const struct invariant invariant_explain = {
	.size = sizeof(struct explained), .on_round = on_round, .on_result = on_result};
