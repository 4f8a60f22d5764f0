/* What armctld's shell does: commit, then let effects out; rounds; restart from what is durable. */
#include "asim/storm_parts.h"
#include "sched/configure.h"

#include <string.h>

static const char *const resources[] = {"cpu", "memory"};

static struct sched_config sched_config(const struct storm *s)
{
	return (struct sched_config){
		.resources = resources,
		.resource_count = ARRAY_SIZE(resources),
		.classes = s->policy.classes,
		.class_count = s->policy.class_count,
		.limits = s->policy.limits,
		.user_most = s->policy.user_most,
		.users = s->policy.users,
		.user_count = s->policy.user_count,
		.fairness = &s->plugins[0],
		.order = &s->plugins[1],
		.preempt = &s->plugins[2],
		.select = &s->plugins[3],
		.partial_gangs = true,
	};
}

static void make_sched(struct storm *s)
{
	struct sched_config config = sched_config(s);
	struct err err;

	s->ctl.sched = sched_new(&config, &err);
	if (!s->ctl.sched) {
		storm_violate(s, "the scheduler does not start: %s", err.text);
		return;
	}
	s->ctl.mirror = mirror_new(s->ctl.sched, resources, ARRAY_SIZE(resources));
	core_fill_mirror(s->ctl.core, s->ctl.mirror);
}

static void copy_effect(struct storm_pending *p, struct effect *e)
{
	struct arena *a = p->arena;

	if (e->body)
		e->body = arena_memdup(a, e->body, e->len);
	if (e->row) {
		struct armada_history_row *row = arena_memdup(a, e->row, sizeof(*row));

		row->row = arena_memdup(a, row->row, row->row_len);
		row->user = row->queue = row->job_set = row->name = row->nodes = "";
		e->row = row;
	}
	e->history_job = NULL;
	e->text = e->text ? arena_strdup(a, e->text) : NULL;
}

static void free_pending(struct storm_pending *p)
{
	free(p->record);
	free(p->effects);
	arena_free(p->arena);
}

static void want_commit(struct storm *s)
{
	struct happening h = {.kind = HAPPEN_COMMIT, .life = s->ctl.life};

	if (s->ctl.committing || !s->ctl.pending_count)
		return;
	s->ctl.committing = true;
	h.at_us = s->now_us + 100 + storm_random(s, 400);
	if (storm_fault(s, 50))
		h.at_us += storm_random(s, 2000000);
	happenings_put(&s->queue, &h);
}

static void want_round(struct storm *s)
{
	struct happening h = {.kind = HAPPEN_ROUND, .life = s->ctl.life};

	if (s->ctl.round_due)
		return;
	s->ctl.round_due = true;
	h.at_us = s->now_us + 20000;
	happenings_put(&s->queue, &h);
}

static void note_leased(struct storm *s, const Armada__ElementLeased *m)
{
	for (size_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].id == m->job && s->jobs[i].cancelled)
			storm_violate(s, "I4: %llu_%u was cancelled and is leased again",
				      (unsigned long long)m->job, m->element);
	s->count.promised += m->promised;
	storm_trace(s, "ctl: %llu_%u/%u is %s %s", (unsigned long long)m->job, m->element,
		    m->attempt, m->promised ? "promised" : "leased on", m->nodes[0]);
}

static void note_ending(struct storm *s, const Armada__ElementEnding *m)
{
	s->count.preempted += m->why == ARMADA__END_REASON__ENDING_PREEMPT;
	storm_trace(s, "ctl: %llu_%u is being ended (%d): %s", (unsigned long long)m->job,
		    m->element, m->why, m->text);
}

/* What a seed has been through, for its line and its trace. */
static void note_event(struct storm *s, const Armada__Event *ev)
{
	switch (ev->kind_case) {
	case ARMADA__EVENT__KIND_ELEMENT_LEASED:
		note_leased(s, ev->element_leased);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_ENDING:
		note_ending(s, ev->element_ending);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_RELEASED:
		s->count.released++;
		storm_trace(s, "ctl: %llu_%u is released",
			    (unsigned long long)ev->element_released->job,
			    ev->element_released->element);
		break;
	case ARMADA__EVENT__KIND_ELEMENT_REQUEUED:
		storm_trace(s, "ctl: %llu_%u waits again: %s",
			    (unsigned long long)ev->element_requeued->job,
			    ev->element_requeued->element, ev->element_requeued->reason);
		break;
	default:
		break;
	}
}

