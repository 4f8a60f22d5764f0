/* What the controller counts (counters.h). */
#include "armctld/counters.h"

#include "core/txn/effect.h"
#include "sched/result.h"

void counters_events(struct counters *c, const struct effect *e)
{
	for (size_t i = 0; i < e->event_count; i++) {
		int32_t kind = e->events[i].kind;

		c->events[kind > 0 && kind < COUNTERS_EVENTS ? kind : 0]++;
	}
}

void counters_refused(struct counters *c, int exit_code)
{
	c->refused[exit_code > 0 && exit_code < COUNTERS_CODES ? exit_code : 0]++;
}

void counters_round(struct counters *c, const struct sched_result *result, int64_t took_us)
{
	c->rounds[round_end_of(result)]++;
	c->decisions += result->decision_count;
	histogram_add(&c->round_times, took_us);
}
