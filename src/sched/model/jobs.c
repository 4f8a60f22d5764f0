/*
 * Jobs: their requests and their waiting elements.
 *
 * Input: the calls of sched.h about jobs. Output: the job in its subqueue while it is ready, and
 * the demand of its queue. Waiting elements are one range, or a rangeset if there are several
 * ranges. After each change jobs_settle puts the job into its subqueue or removes it. A job that is
 * not ready is noted, so that the next round gives it its reason, once.
 */
#include "sched/model/job_reshape.h"
#include "sched/model/jobs.h"
#include "sched/model/keepers.h"
#include "sched/model/model.h"
#include "sched/model/table.h"

#include <assert.h>

uint64_t jobs_waiting(const struct job *j)
{
	if (j->many)
		return j->set->total;
	return j->first <= j->last ? (uint64_t)j->last - j->first + 1 : 0;
}

bool jobs_range(const struct job *j, uint32_t i, struct range *ret_range)
{
	if (j->many && i < j->set->count) {
		*ret_range = j->set->ranges[i];
		return true;
	}
	if (j->many || i || j->first > j->last)
		return false;
	*ret_range = (struct range){j->first, j->last};
	return true;
}

static bool same_job(const void *arg, uint32_t job, const void *what)
{
	return ((const struct model *)arg)->jobs.list[job].id == *(const uint64_t *)what;
}

uint32_t jobs_with_id(const struct model *m, uint64_t id)
{
	return map_find(&m->jobs.map, hash_u64(id), same_job, m, &id);
}

struct gang_member *jobs_member(const struct model *m, uint32_t job)
{
	return job != NIL && m->jobs.list[job].is_member ? m->jobs.list[job].member : NULL;
}

/* The request of a job of a gang is counted with the gang. */
void jobs_count_demand(struct model *m, uint32_t job, int sign)
{
	const struct job *j = &m->jobs.list[job];
	const struct subqueue *l = &m->subqueues.list[j->subqueue];
	__int128 times = (__int128)jobs_waiting(j) * sign;
	uint32_t n;
	const uint32_t *parts = job_shape_parts(m, &l->shape, &n);

	if (j->is_member)
		gang_jobs_count(m, j->member, sign);
	if (j->is_member || j->held || !times)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const struct job_shape *p = &m->shapes.list[parts[i]];

		for (size_t r = 0; r < m->dims; r++)
			m->queues.list[l->queue].demand[p->class * m->dims + r] +=
				times * p->members * job_shape_request(m, parts[i])[r];
	}
	for (size_t r = 0; m->shapes.list[l->shape].licenses && r < m->dims; r++)
		m->queues.list[l->queue].demand[m->shapes.list[l->shape].class * m->dims + r] +=
			times * m->shapes.list[l->shape].licenses[r];
}

static bool throttled(const struct job *j)
{
	return j->throttle && j->running >= j->throttle;
}

/* Remove duplicates, removed jobs, and jobs that have their reason from the notes. */
static void sweep_notes(struct model *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->jobs.note_count; i++) {
		struct job *j = &m->jobs.list[m->jobs.notes[i]];

		if (j->noted)
			m->jobs.notes[n++] = m->jobs.notes[i];
		j->noted = false;
	}
	for (size_t i = 0; i < n; i++)
		m->jobs.list[m->jobs.notes[i]].noted = true;
	m->jobs.note_count = n;
}

/* After a change: put the job into its subqueue, or remove it and note it. */
void jobs_settle(struct model *m, uint32_t job)
{
	struct job *j = &m->jobs.list[job];
	bool waits = jobs_waiting(j) > 0, ready = waits && !j->held && !throttled(j);

	if (j->is_member) {
		gang_jobs_touch(m, j->member);
		return;
	}
	if (ready && !j->ready)
		subqueue_insert(m, job);
	if (!ready && j->ready)
		subqueue_remove(m, job);
	if (!waits || ready || j->noted)
		return;
	if (m->jobs.note_count > 2 * m->jobs.count)
		sweep_notes(m);
	GROW(m->jobs.notes, m->jobs.note_cap, m->jobs.note_count + 1);
	m->jobs.notes[m->jobs.note_count++] = job;
	j->noted = true;
}

uint32_t jobs_place(struct model *m)
{
	return TABLE_PLACE(&m->jobs, left);
}

/* The subqueue of the job's queue, shape, user and account. */
static uint32_t find_subqueue(struct model *m, const struct sched_job *in, uint32_t queue,
			      uint32_t queue_user, uint32_t account_user)
{
	bool replaces = jobs_replaces(in->id, in->turn);

	return subqueue_intern(
		m, (struct subqueue_name){.queue = queue,
					  .shape = job_shape_intern(m, in),
					  .owner = users_quota_user(m, replaces, queue, queue_user),
					  .payer = accounts_payer(m, replaces, account_user),
					  .elements = in->turn       ? 0
						      : in->elements ? in->elements
								     : 1});
}

