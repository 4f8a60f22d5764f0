/*
 * OUTPUT: a part of an output file of a task. OUTPUT_READ: what a node has read.
 *
 * Input: a job, an element, a rank and a part of the file. Output: an order to the node of the task,
 * and later the answer (core/txn/output_reads.h); or a refusal that says why there is nothing to read.
 * Of a running task the state has owner, node and path. Of one that has ended the history has them:
 * the shell looks it up and gives the request again (EFFECT_FINISHED_JOBS).
 *
 * The file belongs to the owner of the job, and the node reads it as this user. Caveat: the groups of
 * an owner whose job has left memory are known only if the owner asks; others read with the primary
 * group alone.
 */
#include "core/lifecycle/orders.h"
#include "core/lifecycle/task_env.h"
#include "core/lifecycle/task_file.h"
#include "core/request/request.h"
#include "core/txn/effects.h"
#include "core/txn/output_reads.h"
#include "core/txn/reply.h"
#include "core/view/rights.h"
#include "core/view/visibility.h"

#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

enum { EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_NOT_FOUND = 3, EXIT_DENIED = 4, EXIT_AGAIN = 75 };

/* The part of a file that the node reads, and for whom. */
struct source {
	const Armada__OutputRequest *m;
	struct task_key key;
	const char *node; /* where the task ran */
	Armada__OutputOrder order;
};

/* "812", "812_7" */
static const char *name_of(struct txn *txn, const Armada__OutputRequest *m)
{
	if (m->has_element)
		return arena_printf(txn->arena, "%" PRIu64 "_%u", m->job, m->element);
	return arena_printf(txn->arena, "%" PRIu64, m->job);
}

static bool check_file(struct txn *txn, const struct source *s, const Armada__JobSpec *spec)
{
	const char *path = s->order.path;

	if (spec->interactive)
		reply_refuse(txn, EXIT_REFUSED, "job %s is interactive: arun has its output",
			     name_of(txn, s->m));
	else if (!path[0] || strcmp(path, "/dev/null") == 0)
		reply_refuse(txn, EXIT_REFUSED, "the output of job %s is discarded (/dev/null)",
			     name_of(txn, s->m));
	else
		return true;
	return false;
}

/* Orders the read, and lets the client wait; or refuses. */
static void read_at(struct txn *txn, struct source *s)
{
	const struct node *n = node_find(txn->state, s->node);
	uint64_t conn = n ? live_node(txn->live, n)->conn : 0;
	struct err err;

	s->order.offset = s->m->offset;
	s->order.tail = !s->m->from_offset;
	s->order.limit = s->m->limit ? s->m->limit : OUTPUT_READ_DEFAULT;
	if (s->order.limit > OUTPUT_READ_MAX)
		reply_refuse(txn, EXIT_USAGE, "at most %d bytes of output are read at once",
			     OUTPUT_READ_MAX);
	else if (s->order.offset > INT64_MAX)
		reply_refuse(txn, EXIT_USAGE, "no file has an offset of %" PRIu64, s->order.offset);
	else if (!n)
		reply_refuse(txn, EXIT_REFUSED,
			     "node %s, on which job %s ran, does not exist any more", s->node,
			     name_of(txn, s->m));
	else if (!conn)
		reply_refuse(txn, EXIT_AGAIN,
			     "node %s, which has the output of job %s, is not connected", s->node,
			     name_of(txn, s->m));
	else if (output_reads_admit(txn, &err) < 0)
		reply_refuse(txn, EXIT_AGAIN, "%s", err.text);
	else
		output_reads_add(txn, order_read_output(txn, n, &s->key, &s->order), conn, s->node,
				 s->order.path, s->order.limit);
}

/* ---- a task in memory ---- */

/* True if the task has begun to run, so that its files exist. */
static bool check_task(struct txn *txn, const struct element *e, const Armada__OutputRequest *m)
{
	const struct task *t = m->task < e->task_count ? &e->tasks[m->task] : NULL;
	const char *job = name_of(txn, m);

	if (!t)
		reply_refuse(txn, EXIT_USAGE, "task %u: job %s has tasks 0 to %u", m->task, job,
			     e->task_count - 1);
	else if (e->lease_pending)
		reply_refuse(txn, EXIT_AGAIN, "job %s has not started: it waits for its room", job);
	else if (t->state == TASK_LEASED)
		reply_refuse(txn, EXIT_AGAIN, "task %u of job %s is being started", m->task, job);
	else
		return true;
	return false;
}

static void read_task(struct txn *txn, const struct task *t, const Armada__OutputRequest *m)
{
	const struct job *j = t->element->job;
	const Armada__JobSpec *spec = spec_open(txn, j->spec, txn->arena);
	bool error = m->error && spec->error[0];
	struct source s = {.m = m,
			   .key = task_key_of(t),
			   .node = t->node->name,
			   .order = ARMADA__OUTPUT_ORDER__INIT};

	s.order.user = j->user->name;
	s.order.uid = j->user->uid;
	s.order.gid = j->user->gid;
	s.order.gids = j->user->gids;
	s.order.n_gids = j->user->gid_count;
	s.order.chdir = spec->chdir;
	s.order.path = task_env_expand(txn, error ? spec->error : spec->output, t, spec);
	if (check_file(txn, &s, spec))
		read_at(txn, &s);
}

/* ---- a task in the history ---- */

