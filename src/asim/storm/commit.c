/*
 * Commits the output of the core. Each output is copied in full, because the core's memory is valid
 * for one input only. Effects go to the network, to clients, to the fence program, or come back as
 * messages.
 *
 * Input: outputs of the core, in order. Output: durable records, then their effects. The controller
 * may be killed between any two of them.
 */
#include "asim/storm/commit.h"
#include "asim/storm/byzantine.h"
#include "asim/storm/client.h"
#include "asim/storm/ctl.h"
#include "asim/storm/fence.h"
#include "asim/storm/invariant.h"
#include "asim/storm/net.h"

struct sim_pending {
	uint8_t *record; /* NULL: nothing to commit */
	size_t len;
	struct effect *effects; /* own copies of everything they point to */
	size_t effect_count;
	struct arena *arena;
};

static void copy_events(struct arena *a, struct effect *e)
{
	struct armada_history_event *list =
		arena_memdup(a, e->events, e->event_count * sizeof(*list));

	for (size_t i = 0; i < e->event_count; i++) {
		list[i].queue = arena_strdup(a, list[i].queue);
		list[i].job_set = arena_strdup(a, list[i].job_set);
		list[i].body = arena_memdup(a, list[i].body, list[i].body_len);
	}
	e->events = list;
}

static void copy_effect(struct sim_pending *p, struct effect *e)
{
	struct arena *a = p->arena;

	if (e->body)
		e->body = arena_memdup(a, e->body, e->len);
	if (e->row) {
		struct armada_history_row *row = arena_memdup(a, e->row, sizeof(*row));

		row->row = arena_memdup(a, row->row, row->row_len);
		row->user = row->queue = row->job_set = row->name = row->nodes = row->account = "";
		e->row = row;
	}
	if (e->event_count)
		copy_events(a, e);
	e->history_job = NULL;
	e->attempt = NULL;
	e->text = e->text ? arena_strdup(a, e->text) : NULL;
}

static void free_pending(struct sim_pending *p)
{
	free(p->effects);
	arena_free(p->arena);
}

static void want_commit(struct storm *s)
{
	int64_t in_us;

	if (s->disk->committing || !s->disk->pending_count)
		return;
	s->disk->committing = true;
	in_us = 100 + storm_random(s, 400);
	if (storm_fault(s, 50))
		in_us += storm_random(s, 2000000);
	storm_plan(s, in_us, (struct sim_event){.kind = SIM_COMMIT, .life = s->ctl->life});
}

static void order_out(struct storm *s, const struct effect *e)
{
	struct sim_conn *c = sim_net_find(s, e->conn);
	Armada__Order m = ARMADA__ORDER__INIT;
	struct buf packed CLEANUP_BUF = {0};
	struct sim_order order = {.terms = sim_order_terms(s, &e->order, e->body, e->len)};

	order_encode(&e->order, order.bytes);
	sim_byzantine_capture(s, &order);
	if (!c || !c->open_ctl)
		return;
	m.order.data = order.bytes;
	m.order.len = ORDER_SIZE;
	m.body.data = (uint8_t *)e->body;
	m.body.len = e->len;
	msg_pack(&m, &packed);
	sim_net_to_node(s, c, MSG_ORDER, packed.data, packed.len);
}

static void send_out(struct storm *s, const struct effect *e)
{
	struct sim_conn *c = sim_net_find(s, e->conn);

	if (c && c->node >= 0 && c->open_ctl)
		sim_net_to_node(s, c, e->type, e->body, e->len);
	else if (c && c->node >= 0)
		return;
	else if (storm_fault(s, 8))
		s->count.lost++;
	else
		storm_plan(s, 500,
			   (struct sim_event){.kind = SIM_CLIENT_REPLY,
					      .type = e->type,
					      .number = e->request,
					      .body = xmemdup(e->body, e->len),
					      .len = e->len});
}

/* The history answers later, and then the message comes again. */
static void ask_again(struct storm *s, const struct effect *e)
{
	int64_t in_us = storm_random(s, 50000);

	if (storm_fault(s, 10))
		in_us += storm_random(s, 5000000);
	storm_plan(s, in_us,
		   (struct sim_event){.kind = SIM_TO_CTL,
				      .life = s->ctl->life,
				      .node = -1,
				      .conn = e->conn,
				      .type = e->type,
				      .number = e->request,
				      .again = true,
				      .body = xmemdup(e->body, e->len),
				      .len = e->len});
}

static void let_out(struct storm *s, const struct effect *e)
{
	struct sim_conn *c;

	switch (e->kind) {
	case EFFECT_SEND:
		send_out(s, e);
		break;
	case EFFECT_ORDER:
		order_out(s, e);
		break;
	case EFFECT_CLOSE:
		c = sim_net_find(s, e->conn);
		if (c)
			sim_net_break(s, c);
		break;
	case EFFECT_HISTORY:
		if (e->row)
			sim_client_history(s, e->row);
		break;
	case EFFECT_JOB_EVENTS:
		for (size_t i = 0; i < e->event_count; i++)
			INVARIANTS(s, on_job_event, &e->events[i]);
		break;
	case EFFECT_FINISHED_JOBS:
	case EFFECT_NAMES:
		ask_again(s, e);
		break;
	case EFFECT_FENCE:
		sim_fence_begin(s, e->text, e->fence_seq);
		break;
	case EFFECT_LOG:
		storm_trace(s, "ctl: %s", e->text);
		break;
	default:
		break;
	}
}

void sim_commit_add(struct storm *s, const struct output *out)
{
	struct sim_disk *d = s->disk;
	struct sim_pending p = {0};

	if (!out->record && !out->effect_count)
		return;
	p.arena = arena_new(0);
	if (out->record) {
		p.record = arena_memdup(s->run, out->record, out->record_len);
		p.len = out->record_len;
	}
	p.effect_count = out->effect_count;
	p.effects = xmemdup(out->effects, out->effect_count * sizeof(*p.effects));
	for (size_t i = 0; i < p.effect_count; i++)
		copy_effect(&p, &p.effects[i]);
	GROW(d->pending, d->pending_cap, d->pending_count + 1);
	d->pending[d->pending_count++] = p;
	want_commit(s);
}

static void make_durable(struct storm *s, struct sim_pending *batch, size_t n)
{
	struct sim_disk *d = s->disk;

	for (size_t i = 0; i < n; i++) {
		if (!batch[i].record)
			continue;
		RUN_GROW(s, d->records, d->cap, d->count);
		d->records[d->count++] = (struct sim_record){batch[i].record, batch[i].len};
	}
}

bool sim_commit_run(struct storm *s)
{
	struct sim_disk *d = s->disk;
	size_t n = d->pending_count, leave = n;
	struct sim_pending *batch = d->pending;
	bool dies = storm_fault(s, 40);

	d->committing = false;
	d->pending = NULL;
	d->pending_count = d->pending_cap = 0;
	make_durable(s, batch, n);
	if (dies)
		leave = storm_random(s, 2) ? storm_random(s, n) : 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; i < leave && k < batch[i].effect_count; k++)
			let_out(s, &batch[i].effects[k]);
		free_pending(&batch[i]);
	}
	free(batch);
	if (!dies)
		want_commit(s);
	return !dies;
}

void sim_commit_drop(struct storm *s)
{
	struct sim_disk *d = s->disk;

	for (size_t i = 0; i < d->pending_count; i++)
		free_pending(&d->pending[i]);
	free(d->pending);
	d->pending = NULL;
	d->pending_count = d->pending_cap = 0;
	d->committing = false;
}
