/*
 * The controller: inputs of the core, and its start.
 *
 * Input: events of the storm. Output: records and effects. An input gets the time; its record goes
 * to the scheduler's feed and to the invariants; its output waits to be committed. After each input
 * the core checks its own rules (core_check). A start replays the disk. In half of the starts the
 * run continues from a snapshot instead, so that a value which snapshots omit causes a violation.
 */
#include "asim/storm/ctl.h"
#include "asim/storm/client.h"
#include "asim/storm/clock.h"
#include "asim/storm/commit.h"
#include "asim/storm/history.h"
#include "asim/storm/invariant.h"
#include "asim/storm/net.h"
#include "asim/storm/node.h"
#include "asim/storm/policy.h"
#include "asim/storm/round.h"

#include <string.h>

static void input(struct storm *s, struct input *in)
{
	struct output out;
	struct err err;

	in->wall_us = sim_clock_wall_us(s);
	in->steady_us = sim_clock_steady_us(s);
	core_input(s->ctl->core, in, &out);
	if (out.decoded) {
		sim_round_record(s, out.decoded);
		invariant_record(s, out.decoded);
	}
	if (out.wants_round)
		sim_round_want(s);
	sim_commit_add(s, &out);
	if (core_check(s->ctl->core, &err) < 0)
		storm_violate(s, "%s", err.text);
	INVARIANTS(s, on_input, in);
}

void sim_ctl_commit(struct storm *s, const struct sim_event *ev UNUSED)
{
	if (!sim_commit_run(s))
		sim_ctl_crash(s);
}

void sim_ctl_decide(struct storm *s, const struct sim_event *ev UNUSED)
{
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &s->round->result};

	s->round->deciding = false;
	input(s, &in);
	sim_round_decided(s);
}

void sim_ctl_fenced(struct storm *s, const struct sim_event *ev)
{
	struct input in = {.kind = INPUT_FENCED,
			   .node = s->nodes[ev->node].name,
			   .fence_seq = ev->conn,
			   .fenced = ev->number,
			   .text = "no answer"};

	input(s, &in);
}

void sim_ctl_reconfigure(struct storm *s)
{
	struct input in = {.kind = INPUT_POLICY, .policy = &s->policy->conf};

	if (!s->ctl->up)
		return; /* the controller reads the file when it starts */
	sim_round_reconfigure(s);
	input(s, &in);
}

void sim_ctl_tick(struct storm *s, const struct sim_event *ev UNUSED)
{
	struct input in = {.kind = INPUT_TICK};

	input(s, &in);
	storm_plan(s, 1000000, (struct sim_event){.kind = SIM_CTL_TICK, .life = s->ctl->life});
}

/*
 * The users and groups that the simulated site has. Requests also use the name nemo, which does not
 * exist.
 */
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

void sim_ctl_message(struct storm *s, const struct sim_event *ev)
{
	struct sim_conn *c = sim_net_find(s, ev->conn);
	const struct msg_info *info = msg_find(ev->type);
	uint32_t gids[] = {1000};
	const char *groups[] = {"people"};
	struct caller who = {
		.role = ev->node >= 0 ? ROLE_AGENT : ROLE_CLIENT,
		.uid = 1000,
		.gid = 1000,
		.user = ev->type == MSG_SUBMIT ? sim_client_user(s, ev->number) : "ann",
		.gids = gids,
		.gid_count = 1,
		.groups = groups,
		.group_count = 1,
		.address = "10.0.0.1",
		.host = "login",
	};
	struct input in = {
		.kind = INPUT_MESSAGE,
		.conn = ev->conn,
		.request = ev->number,
		.caller = &who,
		.type = ev->type,
	};
	struct core_finished_job *past = NULL;
	struct err err;

	if (ev->node >= 0 && (!c || !c->open_ctl))
		return;
	/*
	 * a message that was on its way when armada.conf was read for the last time is lost: it
	 * might cordon
	 */
	if (ev->type == MSG_QUEUE && !s->faults)
		return;
	if (ev->again)
		in.names = ctl_names(&in.name_count);
	if (ev->again)
		in.past = past = sim_history_ended_jobs(s, &in.finished_count);
	in.message = msg_unpack(info, ev->body, ev->len, s->arena, &err);
	if (!in.message)
		storm_violate(s, "a message does not decode: %s", err.text);
	else
		input(s, &in);
	sim_history_past_free(past, in.finished_count);
}