static void look_up(struct txn *txn, const Armada__OutputRequest *m)
{
	struct effect *e = effect_later_with(txn, EFFECT_FINISHED_JOBS, MSG_OUTPUT, m);

	e->finished_jobs = arena_memdup(txn->arena, &m->job, sizeof(m->job));
	e->finished_count = 1;
	e->by_element = true;
	e->element = m->element;
	e->viewer = visibility_viewer(txn);
}

static void fill_groups(struct txn *txn, const Armada__JobRow *row, Armada__OutputOrder *o)
{
	const struct caller *who = txn->in->caller;
	bool own = who->uid == row->uid;

	o->gids = arena_memdup(txn->arena, own ? who->gids : &row->gid,
			       (own ? who->gid_count : 1) * sizeof(*o->gids));
	o->n_gids = own ? who->gid_count : 1;
}

/* The group of a rank: tasks have their ranks group by group. */
static const char *group_of(const Armada__JobRow *row, const Armada__JobSpec *spec, uint32_t rank)
{
	uint64_t past = 0;

	for (size_t i = 0; i < row->n_groups; i++) {
		past += row->groups[i]->replicas;
		if (rank < past)
			return row->groups[i]->name;
	}
	return spec->n_groups ? spec->groups[0]->name : "";
}

static char *file_of(struct txn *txn, const Armada__OutputRequest *m, const Armada__JobRow *row,
		     const Armada__JobSpec *spec)
{
	const struct task_names names = {.job = m->job,
					 .is_array = row->is_array,
					 .element = m->element,
					 .rank = m->task,
					 .attempt = row->attempt,
					 .group = group_of(row, spec, m->task),
					 .node = row->nodes[m->task],
					 .name = spec->name,
					 .job_set = spec->job_set,
					 .user = row->user};

	return task_file_name(m->error && spec->error[0] ? spec->error : spec->output, &names,
			      txn->arena);
}

static bool may_read(const struct txn *txn, const Armada__JobRow *row)
{
	const struct caller *who = txn->in->caller;

	if (rights_may(txn, who, VERB_SECRET, NULL, NULL))
		return true;
	return who->uid == row->uid && token_allows_in(who->scope, VERB_SECRET, row->queue);
}

static void read_past(struct txn *txn, const Armada__OutputRequest *m, const Armada__JobRow *row,
		      const Armada__JobSpec *spec)
{
	struct source s = {.m = m,
			   .key = {m->job, m->element, m->task, row->attempt},
			   .order = ARMADA__OUTPUT_ORDER__INIT};

	s.node = row->nodes[m->task];
	s.order.user = row->user;
	s.order.uid = row->uid;
	s.order.gid = row->gid;
	fill_groups(txn, row, &s.order);
	s.order.chdir = spec->chdir;
	s.order.path = file_of(txn, m, row, spec);
	if (check_file(txn, &s, spec))
		read_at(txn, &s);
}

static void of_history(struct txn *txn, const Armada__OutputRequest *m)
{
	const struct core_finished_job *past = txn->in->past;
	const Armada__JobRow *row = past->row;
	const char *job = name_of(txn, m);

	if (!past->known)
		reply_refuse(txn, EXIT_NOT_FOUND, "there is no job %" PRIu64, m->job);
	else if (past->array && !m->has_element)
		reply_refuse(txn, EXIT_USAGE, "job %s is an array: name an element, as in %s_7",
			     job, job);
	else if (!row || !past->spec)
		reply_refuse(txn, EXIT_NOT_FOUND, "there is no element %s that has ended", job);
	else if (!may_read(txn, row))
		reply_refuse(txn, EXIT_DENIED, "the output of job %s is shown only to %s", job,
			     row->user);
	else if (!row->n_nodes)
		reply_refuse(txn, EXIT_REFUSED, "job %s never started: it has no output", job);
	else if (m->task >= row->n_nodes)
		reply_refuse(txn, EXIT_USAGE, "task %u: job %s had tasks 0 to %zu", m->task, job,
			     row->n_nodes - 1);
	else
		read_past(txn, m, row, past->spec);
}

/* ---- the requests ---- */

static void of_memory(struct txn *txn, const struct job *j, const Armada__OutputRequest *m)
{
	const struct element *e = element_find(j, m->element);
	const char *job = name_of(txn, m);

	if (!rights_may(txn, txn->in->caller, VERB_SECRET, j, NULL))
		reply_refuse(txn, EXIT_DENIED, "the output of job %s is shown only to %s", job,
			     j->user->name);
	else if (j->spec->array && !m->has_element)
		reply_refuse(txn, EXIT_USAGE, "job %s is an array: name an element, as in %s_7",
			     job, job);
	else if (rangeset_contains(&j->waiting, m->element))
		reply_refuse(txn, EXIT_REFUSED, "job %s waits: it has not started%s", job,
			     e && e->attempt ? " again" : "");
	else if (!e || !e->task_count)
		look_up(txn, m); /* it has ended, or is none */
	else if (check_task(txn, e, m))
		read_task(txn, &e->tasks[m->task], m);
}

void req_output(struct txn *txn, const Armada__OutputRequest *m)
{
	const struct job *j = job_find(txn->state, m->job);

	if (txn->in->finished_count)
		of_history(txn, m);
	else if (j && rights_sees(txn, j))
		of_memory(txn, j, m);
	else
		look_up(txn, m);
}

void req_output_read(struct txn *txn, const Armada__OutputRead *m)
{
	if (!output_reads_answer(txn, m))
		txn->live->stale++;
}