uint32_t jobs_add(struct model *m, const struct sched_job *in)
{
	uint32_t queue = queues_find(m, in->queue), job, queue_user, account_user;

	assert(queue != NIL);
	queue_user = users_join(m, queue, in->user);
	if (in->exclusive_user)
		keepers_count(m, queue_user, 1);
	account_user = accounts_join(m, in->account, queue_user);
	job = jobs_place(m);
	m->jobs.list[job] = (struct job){
		.id = in->id,
		.priority = in->priority,
		.submit_us = in->submit_us,
		.grace_ms = jobs_grace_ms(in),
		.lasts_us = jobs_time_taken(in),
		.least_s = jobs_least_s(in),
		.first = 1,
		.last = 0,
		.subqueue = find_subqueue(m, in, queue, queue_user, account_user),
		.queue_user = queue_user,
		.account_user = account_user,
		.left = NIL,
		.right = NIL,
		.up = NIL,
		.throttle = in->throttle,
		.turn = in->turn,
		.tasks_each = in->tasks_per_member < UINT16_MAX ? (uint16_t)in->tasks_per_member
								: UINT16_MAX,
	};
	m->subqueues.list[m->jobs.list[job].subqueue].jobs++;
	m->queues.list[queue].jobs++;
	m->jobs.extras += in->turn > 0;
	return job;
}

void sched_job_add(struct sched *s, const struct sched_job *in)
{
	struct model *m = model_of(s);
	const struct constraint *wants;
	struct reshape r;
	uint32_t job;

	if (jobs_with_id(m, in->id) != NIL)
		return;
	wants = m->queues.list[queues_find(m, in->queue)].constraint;
	job_reshape_copy(in, &r);
	if (wants)
		job_reshape_for_queue(&r, wants);
	job = jobs_add(m, &r.as);
	job_reshape_done(&r);
	map_add(&m->jobs.map, hash_u64(in->id), job);
	if (in->gang)
		gang_jobs_join(m, job, in->gang);
	if (jobs_replaces(in->id, in->turn))
		users_count_replacement(m, job, 1);
}

static void free_set(struct job *j)
{
	if (!j->many)
		return;
	rangeset_done(j->set);
	free(j->set);
	j->many = false;
	j->first = 1;
	j->last = 0;
}

void jobs_remove(struct model *m, uint32_t job)
{
	uint32_t subqueue, queue, queue_user = m->jobs.list[job].queue_user;
	bool keeps = m->shapes.list[jobs_shape(m, job)].exclusive_user;

	assert(!m->jobs.list[job].running);
	jobs_count_demand(m, job, -1);
	if (m->jobs.list[job].is_member)
		gang_jobs_leave(m, m->jobs.list[job].member);
	if (m->jobs.list[job].ready)
		subqueue_remove(m, job);
	free_set(&m->jobs.list[job]);
	subqueue = m->jobs.list[job].subqueue;
	queue = m->subqueues.list[subqueue].queue;
	m->subqueues.list[subqueue].jobs--;
	subqueue_release(m, subqueue);
	accounts_leave(m, m->jobs.list[job].account_user);
	m->queues.list[queue].jobs--;
	queues_release(m, queue);
	m->jobs.extras -= m->jobs.list[job].turn > 0;
	m->jobs.list[job] = (struct job){.left = m->jobs.unused, .subqueue = NIL};
	m->jobs.unused = job;
	if (keeps)
		keepers_count(m, queue_user, -1);
	users_leave(m, queue_user);
}

void sched_job_remove(struct sched *s, uint64_t id)
{
	struct model *m = model_of(s);
	uint32_t job = jobs_with_id(m, id);

	if (job == NIL)
		return;
	if (jobs_replaces(id, m->jobs.list[job].turn))
		users_count_replacement(m, job, -1);
	map_remove(&m->jobs.map, hash_u64(id), job);
	displaced_forget_job(m, id);
	jobs_remove(m, job);
}

void jobs_hold(struct model *m, uint32_t job, bool held)
{
	if (m->jobs.list[job].held == held)
		return;
	jobs_count_demand(m, job, -1);
	m->jobs.list[job].held = held;
	jobs_count_demand(m, job, 1);
	jobs_settle(m, job);
}

void sched_job_hold(struct sched *s, uint64_t id, bool held)
{
	struct model *m = model_of(s);
	uint32_t job = jobs_with_id(m, id);

	if (job != NIL)
		jobs_hold(m, job, held);
}

/* Stores the waiting elements as a set, before the first change that makes them more than one range. */
static struct rangeset *make_set(struct job *j)
{
	struct rangeset *set;

	if (j->many)
		return j->set;
	set = xcalloc(1, sizeof(*set));
	if (j->first <= j->last)
		rangeset_add(set, j->first, j->last);
	j->set = set;
	j->many = true;
	return set;
}