void sim_ctl_closed(struct storm *s, const struct sim_event *ev)
{
	struct input in = {.kind = INPUT_CLOSED, .conn = ev->conn};
	struct sim_conn *c = sim_net_find(s, ev->conn);

	if (!c || !c->open_ctl)
		return;
	c->open_ctl = false;
	c->id = 0;
	input(s, &in);
}

static void stop(struct storm *s)
{
	sim_commit_drop(s);
	sim_round_stop(s);
	core_free(s->ctl->core);
	s->ctl->core = NULL;
	s->ctl->up = false;
	s->ctl->life++;
}

void sim_ctl_crash(struct storm *s)
{
	if (!s->ctl->up)
		return;
	s->count.ctl_crashes++;
	storm_trace(s, "the controller is killed");
	stop(s);
	sim_net_close_all(s);
	storm_plan(s, 100000 + storm_random(s, 20000000),
		   (struct sim_event){.kind = SIM_CTL_START, .life = s->ctl->life});
}

static void restore_chunk(void *arg, const void *data, size_t len)
{
	struct err err;

	core_restore(arg, data, len, &err);
}

/* I8: the snapshot of a state restores to the same state; the run continues from either. */
static void check_snapshot(struct storm *s)
{
	struct core *copy = core_new(&s->policy->conf), *live = s->ctl->core;
	uint8_t a[32], b[32];

	core_snapshot(live, restore_chunk, copy);
	core_hash(live, a);
	core_hash(copy, b);
	if (memcmp(a, b, sizeof(a)) != 0)
		storm_violate(s,
			      "I8: a restored snapshot differs from the state it was taken from");
	if (storm_random(s, 2)) {
		s->ctl->core = copy;
		copy = live;
	}
	core_free(copy);
}

/* Of a replayed record: an end, or job events. */
static void take_effect(struct storm *s, const struct effect *e)
{
	if (e->row)
		sim_client_history(s, e->row);
	for (size_t i = 0; i < e->event_count; i++)
		INVARIANTS(s, on_job_event, &e->events[i]);
}

struct core *sim_ctl_replay(struct storm *s)
{
	struct core *core = core_new(&s->policy->conf);
	struct output out;
	struct err err;

	for (size_t i = 0; i < s->disk->count; i++) {
		const struct sim_record *r = &s->disk->records[i];

		if (core_replay(core, r->data, r->len, &out, &err) < 0) {
			storm_violate(s, "the log does not replay: %s", err.text);
			core_free(core);
			return NULL;
		}
		for (size_t k = 0; k < out.effect_count; k++)
			take_effect(s, &out.effects[k]);
	}
	return core;
}

void sim_ctl_start(struct storm *s, const struct sim_event *ev UNUSED)
{
	static const uint8_t cluster[16] = "cluster-of-storm";
	struct input in = {.kind = INPUT_BEGIN, .host = "ctl", .release = "storm"};

	s->ctl->core = sim_ctl_replay(s);
	if (!s->ctl->core)
		return;
	if (!s->disk->count)
		core_set_cluster(s->ctl->core, cluster);
	else
		check_snapshot(s);
	invariant_restart(s);
	s->ctl->up = true;
	sim_clock_start(s);
	sim_round_start(s);
	input(s, &in);
	storm_plan(s, 1000000, (struct sim_event){.kind = SIM_CTL_TICK, .life = s->ctl->life});
}

void sim_ctl_free(struct storm *s)
{
	if (s->ctl->up)
		stop(s);
}
