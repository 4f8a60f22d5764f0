/*
 * Emits the reasons of waiting jobs. Only a reason that differs from the job's last one is emitted.
 */
#include "sched/round/reason_emit.h"
#include "sched/round/backfill.h"
#include "sched/round/explain_probe.h"
#include "util/mem.h"

void reason_emit_job(struct round *r, uint32_t job, struct reason reason, bool of_shape)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	int64_t expected_us = of_shape ? backfill_expected(r, job) : 0;
	uint32_t hash = hash_text(reason.text) ^ hash_u64((uint64_t)expected_us);

	hash = (hash & ~(uint32_t)REASON_OF_SHAPE) | REASON_GIVEN |
	       (of_shape ? REASON_OF_SHAPE : 0);

	if (r->probe) {
		explain_probe_reason(r, job, reason);
		return;
	}
	if (m->jobs.list[job].reason == hash)
		return;
	m->jobs.list[job].reason = hash;
	GROW(s->output.reasons, s->output.reason_cap, r->result->reason_count + 1);
	s->output.reasons[r->result->reason_count++] =
		(struct sched_reason){.job = m->jobs.list[job].id,
				      .why = reason.why,
				      .text = reason.text,
				      .expected_us = expected_us};
}

/* Jobs that are held or at their array limit: they are not in a subqueue. */
void reason_emit_notes(struct round *r)
{
	struct model *m = r->m;

	for (size_t i = 0; i < m->jobs.note_count; i++) {
		struct job *j = &m->jobs.list[m->jobs.notes[i]];

		if (!j->noted)
			continue;
		j->noted = false;
		if (!jobs_waiting(j) || j->ready)
			continue;
		reason_emit_job(r, m->jobs.notes[i], reason_unready(r->arena, j), false);
	}
	m->jobs.note_count = 0;
}

const struct reason *reason_emit_kept(const struct sched *s, uint32_t shape)
{
	return &s->reasons.list[s->model.shapes.list[shape].reason];
}

void reason_emit_keep(struct sched *s, uint32_t shape, struct reason reason)
{
	struct model *m = &s->model;

	m->shapes.list[shape].reason = 0;
	if (!reason.text)
		return;
	GROW(s->reasons.list, s->reasons.cap, s->reasons.count + 1);
	m->shapes.list[shape].reason = (uint32_t)s->reasons.count;
	s->reasons.list[s->reasons.count++] = reason;
}

void reason_emit_begin(struct sched *s)
{
	GROW(s->reasons.list, s->reasons.cap, 1);
	s->reasons.list[0] = (struct reason){0};
	s->reasons.count = 1;
}
