/*
 * Orders to nodes: launch, release, kill, signal, step, lease, reboot, output.
 *
 * Input: a task or node of the state. Output: an effect that the shell signs and sends when the
 * record is durable. Nothing is sent to a node without a connection. Launch, release and kill
 * orders are repeated by orders_resend() until the node's reports confirm them; signals, steps
 * and reads of output are sent once.
 *
 * Caveat: when the orders of one input exceed ORDERS_MEMORY, the remaining launch orders leave with
 * a later heartbeat of the node.
 */
#include "core/lifecycle/orders.h"

#include "core/admission/time_limit.h"
#include "core/view/lease_time.h"
#include "core/lifecycle/task_env.h"
#include "core/txn/effects.h"
#include "core/txn/job_text.h"
#include "core/txn/task_resources.h"
#include "util/utf8.h"

#include <string.h>

static struct effect *node_effect(struct txn *txn, const struct node *n, enum order_kind kind)
{
	struct effect *x = effect_add(txn, EFFECT_ORDER);
	struct order *o = &x->order;

	x->conn = live_node(txn->live, n)->conn;
	o->kind = kind;
	memcpy(o->cluster_id, txn->state->cluster_id, sizeof(o->cluster_id));
	memcpy(o->node_id, n->node_id, sizeof(o->node_id));
	o->epoch = txn->state->epoch;
	o->seq = txn->seq; /* no announced floor is above this sequence */
	order_boot(n->boot_id, o->boot);
	return x;
}

static struct effect *order_effect(struct txn *txn, const struct task *t, enum order_kind kind)
{
	const struct element *e = t->element;
	struct effect *x = node_effect(txn, t->node, kind);
	struct order *o = &x->order;

	o->seq = t->seq;
	o->key = task_key_of(t);
	o->uid = e->job->user->uid;
	o->gid = e->job->user->gid;
	memcpy(o->stamp, live_node(txn->live, t->node)->stamp, sizeof(o->stamp));
	live_task(txn->live, t)->sent_us = txn->in->steady_us;
	return x;
}

/* The least sequence of a live lease on the node. Orders below this floor are stale. */
static uint64_t node_floor(const struct txn *txn, const struct node *n)
{
	uint64_t floor = txn->seq; /* the next lease has at least this sequence */
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node)
		if (t->state != TASK_ENDED && t->seq < floor)
			floor = t->seq;
	return floor;
}

void order_lease(struct txn *txn, const struct node *n)
{
	struct node_live *live = live_node(txn->live, n);
	static const uint8_t none[sizeof(live->stamp)];
	struct effect *x;

	if (memcmp(live->stamp, none, sizeof(none)) == 0)
		return; /* this armd does not count leases by stamps */
	x = node_effect(txn, n, ORDER_LEASE);
	memcpy(x->order.stamp, live->stamp, sizeof(live->stamp));
	x->order.extension_ms = node_extension_ms(txn, n);
	x->order.floor = node_floor(txn, n);
}

void order_reboot(struct txn *txn, const struct node *n)
{
	node_effect(txn, n, ORDER_REBOOT);
}

/* The script of the task's group, else of its job. A group with a command has no script. */
static void fill_script(const struct task *t, const Armada__JobSpec *spec, Armada__TaskBody *b)
{
	const struct spec *s = t->element->job->spec;
	const Armada__TaskGroup *g = spec->groups[t->group];
	const struct blob *own = s->groups ? s->groups[t->group].script : NULL;
	const struct blob *script = own ? own : s->script;

	b->args = own ? g->args : spec->args;
	b->n_args = own ? g->n_args : spec->n_args;
	if (script && !g->n_argv) {
		b->script.data = (uint8_t *)script->bytes->data;
		b->script.len = script->bytes->len;
	}
}

/* The remaining time limit: a replaced task has no more time left than the other tasks. */
static int64_t time_left_ms(const struct txn *txn, const struct task *t,
			    const Armada__JobSpec *spec)
{
	const struct element *e = t->element;
	int64_t limit_s = element_limit_s(e, spec);
	int64_t limit_ms = limit_s > 0 ? limit_s * 1000 : 0, left_ms;

	if (!limit_ms || t->seq == e->seq || !e->start_us)
		return limit_ms;
	left_ms = limit_ms - (txn->clock_us - e->start_us) / 1000;
	return left_ms < 1 ? 1 : left_ms > limit_ms ? limit_ms : left_ms;
}

static char *limit_words(const struct txn *txn, const struct task *t, const Armada__JobSpec *spec)
{
	const char *words = t->element->limit_s
				    ? time_limit_lowered(spec, t->element->limit_s, txn->arena)
				    : time_limit_words(spec, txn->arena);

	return (char *)(uintptr_t)words;
}

/* A job with a lowered limit is warned after half of its time, if it would be warned before it starts. */
static int64_t signal_before_ms(const struct element *e, const Armada__JobSpec *spec)
{
	int64_t limit_s = element_limit_s(e, spec);

	if (limit_s > 0 && spec->signal_before_s >= limit_s)
		return limit_s * 500;
	return spec->signal_before_s * 1000;
}

