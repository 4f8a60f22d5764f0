/*
 * UPDATE_JOB: changes waiting jobs, each job as a whole or not at all.
 *
 * proto/update_table.h has the fields. While elements run, only fields can change on which no
 * running element depends; a restart also changes what the tasks are (lifecycle/job_restart.h). The
 * changed job is checked like a submission, by the same code, for the queue and class that it has after
 * the change.
 */
#include "core/admission/bounds.h"
#include "core/admission/dependencies.h"
#include "core/admission/job.h"
#include "core/admission/pending_quota.h"
#include "core/admission/time_extension.h"
#include "core/lifecycle/elastic_scale.h"
#include "core/lifecycle/job_restart.h"
#include "core/lifecycle/orders.h"
#include "core/lifecycle/task_failure_policy.h"
#include "core/request/bulk.h"
#include "core/request/request.h"
#include "core/request/update_template.h"
#include "core/state/dependents.h"
#include "core/state/same_name_index.h"
#include "core/txn/emit.h"
#include "core/txn/reply.h"
#include "core/view/filter.h"
#include "core/view/rights.h"
#include "proto/update_table.h"
#include "util/mem.h"
#include "util/plural.h"

#include <string.h>

#define BIT(name) (1u << UPDATE_FIELD(name))
#define NO_OPTION(...)

/*
 * When a field can be changed, the least restrictive first: all, some or no elements may run. TEMPLATE:
 * none, or the job is restarted.
 */
enum when { WHEN_RUN, WHEN_REMAINING, WHEN_TEMPLATE, WHEN_PENDING, WHENS };
enum { ALONE = false, GANG = true };

#define FIELD(name, words, when, gang, right, ...)                                                 \
	{BIT(name), words, WHEN_##when, gang, VERB_##right},
static const struct field {
	unsigned bit;
	const char *name;
	enum when when;
	bool gang; /* can also change for a member of a gang of jobs */
	enum verb right;
} fields[] = {UPDATE_TABLE(FIELD, NO_OPTION)};

#define OR_BIT(name, ...) | BIT(name)
enum { KNOWN = 0 UPDATE_TABLE(OR_BIT, NO_OPTION) };

static unsigned template_bits(void)
{
	unsigned bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].when == WHEN_TEMPLATE)
			bits |= fields[i].bit;
	return bits;
}

enum { ORDERS_AT_ONCE = 2000 };

struct update {
	struct txn *txn;
	struct bulk bulk;
	const Armada__UpdateJobRequest *m;
	Armada__UpdateJobReply reply;
	unsigned mask;   /* bits of fields */
	uint64_t orders; /* settings orders so far */
};

static bool all_runs(const struct job *j)
{
	return !j->waiting.total;
}

/* True if the change ends the running elements of the job. */
static bool restarts(const struct update *u, const struct job *j)
{
	return u->m->restart && u->mask & template_bits() && running_elements(j);
}

/* True if the running elements of the job are scaled in place. */
static bool scales(const struct update *u, const struct job *j)
{
	return u->mask & (BIT(TASKS) | BIT(MIN_TASKS) | BIT(GROUPS)) && j->spec->elastic &&
	       running_elements(j) && !restarts(u, j);
}

static int check_restart(const struct field *f, struct err *err)
{
	if (f->when == WHEN_TEMPLATE || f->bit == BIT(REQUEUE))
		return 0;
	return err_set(err, -EINVAL,
		       "%s: %s; the restart changes the job later: give this in another update",
		       f->name,
		       f->when == WHEN_PENDING ? "elements of the job run" : "it changes at once");
}

static int check_field(const struct update *u, const struct field *f, const struct job *j,
		       struct err *err)
{
	const char *hint = f->when == WHEN_TEMPLATE ? "; --restart would restart it whole" : "";

	if (f->bit == BIT(THROTTLE) && !j->spec->array)
		return err_set(err, -EINVAL, "a throttle is only for arrays");
	if (j->gang && !f->gang)
		return err_set(err, -EINVAL,
			       "%s: it is a member of gang %s, whose members must stay equal",
			       f->name, j->spec->gang->id);
	if (restarts(u, j))
		return check_restart(f, err);
	if ((f->bit == BIT(MIN_TASKS) && all_runs(j)) ||
	    (f->bit & (BIT(TASKS) | BIT(MIN_TASKS) | BIT(GROUPS)) && j->spec->elastic))
		return 0;
	if (all_runs(j) && f->when > WHEN_RUN)
		return err_set(err, -EINVAL, "%s: the job has started%s", f->name, hint);
	if (running_elements(j) && f->when > WHEN_REMAINING)
		return err_set(err, -EINVAL, "%s: elements of the job run%s", f->name, hint);
	return 0;
}

