/* Orders to nodes. Idempotent: a node that knows the key does nothing twice. */
#include "core/deadline.h"
#include "core/gate.h"
#include "core/node.h"
#include "core/request.h"
#include "util/mem.h"

#include <string.h>

static struct effect *order_effect(struct core *c, struct task *t, enum order_kind kind)
{
	const struct element *e = t->element;
	struct effect *x = effect_add(c, EFFECT_ORDER);
	struct order *o = &x->order;

	x->conn = t->node->conn;
	o->kind = kind;
	memcpy(o->cluster_id, c->cluster_id, sizeof(o->cluster_id));
	memcpy(o->node_id, t->node->node_id, sizeof(o->node_id));
	o->epoch = c->epoch;
	order_boot(t->node->boot_id, o->boot);
	o->seq = t->seq;
	o->key = task_key_of(t);
	o->uid = e->job->user->uid;
	o->gid = e->job->user->gid;
	memcpy(o->stamp, t->node->stamp, sizeof(o->stamp));
	t->sent_us = c->in->steady_us;
	return x;
}

static struct effect *node_effect(struct core *c, const struct node *n, enum order_kind kind)
{
	struct effect *x = effect_add(c, EFFECT_ORDER);
	struct order *o = &x->order;

	x->conn = n->conn;
	o->kind = kind;
	memcpy(o->cluster_id, c->cluster_id, sizeof(o->cluster_id));
	memcpy(o->node_id, n->node_id, sizeof(o->node_id));
	o->epoch = c->epoch;
	o->seq = c->record.seq; /* no floor that is announced is above it */
	order_boot(n->boot_id, o->boot);
	return x;
}

void order_lease(struct core *c, const struct node *n)
{
	static const uint8_t none[sizeof(n->stamp)];
	struct effect *x;

	if (memcmp(n->stamp, none, sizeof(none)) == 0)
		return; /* an armd that does not count so */
	x = node_effect(c, n, ORDER_LEASE);
	memcpy(x->order.stamp, n->stamp, sizeof(n->stamp));
	x->order.extension_ms = node_extension_ms(c, n);
}

void order_reboot(struct core *c, const struct node *n)
{
	node_effect(c, n, ORDER_REBOOT);
}

/* Of its group, or else of its job; a group with a command has none. */
static void fill_script(const struct task *t, const Armada__JobSpec *spec, Armada__TaskBody *b)
{
	const struct spec *s = t->element->job->spec;
	const Armada__TaskGroup *g = spec->groups[t->group];
	const struct blob *own = s->groups ? s->groups[t->group].script : NULL;
	const struct blob *script = own ? own : s->script;

	b->args = own ? g->args : spec->args;
	b->n_args = own ? g->n_args : spec->n_args;
	if (script && !g->n_argv) {
		b->script.data = script->data;
		b->script.len = script->len;
	}
}

/* What is left of it: a task that is started anew alone has no more time than the others. */
static int64_t time_left_ms(const struct core *c, const struct task *t, const Armada__JobSpec *spec)
{
	const struct element *e = t->element;
	int64_t limit_ms = spec->time_limit_s > 0 ? spec->time_limit_s * 1000 : 0, left_ms;

	if (!limit_ms || t->seq == e->seq || !e->start_us)
		return limit_ms;
	left_ms = limit_ms - (c->now_us - e->start_us) / 1000;
	return left_ms < 1 ? 1 : left_ms > limit_ms ? limit_ms : left_ms;
}