static void take_output(struct storm *s, const struct output *out)
{
	struct storm_ctl *c = &s->ctl;
	struct storm_pending p = {0};

	if (out->decoded) {
		mirror_apply(c->mirror, out->decoded);
		for (size_t i = 0; i < out->decoded->n_events; i++)
			note_event(s, out->decoded->events[i]);
		gangs_follow(s, out->decoded);
		deps_follow(s, out->decoded);
	}
	if (out->wants_round)
		want_round(s);
	if (!out->record && !out->effect_count)
		return;
	p.arena = arena_new(0);
	if (out->record) {
		p.record = xmemdup(out->record, out->record_len);
		p.len = out->record_len;
	}
	p.effect_count = out->effect_count;
	p.effects = xmemdup(out->effects, out->effect_count * sizeof(*p.effects));
	for (size_t i = 0; i < p.effect_count; i++)
		copy_effect(&p, &p.effects[i]);
	GROW(c->pending, c->pending_cap, c->pending_count + 1);
	c->pending[c->pending_count++] = p;
	want_commit(s);
}

static void input(struct storm *s, struct input *in)
{
	struct output out;
	struct err err;

	in->wall_us = clock_wall_us(s);
	in->steady_us = clock_steady_us(s);
	core_input(s->ctl.core, in, &out);
	take_output(s, &out);
	if (core_check(s->ctl.core, &err) < 0)
		storm_violate(s, "%s", err.text);
	most_check_all(s, in);
}

static void order_out(struct storm *s, const struct effect *e)
{
	struct storm_conn *c = conn_find(s, e->conn);
	Armada__Order m = ARMADA__ORDER__INIT;
	struct buf packed CLEANUP_BUF = {0};
	struct storm_order order = {.gated = gate_of(s, &e->order, e->body, e->len),
				    .lease_us = lease_of(s, &e->order, e->body, e->len)};

	order_encode(&e->order, order.bytes);
	GROW(s->captured, s->captured_cap, s->captured_count + 1);
	s->captured[s->captured_count++] = order;
	if (!c || !c->open_ctl)
		return;
	m.order.data = order.bytes;
	m.order.len = ORDER_SIZE;
	m.body.data = (uint8_t *)e->body;
	m.body.len = e->len;
	msg_pack(&m, &packed);
	net_to_node(s, c, MSG_ORDER, packed.data, packed.len);
}

static void send_out(struct storm *s, const struct effect *e)
{
	struct storm_conn *c = conn_find(s, e->conn);
	struct happening h = {
		.kind = HAPPEN_CLIENT_REPLY,
		.at_us = s->now_us + 500,
		.type = e->type,
		.number = e->request,
		.len = e->len,
	};

	if (c && c->node >= 0) {
		if (c->open_ctl)
			net_to_node(s, c, e->type, e->body, e->len);
		return;
	}
	if (storm_fault(s, 8)) {
		s->count.lost++;
		return;
	}
	h.body = xmemdup(e->body, e->len);
	happenings_put(&s->queue, &h);
}

/* The history takes its time, and then the message comes again. */
static void ask_again(struct storm *s, const struct effect *e)
{
	struct happening h = {
		.kind = HAPPEN_TO_CTL,
		.at_us = s->now_us + storm_random(s, 50000),
		.life = s->ctl.life,
		.node = -1,
		.conn = e->conn,
		.type = e->type,
		.number = e->request,
		.again = true,
		.len = e->len,
	};

	if (storm_fault(s, 10))
		h.at_us += storm_random(s, 5000000);
	h.body = xmemdup(e->body, e->len);
	happenings_put(&s->queue, &h);
}

static void let_out(struct storm *s, const struct effect *e)
{
	struct storm_conn *c;

	switch (e->kind) {
	case EFFECT_SEND:
		send_out(s, e);
		break;
	case EFFECT_ORDER:
		order_out(s, e);
		break;
	case EFFECT_CLOSE:
		c = conn_find(s, e->conn);
		if (c)
			net_break(s, c);
		break;
	case EFFECT_HISTORY:
		if (e->row)
			client_history(s, e->row);
		break;
	case EFFECT_PAST:
	case EFFECT_NAMES:
		ask_again(s, e);
		break;
	case EFFECT_FENCE:
		fence_begin(s, e->text, e->fence_seq);
		break;
	case EFFECT_LOG:
		storm_trace(s, "ctl: %s", e->text);
		break;
	default:
		break;
	}
}

static void make_durable(struct storm_ctl *c, struct storm_pending *batch, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!batch[i].record)
			continue;
		GROW(c->disk, c->disk_cap, c->disk_count + 1);
		c->disk[c->disk_count++] = (struct storm_record){batch[i].record, batch[i].len};
		batch[i].record = NULL;
	}
}