static int check_fields(const struct update *u, const struct job *j, struct err *err)
{
	int rc = 0;

	for (int when = 0; when < WHENS; when++)
		for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(fields); i++)
			if (u->mask & fields[i].bit && fields[i].when == (enum when)when)
				rc = check_field(u, &fields[i], j, err);
	return rc;
}

#define NO_MEMBER
#define ONE(member) to->member = from->member;
#define LIST(list)  ONE(list) ONE(n_##list)
#define TAKE(name, words, when, gang, right, members, ...)                                         \
	if (u->mask & BIT(name)) {                                                                 \
		members                                                                            \
	}

static int change_spec(struct update *u, Armada__JobSpec *to, struct err *err)
{
	const Armada__JobSpec *from = u->m->spec;

	int64_t limit_s = to->time_limit_s;
	int rc = 0;

	UPDATE_TABLE(TAKE, NO_OPTION)
	if (u->mask & BIT(TIME_LIMIT) && u->m->time_relative)
		rc = time_extension_add(limit_s, from->time_limit_s, &to->time_limit_s, err);
	if (rc < 0)
		return rc;
	return update_template(u->txn, u->m, u->mask, to, err);
}

static int check_empty(const struct update *u, const Armada__JobSpec *to, struct err *err)
{
	if (!to->name[0])
		return err_set(err, -EINVAL, "name: a job needs a name");
	if (u->mask & BIT(QUEUE) && !to->queue[0])
		return err_set(err, -EINVAL, "queue: a job needs a queue");
	if (u->mask & BIT(PRIORITY_CLASS) && !to->priority_class[0])
		return err_set(err, -EINVAL, "priority class: a job needs a class");
	return 0;
}

/* The cost of a rename: a walk over the jobs of the new name finds the job's place. */
static int64_t rename_work(const struct update *u, const struct job *j, const char *name)
{
	const struct same_name *n;

	if (!(u->mask & BIT(NAME)) || strcmp(j->spec->name, name) == 0)
		return 0;
	n = same_name_find(u->txn->state, j->user->uid, name);
	return n ? (int64_t)n->count : 0;
}

static bool waits_as_singleton(const struct job *j)
{
	const struct depend *d = j->depend;

	for (uint32_t i = 0; d && i < d->edge_count; i++)
		if (d->edges[i].type == DEPENDENCY(SINGLETON) && d->edges[i].state == DEPEND_WAITS)
			return true;
	return false;
}

/*
 * Refuses a new name if a later job waits for all earlier jobs of that name (singleton) and this
 * job has dependencies itself: the two could wait for each other.
 */
static int check_name(const struct update *u, const struct job *j, const Armada__JobSpec *to,
		      struct err *err)
{
	const struct same_name *n;
	const struct job *o;

	if (strcmp(j->spec->name, to->name) == 0 || (!j->depend && !to->n_dependencies))
		return 0;
	n = same_name_find(u->txn->state, j->user->uid, to->name);
	if (!n)
		return 0;
	TAILQ_FOREACH (o, &n->jobs, by_name)
		if (o->id > j->id && waits_as_singleton(o))
			return err_set(err, -EINVAL,
				       "name: job %" PRIu64
				       " waits for all earlier jobs of that name, and this job has "
				       "dependencies",
				       o->id);
	return 0;
}

static int check_circle(struct update *u, const struct job *j, const Armada__JobSpec *to,
			struct err *err)
{
	if (!(u->mask & BIT(DEPENDENCIES)) || !dependencies_cycle(u->txn, j, to, &u->bulk.work))
		return 0;
	return err_set(err, -EINVAL, "dependency: the job would wait for itself");
}

/* The dependencies after the change. Unchanged ones keep their state. */
static Armada__JobWaits *change_waits(struct update *u, const struct job *j,
				      const Armada__JobSpec *to)
{
	Armada__JobWaits *w = waits_of(j, u->txn->arena);

	if (!w || u->mask & BIT(DEPENDENCIES)) {
		Armada__JobSpec said = *to;
		Armada__JobWaits *now;

		if (!(u->mask & BIT(DEPENDENCIES)))
			said.n_dependencies = 0;
		now = dependencies_now(u->txn, &said, j, j->user->uid);
		now->keep = w && w->keep;
		now->begin_us = w ? w->begin_us : 0;
		w = now;
	} else if (strcmp(j->spec->name, to->name) != 0) {
		dependencies_rename(u->txn, w, to, j);
	}
	if (u->mask & BIT(BEGIN))
		w->begin_us = to->begin_us;
	if (u->mask & BIT(KEEP_INVALID))
		w->keep = u->m->spec->keep_invalid_dependency;
	return w;
}