/* Stores the waiting elements as one range again, if they are one. */
static void reduce_set(struct job *j)
{
	struct range r = {1, 0};

	if (!j->many || j->set->count > 1)
		return;
	if (j->set->count)
		r = j->set->ranges[0];
	free_set(j);
	j->first = r.lo;
	j->last = r.hi;
}

static void add_range(struct job *j, uint32_t first, uint32_t last)
{
	if (!j->many && j->first > j->last) {
		j->first = first;
		j->last = last;
	} else {
		rangeset_add(make_set(j), first, last);
	}
}

static void drop_range(struct job *j, uint32_t first, uint32_t last)
{
	if (!j->many && first <= j->first && last >= j->last) {
		j->first = 1;
		j->last = 0;
	} else if (!j->many && first <= j->first && last >= j->first && j->first <= j->last) {
		j->first = last + 1;
	} else {
		rangeset_remove(make_set(j), first, last);
	}
}

void jobs_wait(struct model *m, uint32_t job, uint32_t first, uint32_t last, uint32_t step)
{
	jobs_count_demand(m, job, -1);
	if (step <= 1)
		add_range(&m->jobs.list[job], first, last);
	for (uint64_t i = first; step > 1 && i <= last; i += step)
		add_range(&m->jobs.list[job], (uint32_t)i, (uint32_t)i);
	reduce_set(&m->jobs.list[job]);
	jobs_count_demand(m, job, 1);
	jobs_settle(m, job);
}

void sched_wait(struct sched *s, uint64_t id, uint32_t first, uint32_t last, uint32_t step)
{
	struct model *m = model_of(s);
	uint32_t job = jobs_with_id(m, id);

	if (job != NIL && first <= last)
		jobs_wait(m, job, first, last, step);
}

void jobs_unwait(struct model *m, uint32_t job, uint32_t first, uint32_t last)
{
	jobs_count_demand(m, job, -1);
	drop_range(&m->jobs.list[job], first, last);
	reduce_set(&m->jobs.list[job]);
	jobs_count_demand(m, job, 1);
}

void sched_unwait(struct sched *s, uint64_t id, uint32_t first, uint32_t last)
{
	struct model *m = model_of(s);
	uint32_t job = jobs_with_id(m, id);

	if (job == NIL || first > last)
		return;
	jobs_unwait(m, job, first, last);
	jobs_settle(m, job);
}

/* Move the waiting elements, one by one, to another record. */
static void move_waiting(struct sched *s, uint64_t id, const struct rangeset *waiting, bool held)
{
	for (size_t i = 0; i < waiting->count; i++)
		sched_wait(s, id, waiting->ranges[i].lo, waiting->ranges[i].hi, 1);
	sched_job_hold(s, id, held);
}

void sched_job_change(struct sched *s, const struct sched_job *in)
{
	struct model *m = model_of(s);
	uint32_t job = jobs_with_id(m, in->id);
	struct sched_job with = *in;
	struct rangeset waiting = {0};
	char *user CLEANUP_FREE = NULL;
	struct range r;
	struct job *j;
	bool held;

	if (job == NIL)
		return;
	j = &m->jobs.list[job];
	if (j->is_member) {
		gang_jobs_reorder(m, j->member, in->priority);
		return;
	}
	if (j->running) {
		if (j->ready)
			subqueue_remove(m, job);
		if (j->priority != in->priority)
			running_list_forget(m, m->subqueues.list[j->subqueue].queue);
		j->priority = in->priority;
		j->throttle = in->throttle;
		tasks_change_times(m, job, in);
		jobs_settle(m, job);
		return;
	}
	for (uint32_t i = 0; jobs_range(j, i, &r); i++)
		rangeset_add(&waiting, r.lo, r.hi);
	held = j->held;
	with.submit_us = j->submit_us;
	with.user = user = j->queue_user == NIL ? NULL : xstrdup(users_name(m, j->queue_user));
	sched_job_remove(s, in->id);
	sched_job_add(s, &with);
	move_waiting(s, in->id, &waiting, held);
	rangeset_done(&waiting);
}

void jobs_describe(const struct model *m, uint32_t job, struct sched_job *ret)
{
	const struct job *j = &m->jobs.list[job];
	const struct subqueue *l = &m->subqueues.list[j->subqueue];

	job_shape_describe(m, l->shape, ret);
	ret->id = j->id;
	ret->queue = m->queues.list[l->queue].name;
	ret->user = j->queue_user == NIL ? NULL : users_name(m, j->queue_user);
	ret->account = j->account_user == NIL ? NULL : accounts_name(m, j->account_user);
	ret->priority = j->priority;
	ret->submit_us = j->submit_us;
	ret->time_limit_us = j->lasts_us ? j->lasts_us - j->grace_ms * INT64_C(1000) : 0;
	ret->time_min_us = j->least_s * INT64_C(1000000);
	ret->grace_us = j->grace_ms * INT64_C(1000);
	ret->throttle = j->throttle;
	ret->turn = j->turn;
	ret->tasks_per_member = j->tasks_each;
}