static void fill_body(struct txn *txn, const struct task *t, const Armada__JobSpec *spec,
		      Armada__TaskBody *b)
{
	const struct job *j = t->element->job;
	const Armada__TaskGroup *g = spec->groups[t->group];

	b->key = task_key_message(t, t->attempt, txn->arena);
	b->job_name = spec->name;
	b->user = j->user->name;
	b->uid = j->user->uid;
	b->gid = j->user->gid;
	b->gids = j->user->gids;
	b->n_gids = j->user->gid_count;
	b->argv = g->argv;
	b->n_argv = g->n_argv;
	b->gated = task_starts_with_others(t);
	b->standby = task_stands_by(t);
	b->interactive = spec->interactive;
	if (!b->standby)
		fill_script(t, spec, b);
	if (j->spec->env) {
		b->env.data = (uint8_t *)j->spec->env->bytes->data;
		b->env.len = j->spec->env->bytes->len;
	}
	b->task_env = task_environment(txn, t, spec, &b->n_task_env);
	b->chdir = spec->chdir;
	b->output = task_env_expand(txn, spec->output, t, spec);
	b->error = task_env_expand(txn, spec->error, t, spec);
	b->input = task_env_expand(txn, spec->input, t, spec);
	b->umask = spec->umask;
	b->time_limit_ms = time_left_ms(txn, t, spec);
	b->time_limit_text = limit_words(txn, t, spec);
	b->grace_ms = spec->grace_ms;
	b->signal = spec->signal;
	b->signal_before_ms = signal_before_ms(t->element, spec);
	b->signal_script = spec->signal_script;
	b->resources = task_resources(t, spec, txn->arena, &b->n_resources);
	/* tasks that share a file have all opened it before any passes the start barrier */
	b->open_append = spec->open_append;
	b->lease_ms = element_lease_us(txn, t->element) / 1000;
	b->bind = spec->bind;
	b->rlimits = spec->rlimits;
	b->n_rlimits = spec->n_rlimits;
	task_env_hosts(txn, t, spec, &b->hosts);
	b->hosts_plain = !task_env_is_for_mpi(t, spec);
	b->node_ranks = task_env_node_ranks(txn, t, &b->n_node_ranks);
}

/* Memory of one input for orders. Orders beyond it leave with a later heartbeat. */
enum { ORDERS_MEMORY = 16 << 20 };

void order_launch_task(struct txn *txn, const struct task *t)
{
	Armada__TaskBody b = ARMADA__TASK_BODY__INIT;
	const Armada__JobSpec *spec;
	struct buf packed = {0};
	struct effect *x;

	if (!live_node(txn->live, t->node)->conn || arena_used(txn->arena) > ORDERS_MEMORY)
		return;
	spec = spec_open(txn, t->element->job->spec, txn->arena);
	fill_body(txn, t, spec, &b);
	msg_pack(&b, &packed);
	x = order_effect(txn, t, ORDER_LAUNCH);
	x->body = arena_memdup(txn->arena, packed.data, packed.len);
	x->len = packed.len;
	order_digest(packed.data, packed.len, x->order.digest);
	buf_done(&packed);
}

void order_release_task(struct txn *txn, const struct task *t)
{
	live_task(txn->live, t)->released = true;
	if (live_node(txn->live, t->node)->conn)
		order_effect(txn, t, ORDER_RELEASE);
}

void order_step_task(struct txn *txn, const struct task *t, const ProtobufCBinaryData *payload,
		     const uint8_t digest[32], uint64_t number)
{
	struct task_live *live = live_task(txn->live, t);
	int64_t sent_us = live->sent_us;
	struct effect *x = order_effect(txn, t, ORDER_STEP);

	x->order.number = number;
	live->sent_us = sent_us; /* a step is never sent again */
	x->body = payload->data;
	x->len = payload->len;
	memcpy(x->order.digest, digest, sizeof(x->order.digest));
}

/* Did something else than the element's own tasks end it? */
static bool ended_by_others(Armada__EndReason why)
{
	return why == ARMADA__END_REASON__ENDING_PREEMPT ||
	       why == ARMADA__END_REASON__ENDING_CANCEL ||
	       why == ARMADA__END_REASON__ENDING_REQUEUE ||
	       why == ARMADA__END_REASON__ENDING_LAUNCH || why == ARMADA__END_REASON__ENDING_NODE;
}

/*
 * What the owner of an element that others end is told at the end of its output: the first task says it. A
 * user of a private cluster learns nothing of other jobs.
 */
static const char *kill_text(struct txn *txn, const struct task *t)
{
	const struct element *e = t->element;

	if (!ended_by_others(e->why) || !e->text || t->rank)
		return NULL;
	return txn->policy->private ? job_text_strip(e->text, e->job->id, txn->arena) : e->text;
}