static bool changes_waits(const struct update *u, const struct job *j, const Armada__JobSpec *to)
{
	if (u->mask & (BIT(DEPENDENCIES) | BIT(BEGIN)))
		return true;
	if (u->mask & BIT(KEEP_INVALID) && j->depend)
		return true;
	return strcmp(j->spec->name, to->name) != 0 && waits_as_singleton(j);
}

/* Orders that do not go now leave with a later heartbeat of the node. */
static void send_settings(struct update *u, const struct job *j)
{
	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];

		for (uint32_t k = 0; k < e->task_count && u->orders < ORDERS_AT_ONCE; k++)
			if (e->tasks[k].state == TASK_STARTED && !e->why) {
				order_settings_task(u->txn, &e->tasks[k]);
				u->orders++;
			}
	}
}

static bool is_cancelled(const struct job *j)
{
	for (size_t i = 0; i < j->element_count; i++)
		if (j->elements[i]->task_count &&
		    j->elements[i]->why != ARMADA__END_REASON__ENDING_CANCEL)
			return false;
	return !j->waiting.total;
}

static int check_restarts(const struct update *u, const struct job *j, const Armada__JobSpec *to,
			  struct err *err)
{
	if (!restarts(u, j))
		return 0;
	if (to->interactive)
		return err_set(err, -EINVAL, "restart: it belongs to an arun that waits for it");
	if (to->no_requeue)
		return err_set(err, -EINVAL,
			       "restart: it was submitted with --no-requeue; add --requeue");
	if (is_cancelled(j))
		return err_set(err, -EINVAL, "restart: it is being cancelled");
	return 0;
}

static void restart_job(struct update *u, const struct job *j, const Armada__JobSpec *to)
{
	const struct caller *who = u->txn->in->caller;

	job_restart(u->txn, j, to,
		    arena_printf(u->txn->arena, "restarted with changes by %s",
				 who->user ? who->user : "its owner"));
}

/* A job that runs has its minimum. */
static int check_minimum(const struct update *u, const struct job *j, const Armada__JobSpec *to,
			 struct err *err)
{
	uint32_t each = j->spec->per_member;
	uint32_t least =
		to->min_available ? (to->min_available + each - 1) / each * each : j->spec->tasks;

	for (size_t i = 0; u->mask & BIT(MIN_TASKS) && i < j->element_count; i++) {
		const struct element *e = j->elements[i];
		uint32_t good = task_failure_good_tasks(e);

		if (e->task_count && !restarts(u, j) && good < least)
			return err_set(
				err, -EINVAL,
				"min-tasks: the job runs with %u %s; --restart would restart "
				"it whole",
				good, plural(good, "task that counts", "tasks that count"));
	}
	return 0;
}

/* Checks the changed specification, which is completed, as that of a submission. */
static int check_changed(struct update *u, const struct job *j, Armada__JobSpec *to,
			 int64_t limit_s, struct err *err)
{
	struct txn *txn = u->txn;
	int rc = check_fields(u, j, err);

	if (rc == 0)
		rc = change_spec(u, to, err);
	if (rc == 0)
		rc = check_empty(u, to, err);
	if (rc == 0 && u->mask & BIT(DEPENDENCIES))
		u->bulk.work += dependencies_work(txn, j, to);
	if (rc == 0)
		u->bulk.work += rename_work(u, j, to->name);
	if (rc == 0)
		rc = admit_update(txn, to, j, u->mask, &u->m->script, err);
	if (rc == 0 && u->mask & BIT(TIME_LIMIT))
		rc = time_extension_check(txn, j, limit_s, to, err);
	if (rc == 0)
		rc = pending_quota_move(txn, j, to, err);
	if (rc == 0)
		rc = check_name(u, j, to, err);
	if (rc == 0)
		rc = check_circle(u, j, to, err);
	if (rc == 0)
		rc = bounds_admit_update(txn, j, to, &u->m->script, restarts(u, j), err);
	if (rc == 0)
		rc = check_minimum(u, j, to, err);
	if (rc == 0 && scales(u, j)) {
		u->bulk.work += elastic_scale_work(j, to);
		rc = elastic_scale_check(j, to, err);
	}
	return rc < 0 ? rc : check_restarts(u, j, to, err);
}