/* A batch is durable: its effects may leave. The controller may die before they have all left. */
void ctl_commit(struct storm *s)
{
	struct storm_ctl *c = &s->ctl;
	size_t n = c->pending_count, leave = n;
	struct storm_pending *batch = c->pending;
	bool dies = storm_fault(s, 40);

	c->committing = false;
	c->pending = NULL;
	c->pending_count = c->pending_cap = 0;
	make_durable(c, batch, n);
	if (dies)
		leave = storm_random(s, 2) ? storm_random(s, n) : 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; i < leave && k < batch[i].effect_count; k++)
			let_out(s, &batch[i].effects[k]);
		free_pending(&batch[i]);
	}
	free(batch);
	if (dies)
		ctl_crash(s);
	else
		want_commit(s);
}

void ctl_fenced(struct storm *s, const struct happening *h)
{
	struct input in = {.kind = INPUT_FENCED,
			   .node = s->nodes[h->node].name,
			   .fence_seq = h->conn,
			   .fenced = h->number,
			   .text = "no answer"};

	input(s, &in);
}

void ctl_reconfigure(struct storm *s)
{
	struct input in = {.kind = INPUT_POLICY, .policy = &s->policy};
	struct sched_config config = sched_config(s);
	struct err err;

	if (!s->ctl.up)
		return; /* it will read the file when it starts */
	if (sched_reconfigure(s->ctl.sched, &config, &err) < 0)
		storm_violate(s, "the scheduler takes no other configuration: %s", err.text);
	input(s, &in);
}

/* What a limit holds back may start later, though nothing happens. */
static void try_again(struct storm *s, int64_t in_us)
{
	struct happening h = {.kind = HAPPEN_ROUND, .life = s->ctl.life};

	h.at_us = s->now_us + (in_us > 20000 ? in_us : 20000);
	if (s->ctl.again_us && s->ctl.again_us <= h.at_us)
		return;
	s->ctl.again_us = h.at_us;
	happenings_put(&s->queue, &h);
}

/* A round takes its time, and the world goes on meanwhile: its decisions may come too late. */
void ctl_round(struct storm *s)
{
	struct storm_ctl *c = &s->ctl;
	struct sched_round round = {.now_us = clock_wall_us(s), .seed = s->step};
	struct happening h = {.kind = HAPPEN_DECIDE, .life = c->life};
	uint64_t starting[EXPLAINED];

	c->round_due = false;
	if (c->again_us <= s->now_us)
		c->again_us = 0;
	if (c->deciding) {
		c->round_again = true;
		return;
	}
	if (s->opt.explain)
		explain_some(s, &round, starting);
	sched_run_round(c->sched, &round, &c->result);
	if (s->opt.explain)
		explain_check(s, &c->result, starting);
	if (c->result.again_us)
		try_again(s, c->result.again_us - round.now_us);
	c->deciding = true;
	h.at_us = s->now_us + storm_random(s, 5000);
	if (storm_fault(s, 20))
		h.at_us += storm_random(s, 5000000);
	happenings_put(&s->queue, &h);
}

void ctl_decide(struct storm *s)
{
	struct storm_ctl *c = &s->ctl;
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &c->result};

	c->deciding = false;
	input(s, &in);
	sched_result_done(&c->result);
	if (c->round_again)
		want_round(s);
	c->round_again = false;
}

void ctl_tick(struct storm *s)
{
	struct happening h = {
		.kind = HAPPEN_CTL_TICK, .life = s->ctl.life, .at_us = s->now_us + 1000000};
	struct input in = {.kind = INPUT_TICK};

	input(s, &in);
	happenings_put(&s->queue, &h);
}

/* Whom the directory of the run knows: nobody else is named, but for nemo, who is not there. */
static const struct core_name *ctl_names(size_t *ret_count)
{
	static const uint32_t gids[] = {1000};
	static const char *const groups[] = {"people"};
	static const struct core_name names[] = {
		{.name = "ann", .known = true, .id = 1000, .gids = gids, .groups = groups, 1},
		{.name = "bob", .known = true, .id = 1001, .gids = gids, .groups = groups, 1},
		{.name = "nemo"},
		{.group = true, .name = "people", .known = true, .id = 1000},
		{.group = true, .name = "nemo"},
	};

	*ret_count = ARRAY_SIZE(names);
	return names;
}

