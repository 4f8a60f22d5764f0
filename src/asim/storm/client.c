/*
 * The requests of users, and the replies they received. The history reports ends; a reply may
 * report an id or a cancellation.
 */
#include "asim/storm/client.h"
#include "asim/storm/ctl.h"
#include "asim/storm/invariant.h"

#include <string.h>

const struct sim_job *sim_client_find(const struct storm *s, const Armada__JobSubmitted *m)
{
	for (size_t i = 0; i < s->job_count; i++)
		if (m->key.len == sizeof(s->jobs[i].key) &&
		    memcmp(s->jobs[i].key, m->key.data, m->key.len) == 0)
			return &s->jobs[i];
	return NULL;
}

bool sim_client_is_over(const struct sim_job *j)
{
	for (uint32_t e = 0; e < j->elements; e++)
		if (!j->ended[e])
			return false;
	return true;
}

/* Every second single job belongs to bob. */
const char *sim_client_user(const struct storm *s, uint64_t number)
{
	return number < s->job_count && !s->jobs[number].gang && number % 2 ? "bob" : "ann";
}

void sim_client_ask(struct storm *s, uint32_t number, enum msg_type type, const void *message)
{
	struct sim_event ev = {
		.kind = SIM_TO_CTL,
		.at_us = s->now_us + 300 + storm_random(s, 1000),
		.life = s->ctl->life,
		.node = -1,
		.conn = UINT64_C(1) << 40,
		.type = type,
		.number = number,
	};
	struct buf packed = {0};

	if (!s->ctl->up)
		return;
	msg_pack(message, &packed);
	ev.body = buf_take(&packed, &ev.len);
	sim_event_put(&s->events, &ev);
}

void sim_client_reply(struct storm *s, const struct sim_event *ev)
{
	const Armada__SubmitReply *m;
	struct sim_job *j;
	struct err err;

	if (ev->type == MSG_ERROR) {
		const Armada__ErrorReply *e =
			msg_unpack(msg_find(ev->type), ev->body, ev->len, s->arena, &err);

		/* before the first node registers, nothing is refused; later gangs may be */
		storm_trace(s, "client: %s", e ? e->text : "?");
		return;
	}
	if (ev->type == MSG_CANCEL_REPLY && ev->number < SIM_JOBS)
		s->jobs[ev->number].cancelled = true;
	if (ev->type != MSG_SUBMIT_REPLY || ev->number >= SIM_JOBS)
		return;
	m = msg_unpack(msg_find(ev->type), ev->body, ev->len, s->arena, &err);
	j = &s->jobs[ev->number];
	if (!m || m->n_ids != 1)
		storm_violate(s, "a submission of one job is answered with %zu ids",
			      m ? m->n_ids : 0);
	else if (j->id && j->id != m->ids[0])
		storm_violate(s, "I5: one key, two ids: %llu and %llu", (unsigned long long)j->id,
			      (unsigned long long)m->ids[0]);
	else
		j->id = m->ids[0];
}

void sim_client_history(struct storm *s, const struct armada_history_row *row)
{
	for (size_t i = 0; i < s->job_count; i++) {
		struct sim_job *j = &s->jobs[i];

		if (j->id != row->job)
			continue;
		INVARIANTS(s, on_row, j, row);
		for (uint32_t e = row->first_element; e <= row->last_element && e < j->elements;
		     e++)
			j->ended[e] = row->state;
	}
}