static int change_job(struct update *u, const struct job *j, struct err *err)
{
	struct txn *txn = u->txn;
	Armada__JobSpec *to =
		arena_memdup(txn->arena, spec_open(txn, j->spec, txn->arena), sizeof(*to));
	int64_t limit_s = to->time_limit_s;
	Armada__JobUpdated *m;
	Armada__Event *ev;
	bool scaled;
	int rc = check_changed(u, j, to, limit_s, err);

	if (rc < 0)
		return rc;
	pending_quota_moved(txn, j, to);
	if (u->mask & BIT(PROGRAM))
		update_template_store(txn, u->m, to);
	if (restarts(u, j)) {
		dependencies_strip(to);
		restart_job(u, j, to);
		return 0;
	}
	ev = emit_make(txn, ARMADA__EVENT__KIND_JOB_UPDATED, &m);
	m->job = j->id;
	m->by_uid = txn->in->caller->uid;
	m->set_waits = changes_waits(u, j, to) && j->waiting.total;
	if (m->set_waits)
		m->waits = change_waits(u, j, to);
	dependencies_strip(to);
	m->spec = to;
	if (u->mask & BIT(TIME_LIMIT) && running_elements(j) && limit_s != to->time_limit_s) {
		m->settings = true;
		m->limit_first_s = time_extension_first(j, limit_s);
		to->time_limit_by = ARMADA__LIMIT_BY__LIMIT_BY_CHANGE;
	}
	scaled = scales(u, j);
	emit_event(txn, ev);
	if (m->settings)
		send_settings(u, j);
	if (scaled)
		elastic_scale(txn, m->job);
	return 0;
}

static void problem(struct update *u, const struct job *j, const char *text)
{
	bulk_problem(&u->bulk, "job %" PRIu64 ": %s", j->id, text);
}

static bool may_change(const struct update *u, const struct job *j)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (u->mask & fields[i].bit &&
		    !rights_may(u->txn, u->txn->in->caller, fields[i].right, j, NULL))
			return false;
	return true;
}

static void update_job(struct update *u, const struct job *j)
{
	struct err err;

	if (!may_change(u, j)) {
		u->reply.denied += u->m->filter->n_ids > 0;
		if (u->m->filter->n_ids)
			problem(u, j,
				arena_printf(u->txn->arena, "it belongs to %s", j->user->name));
	} else if (j->next) {
		u->reply.refused++;
		problem(u, j,
			"it is being restarted with an earlier change; wait until its tasks "
			"have ended");
	} else if (change_job(u, j, &err) < 0) {
		u->reply.refused++;
		problem(u, j, err.text);
	} else {
		u->reply.changed++;
	}
}

static bool refused(struct update *u)
{
	const Armada__UpdateJobRequest *m = u->m;
	struct txn *txn = u->txn;

	if (filter_pieces(m->filter))
		reply_refuse(txn, 1, "a job is changed as a whole: elements cannot be selected");
	else if (bulk_refused(txn, m->filter))
		return true;
	else if (!m->spec || !m->n_fields)
		reply_refuse(txn, 2, "no fields given");
	else
		return false;
	return true;
}

static bool is_meant(const struct bulk *b, const struct job *j)
{
	if (j->waiting.total && filter_element(b->filter, j, NULL))
		return true;
	for (size_t i = 0; i < j->element_count; i++)
		if (bulk_means(b, j->elements[i]))
			return true;
	return false;
}

void req_update_job(struct txn *txn, const Armada__UpdateJobRequest *m)
{
	struct update u = {.txn = txn, .bulk = BULK(txn, m, &u.reply), .m = m};
	const struct job *j;

	armada__update_job_reply__init(&u.reply);
	if (refused(&u))
		return;
	for (size_t i = 0; i < u.m->n_fields; i++) {
		if ((unsigned)u.m->fields[i] > 31 || !(KNOWN >> u.m->fields[i] & 1)) {
			reply_refuse(txn, 1, "field %d is not known to this controller",
				     u.m->fields[i]);
			return;
		}
		u.mask |= 1u << u.m->fields[i];
	}
	if (u.mask & BIT(DEPENDENCIES) &&
	    dependencies_ask_history(txn, (Armada__JobSpec *const *)&u.m->spec, 1, u.m))
		return;
	if (!u.m->after_id)
		u.reply.missing = filter_missing(txn, u.m->filter, &u.reply.n_missing);
	while ((j = bulk_next(&u.bulk)))
		if (is_meant(&u.bulk, j))
			update_job(&u, j);
	reply(txn, MSG_UPDATE_JOB_REPLY, &u.reply);
}