void order_kill_task(struct txn *txn, const struct task *t, Armada__EndCause cause)
{
	const char *text;
	struct effect *x;

	if (!live_node(txn->live, t->node)->conn)
		return;
	x = order_effect(txn, t, ORDER_KILL);
	x->order.cause = cause;
	x->order.grace_ms = t->element->job->spec->grace_ms;
	text = kill_text(txn, t);
	if (!text)
		return;
	x->len = strlen(text);
	if (x->len > ORDER_TEXT_MAX)
		x->len = utf8_whole(text, ORDER_TEXT_MAX);
	x->body = arena_memdup(txn->arena, text, x->len);
}

/* Signals are not repeated: a task must not get a signal twice. */
/* step: order_step_number(), 0: for the whole task. */
static void signal_once(struct txn *txn, const struct task *t, uint32_t cause, uint64_t step)
{
	struct task_live *live = live_task(txn->live, t);
	int64_t sent_us = live->sent_us;
	struct effect *x = order_effect(txn, t, ORDER_SIGNAL);

	x->order.cause = cause;
	x->order.grace_ms = (int64_t)step;
	x->order.number = ++txn->live->signals;
	live->sent_us = sent_us; /* sent_us counts for other orders only */
}

void order_signal_task(struct txn *txn, const struct task *t, int sig, bool first_only)
{
	signal_once(txn, t, (uint32_t)sig | (first_only ? ORDER_TO_FIRST : 0), 0);
}

void order_signal_step(struct txn *txn, const struct task *t, int sig, uint64_t number)
{
	signal_once(txn, t, (uint32_t)sig, number);
}

uint64_t order_read_output(struct txn *txn, const struct node *n, const struct task_key *key,
			   const Armada__OutputOrder *m)
{
	struct effect *x = node_effect(txn, n, ORDER_OUTPUT);
	struct buf packed CLEANUP_BUF = {0};

	msg_pack(m, &packed);
	x->order.key = *key;
	x->order.uid = m->uid;
	x->order.gid = m->gid;
	x->order.number = ++txn->live->outputs;
	x->body = arena_memdup(txn->arena, packed.data, packed.len);
	x->len = packed.len;
	order_digest(packed.data, packed.len, x->order.digest);
	return x->order.number;
}

void order_settings_task(struct txn *txn, const struct task *t)
{
	Armada__TaskSettings m = ARMADA__TASK_SETTINGS__INIT;
	const Armada__JobSpec *spec;
	struct buf packed CLEANUP_BUF = {0};
	struct effect *x;
	int64_t limit_s;

	if (!live_node(txn->live, t->node)->conn || arena_used(txn->arena) > ORDERS_MEMORY)
		return;
	spec = spec_open(txn, t->element->job->spec, txn->arena);
	m.number = task_settings(t);
	limit_s = element_limit_s(t->element, spec);
	m.time_limit_ms = limit_s > 0 ? limit_s * 1000 : 0;
	m.time_limit_text = limit_words(txn, t, spec);
	m.suspended = t->element->suspended;
	if (t->element->extras) {
		task_env_hosts(txn, t, spec, &m.hosts);
		m.hosts_signal = t->element->job->spec->elastic_signal;
	}
	msg_pack(&m, &packed);
	x = order_effect(txn, t, ORDER_SETTINGS);
	x->order.number = live_task(txn->live, t)->sent_settings = m.number;
	x->body = arena_memdup(txn->arena, packed.data, packed.len);
	x->len = packed.len;
	order_digest(packed.data, packed.len, x->order.digest);
}

static Armada__EndCause resend_cause(const struct element *e)
{
	switch (e->why) {
	case ARMADA__END_REASON__ENDING_PREEMPT:
		return ARMADA__END_CAUSE__END_PREEMPTED;
	case ARMADA__END_REASON__ENDING_CANCEL:
	case ARMADA__END_REASON__ENDING_REQUEUE:
		return ARMADA__END_CAUSE__END_CANCELLED;
	default:
		return ARMADA__END_CAUSE__END_GANG;
	}
}

/* The last order was sent long ago, or the task runs on with settings that were never sent (elastic.h). */
static bool is_due(const struct txn *txn, const struct task *t, const struct task_live *live)
{
	return txn->in->steady_us - live->sent_us >= 2 * txn->policy->heartbeat_us ||
	       (t->state == TASK_STARTED && !t->element->why && !t->leaving &&
		task_settings(t) > live->sent_settings);
}

void orders_resend(struct txn *txn, const struct node *n, bool all)
{
	const struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node) {
		struct task_live *live = live_task(txn->live, t);

		if (t->state == TASK_ENDED || t->element->lease_pending)
			continue;
		if (!all && !is_due(txn, t, live))
			continue;
		if (t->element->why)
			order_kill_task(txn, t, resend_cause(t->element));
		else if (t->leaving)
			order_kill_task(txn, t, ARMADA__END_CAUSE__END_PREEMPTED);
		else if (t->state == TASK_LEASED && !live->accepted)
			order_launch_task(txn, t);
		else if (t->state == TASK_LEASED && live->released &&
			 live->sent_us != txn->in->steady_us)
			order_release_task(txn, t);
		else if (t->state == TASK_STARTED && task_settings(t) > live->settings)
			order_settings_task(txn, t);
	}
}