void ctl_message(struct storm *s, const struct happening *h)
{
	struct storm_conn *c = conn_find(s, h->conn);
	const struct msg_info *info = msg_find(h->type);
	uint32_t gids[] = {1000};
	const char *groups[] = {"people"};
	struct caller who = {
		.role = h->node >= 0 ? ROLE_AGENT : ROLE_CLIENT,
		.uid = 1000,
		.gid = 1000,
		.user = h->type == MSG_SUBMIT ? most_user(s, h->number) : "ann",
		.gids = gids,
		.gid_count = 1,
		.groups = groups,
		.group_count = 1,
		.address = "10.0.0.1",
		.host = "login",
	};
	struct input in = {
		.kind = INPUT_MESSAGE,
		.conn = h->conn,
		.request = h->number,
		.caller = &who,
		.type = h->type,
	};
	struct core_past *past = NULL;
	struct err err;

	if (h->node >= 0 && (!c || !c->open_ctl))
		return;
	/* what was on its way when armada.conf was read for the last time is lost: it may cordon */
	if (h->type == MSG_QUEUE && !s->faults)
		return;
	if (h->again)
		in.names = ctl_names(&in.name_count);
	if (h->again)
		in.past = past = deps_past(s, &in.past_count);
	in.message = msg_unpack(info, h->body, h->len, s->arena, &err);
	if (!in.message)
		storm_violate(s, "a message does not decode: %s", err.text);
	else
		input(s, &in);
	deps_past_free(past, in.past_count);
}

void ctl_closed(struct storm *s, uint64_t conn)
{
	struct input in = {.kind = INPUT_CLOSED, .conn = conn};
	struct storm_conn *c = conn_find(s, conn);

	if (!c || !c->open_ctl)
		return;
	c->open_ctl = false;
	c->id = 0;
	input(s, &in);
}

static void drop_pending(struct storm *s)
{
	for (size_t i = 0; i < s->ctl.pending_count; i++)
		free_pending(&s->ctl.pending[i]);
	free(s->ctl.pending);
	s->ctl.pending = NULL;
	s->ctl.pending_count = s->ctl.pending_cap = 0;
}

static void stop(struct storm *s)
{
	struct storm_ctl *c = &s->ctl;

	drop_pending(s);
	if (c->deciding)
		sched_result_done(&c->result);
	mirror_free(c->mirror);
	sched_free(c->sched);
	core_free(c->core);
	c->mirror = NULL;
	c->sched = NULL;
	c->core = NULL;
	c->up = c->committing = c->round_due = c->deciding = c->round_again = false;
	c->again_us = 0;
	c->life++;
}

void ctl_crash(struct storm *s)
{
	struct happening h = {.kind = HAPPEN_CTL_START};

	if (!s->ctl.up)
		return;
	s->count.ctl_crashes++;
	storm_trace(s, "the controller is killed");
	stop(s);
	net_close_all(s);
	h.life = s->ctl.life;
	h.at_us = s->now_us + 100000 + storm_random(s, 20000000);
	happenings_put(&s->queue, &h);
}

static void restore_chunk(void *arg, const void *data, size_t len)
{
	struct err err;

	core_restore(arg, data, len, &err);
}

/* I8: what the log says is what a snapshot of it says; and either will do to go on from. */
static void check_snapshot(struct storm *s)
{
	struct core *copy = core_new(&s->policy), *live = s->ctl.core;
	uint8_t a[32], b[32];

	core_snapshot(live, restore_chunk, copy);
	core_hash(live, a);
	core_hash(copy, b);
	if (memcmp(a, b, sizeof(a)) != 0)
		storm_violate(s, "I8: a restored snapshot is not the state it was taken of");
	if (storm_random(s, 2)) {
		s->ctl.core = copy;
		copy = live;
	}
	core_free(copy);
}

void ctl_start(struct storm *s)
{
	static const uint8_t cluster[16] = "cluster-of-storm";
	struct storm_ctl *c = &s->ctl;
	struct input in = {.kind = INPUT_BEGIN, .host = "ctl", .release = "storm"};
	struct happening tick = {.kind = HAPPEN_CTL_TICK, .at_us = s->now_us + 1000000};
	struct output out;
	struct err err;

	c->core = core_new(&s->policy);
	for (size_t i = 0; i < c->disk_count; i++) {
		if (core_replay(c->core, c->disk[i].data, c->disk[i].len, &out, &err) < 0) {
			storm_violate(s, "the log does not replay: %s", err.text);
			return;
		}
		for (size_t k = 0; k < out.effect_count; k++)
			if (out.effects[k].row)
				client_history(s, out.effects[k].row);
	}
	if (!c->disk_count)
		core_set_cluster(c->core, cluster);
	else
		check_snapshot(s);
	gangs_restart(s);
	deps_restart(s);
	c->up = true;
	clock_start(s);
	make_sched(s);
	input(s, &in);
	tick.life = c->life;
	happenings_put(&s->queue, &tick);
}

void ctl_free(struct storm *s)
{
	if (s->ctl.up)
		stop(s);
	for (size_t i = 0; i < s->ctl.disk_count; i++)
		free(s->ctl.disk[i].data);
	free(s->ctl.disk);
}
