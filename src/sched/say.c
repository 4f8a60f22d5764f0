#include "sched/round.h"
#include "sched/watch.h"
#include "util/mem.h"

void round_reason(struct round *r, uint32_t job, struct reason reason, bool of_key)
{
	struct sched *s = r->s;
	int64_t expected_us = of_key ? backfill_expected(r, job) : 0;
	uint32_t hash = hash_text(reason.text) ^ hash_u64((uint64_t)expected_us);

	hash = (hash & ~(uint32_t)REASON_OF_KEY) | REASON_GIVEN | (of_key ? REASON_OF_KEY : 0);

	if (r->watch) {
		watch_reason(r, job, reason);
		return;
	}
	if (s->jobs[job].reason == hash)
		return;
	s->jobs[job].reason = hash;
	GROW(s->reasons, s->reason_cap, r->result->reason_count + 1);
	s->reasons[r->result->reason_count++] = (struct sched_reason){.job = s->jobs[job].id,
								      .why = reason.why,
								      .text = reason.text,
								      .expected_us = expected_us};
}

/* Jobs that do not even stand in line. */
void round_notes(struct round *r)
{
	struct sched *s = r->s;

	for (size_t i = 0; i < s->note_count; i++) {
		struct job *j = &s->jobs[s->notes[i]];

		if (!j->noted)
			continue;
		j->noted = false;
		if (!job_waiting(j) || j->ready)
			continue;
		round_reason(r, s->notes[i], reason_unready(r->arena, j), false);
	}
	s->note_count = 0;
}
