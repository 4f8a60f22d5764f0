/*
 * LIMITS: the bounds of what users make the controller keep, and what is used of them.
 *
 * Output: EFFECT_LIMITS with the rows of the core. The shell adds the rows of connections and
 * queues, and sends the reply. Cost: O(users and connections that keep something).
 */
#include "core/admission/registration.h"
#include "core/request/request.h"
#include "core/state/queue_user.h"
#include "core/txn/effects.h"
#include "core/txn/output_reads.h"
#include "core/txn/waiters.h"
#include "core/view/limit_rows.h"
#include "core/view/rights.h"

struct limits {
	struct txn *txn;
	Armada__LimitsReply reply;
	struct limit_viewer viewer;
};

static Armada__LimitUse *add(struct limits *l, const char *name, const char *scope,
			     const char *option, int64_t bound)
{
	Armada__LimitUse *row = limit_row(&l->reply, l->txn->arena, name, scope, option, bound);

	limit_row_used(row, 0);
	return row;
}

static void note(struct limits *l, Armada__LimitUse *row, const char *name, uint32_t uid,
		 uint64_t used)
{
	const struct limit_user user = {name, uid, used};

	limit_row_user(row, l->txn->arena, &l->viewer, &user);
}

static void add_jobs(struct limits *l)
{
	const struct core_policy *p = l->txn->policy;
	const struct state *state = l->txn->state;
	Armada__LimitUse *jobs, *stored, *all;

	jobs = add(l, "jobs", "user", "limits.jobs_per_user", p->max_jobs_of_user);
	all = add(l, "jobs", "all", "limits.jobs_in_memory", p->max_jobs);
	limit_row_used(all, state->job_live);
	stored = add(l, "stored", "user", "limits.stored_per_user", p->max_stored_of_user);
	all = add(l, "stored", "all", "limits.stored_total", p->max_stored);
	limit_row_used(all, state->stored);
	stored->bytes = all->bytes = true;
	for (const struct user_usage *u = state->user_usages; u; u = u->hh.next) {
		note(l, jobs, u->name, 0, u->jobs);
		note(l, stored, u->name, 0, u->stored);
	}
}

static void add_keys(struct limits *l)
{
	const struct core_policy *p = l->txn->policy;
	const struct state *state = l->txn->state;
	Armada__LimitUse *keys;

	keys = add(l, "submission keys", "user", "limits.submit_keys_per_user",
		   p->max_keys_of_user);
	for (const struct key_user *u = state->key_users; u; u = u->hh.next)
		note(l, keys, NULL, u->uid, u->count);
	limit_row_used(add(l, "submission keys", "all", "limits.submit_keys", p->max_keys),
		       state->key_count);
	keys = add(l, "named submission keys", "user", "limits.submit_keys_per_user",
		   p->max_keys_of_user);
	for (const struct key_user *u = state->key_users; u; u = u->hh.next)
		note(l, keys, NULL, u->uid, u->named);
	limit_row_used(add(l, "named submission keys", "all", "limits.submit_keys", p->max_keys),
		       state->named_key_count);
}

static void add_sets(struct limits *l)
{
	const struct core_policy *p = l->txn->policy;
	const struct state *state = l->txn->state;
	Armada__LimitUse *sets;

	sets = add(l, "idle job sets", "user", "limits.job_sets_per_user", p->max_sets_of_user);
	for (const struct job_set_user *u = state->idle_users; u; u = u->hh.next)
		note(l, sets, NULL, u->uid, u->count);
	limit_row_used(add(l, "idle job sets", "all", "limits.job_sets", p->max_sets),
		       state->idle_set_count);
}

/* Of users, only the tokens of the caller: counting those of all would take O(users x tokens). */
static void add_tokens(struct limits *l)
{
	const struct core_policy *p = l->txn->policy;
	const struct state *state = l->txn->state;
	Armada__LimitUse *tokens;

	tokens = add(l, "tokens", "user", "limits.tokens_per_user", p->max_tokens_of_user);
	note(l, tokens, NULL, l->txn->in->caller->uid,
	     tokens_of(state, l->txn->in->caller->uid, l->txn->now_us));
	limit_row_used(add(l, "tokens", "all", "limits.tokens", p->max_tokens),
		       HASH_COUNT(state->tokens));
}

static void add_waits(struct limits *l)
{
	const struct core_policy *p = l->txn->policy;
	const struct live *live = l->txn->live;
	Armada__LimitUse *conns, *users;

	conns = add(l, "waits", "connection", "limits.waits_per_connection", p->max_waits_of_conn);
	for (const struct waiting_conn *c = live->waiting_conns; c; c = c->hh.next)
		note(l, conns, NULL, c->user->uid, c->count);
	users = add(l, "waits", "user", "limits.waits_per_user", p->max_waits_of_user);
	for (const struct waiting_user *u = live->waiting_users; u; u = u->hh.next)
		note(l, users, NULL, u->uid, u->count);
	limit_row_used(add(l, "waits", "all", "limits.waits", p->max_waits), live->waiter_count);
}

/* O(reads x reads) of a short list. */
static void add_output_reads(struct limits *l)
{
	const struct core_policy *p = l->txn->policy;
	const struct live *live = l->txn->live;
	const struct output_read *r, *other;
	Armada__LimitUse *users;

	users = add(l, "output reads", "user", "limits.output_reads_per_user",
		    p->max_output_reads_of_user);
	TAILQ_FOREACH (r, &live->output_reads, entry) {
		uint64_t count = 0, before = 0;

		TAILQ_FOREACH (other, &live->output_reads, entry) {
			count += other->uid == r->uid;
			before += other->uid == r->uid && other->number < r->number;
		}
		if (!before)
			note(l, users, NULL, r->uid, count);
	}
	limit_row_used(add(l, "output reads", "all", "limits.output_reads", p->max_output_reads),
		       live->output_read_count);
}

static void add_steps(struct limits *l)
{
	const struct core_policy *p = l->txn->policy;
	const struct live *live = l->txn->live;

	limit_row(&l->reply, l->txn->arena, "running steps", "job", "limits.steps_per_job",
		  p->max_steps_of_job);
	limit_row_used(add(l, "tasks of running steps", "all", "limits.step_tasks",
			   p->max_step_tasks),
		       live->step_tasks);
	limit_row(&l->reply, l->txn->arena, "ended steps", "job", "limits.ended_steps_per_job",
		  p->max_ended_steps_of_job);
	limit_row_used(add(l, "ended steps", "all", "limits.ended_steps", p->max_ended_steps),
		       live->ended_step_count);
}

static void add_nodes(struct limits *l)
{
	limit_row_used(add(l, "nodes", "all", "", REGISTRATION_NODES),
		       HASH_COUNT(l->txn->state->nodes));
}

void req_limits(struct txn *txn, const Armada__LimitsRequest *m)
{
	const struct caller *who = txn->in->caller;
	struct limits l = {
		.txn = txn,
		.viewer = {rights_sees_users(txn, who), who->uid, who->user},
	};
	struct effect *e;

	(void)m;
	armada__limits_reply__init(&l.reply);
	add_jobs(&l);
	add_keys(&l);
	add_sets(&l);
	add_tokens(&l);
	add_waits(&l);
	add_output_reads(&l);
	add_steps(&l);
	add_nodes(&l);
	e = effect_later_with(txn, EFFECT_LIMITS, MSG_LIMITS_REPLY, &l.reply);
	e->viewer_uid = who->uid;
	e->viewer_admin = l.viewer.all;
}