static void fill_body(struct core *c, struct task *t, const Armada__JobSpec *spec,
		      Armada__TaskBody *b)
{
	const struct job *j = t->element->job;
	const Armada__TaskGroup *g = spec->groups[t->group];

	b->key = arena_alloc(c->arena, sizeof(*b->key));
	armada__task_key__init(b->key);
	b->key->job = j->id;
	b->key->element = t->element->index;
	b->key->rank = t->rank;
	b->key->attempt = t->attempt;
	b->job_name = spec->name;
	b->user = j->user->name;
	b->uid = j->user->uid;
	b->gid = j->user->gid;
	b->gids = j->user->gids;
	b->n_gids = j->user->gid_count;
	b->argv = g->argv;
	b->n_argv = g->n_argv;
	b->gated = gate_has(t);
	b->standby = j->spec->first_alone && t->rank > 0;
	b->interactive = spec->interactive;
	if (!b->standby)
		fill_script(t, spec, b);
	if (j->spec->env) {
		b->env.data = j->spec->env->data;
		b->env.len = j->spec->env->len;
	}
	b->task_env = task_environment(c, t, spec, &b->n_task_env);
	b->chdir = spec->chdir;
	b->output = expand_pattern(c, spec->output, t, spec);
	b->error = expand_pattern(c, spec->error, t, spec);
	b->input = expand_pattern(c, spec->input, t, spec);
	b->umask = spec->umask;
	b->time_limit_ms = time_left_ms(c, t, spec);
	b->time_limit_text = (char *)(uintptr_t)deadline_words(spec, c->arena);
	b->grace_ms = spec->grace_ms;
	b->signal = spec->signal;
	b->signal_before_ms = spec->signal_before_s * 1000;
	b->signal_script = spec->signal_script;
	b->resources = g->resources;
	b->n_resources = g->n_resources;
	/* tasks that share a file have all opened it before one of them passes the gate */
	b->open_append = spec->open_append;
	b->lease_ms = element_lease_us(c, t->element) / 1000;
	b->bind = spec->bind;
	b->rlimits = spec->rlimits;
	b->n_rlimits = spec->n_rlimits;
	task_hosts(c, t, spec, &b->hosts);
}

/* What one input may take for orders; those that find no room go with a later heartbeat. */
enum { ORDERS_MEMORY = 16 << 20 };

void order_launch_task(struct core *c, struct task *t)
{
	Armada__TaskBody b = ARMADA__TASK_BODY__INIT;
	const Armada__JobSpec *spec;
	struct buf packed = {0};
	struct effect *x;

	if (!t->node->conn || arena_used(c->arena) > ORDERS_MEMORY)
		return;
	spec = spec_open(c, t->element->job->spec, c->arena);
	fill_body(c, t, spec, &b);
	msg_pack(&b, &packed);
	x = order_effect(c, t, ORDER_LAUNCH);
	x->body = arena_memdup(c->arena, packed.data, packed.len);
	x->len = packed.len;
	order_digest(packed.data, packed.len, x->order.digest);
	buf_done(&packed);
}

void order_release_task(struct core *c, struct task *t)
{
	t->released = true;
	if (t->node->conn)
		order_effect(c, t, ORDER_RELEASE);
}

void order_step_task(struct core *c, struct task *t, const ProtobufCBinaryData *payload,
		     const uint8_t digest[32])
{
	int64_t sent_us = t->sent_us;
	struct effect *x = order_effect(c, t, ORDER_STEP);

	t->sent_us = sent_us; /* it is never given again */
	x->body = payload->data;
	x->len = payload->len;
	memcpy(x->order.digest, digest, sizeof(x->order.digest));
}

void order_kill_task(struct core *c, struct task *t, Armada__EndCause cause)
{
	struct effect *x;

	if (!t->node->conn)
		return;
	x = order_effect(c, t, ORDER_KILL);
	x->order.cause = cause;
	x->order.grace_ms = t->element->job->spec->grace_ms;
}

/* Not remembered: who may have got it once must not get it twice. */
void order_signal_task(struct core *c, struct task *t, int sig, bool first_only)
{
	int64_t sent_us = t->sent_us;
	struct effect *x = order_effect(c, t, ORDER_SIGNAL);

	x->order.cause = (uint32_t)sig | (first_only ? ORDER_TO_FIRST : 0);
	x->order.number = ++c->signals;
	t->sent_us = sent_us; /* that is about other orders */
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

void orders_resend(struct core *c, struct node *n, bool all)
{
	struct task *t;

	LIST_FOREACH (t, &n->tasks, on_node) {
		if (t->state == TASK_ENDED || t->element->promised)
			continue;
		if (!all && c->in->steady_us - t->sent_us < 2 * c->policy->heartbeat_us)
			continue;
		if (t->element->why)
			order_kill_task(c, t, resend_cause(t->element));
		else if (t->state == TASK_LEASED && !t->accepted)
			order_launch_task(c, t);
		else if (t->state == TASK_LEASED && t->released && t->sent_us != c->in->steady_us)
			order_release_task(c, t);
	}
}
