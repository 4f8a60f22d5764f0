#include "sched/ends.h"
#include "sched/parts.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

uint64_t job_waiting(const struct job *j)
{
	if (j->many)
		return j->set->total;
	return j->first <= j->last ? (uint64_t)j->last - j->first + 1 : 0;
}

bool job_range(const struct job *j, uint32_t i, struct range *ret_range)
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
	return ((const struct sched *)arg)->jobs[job].id == *(const uint64_t *)what;
}

uint32_t view_job_find(const struct sched *s, uint64_t id)
{
	return map_find(&s->job_map, hash_u64(id), same_job, s, &id);
}

/* Count in (1) or out (-1) what the job asks for with its waiting elements. */
void job_count_demand(struct sched *s, uint32_t job, int sign)
{
	const struct job *j = &s->jobs[job];
	const struct lane *l = &s->lanes[j->lane];
	__int128 times = (__int128)job_waiting(j) * sign;
	uint32_t n;
	const uint32_t *parts = key_parts(s, &l->key, &n);

	if (j->held || !times)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const struct key *p = &s->keys[parts[i]];

		for (size_t r = 0; r < s->dims; r++)
			s->queues[l->queue].demand[p->class * s->dims + r] +=
				times * p->members * key_request(s, parts[i])[r];
	}
}

static bool throttled(const struct job *j)
{
	return j->throttle && j->running >= j->throttle;
}

/* A job that is gone, or was told of meanwhile, is noted no more, and each of the others once. */
static void sweep_notes(struct sched *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->note_count; i++) {
		struct job *j = &s->jobs[s->notes[i]];

		if (j->noted)
			s->notes[n++] = s->notes[i];
		j->noted = false;
	}
	for (size_t i = 0; i < n; i++)
		s->jobs[s->notes[i]].noted = true;
	s->note_count = n;
}

/* Something changed: in or out of the lane, and a word to the user if it is out. */
void job_settle(struct sched *s, uint32_t job)
{
	struct job *j = &s->jobs[job];
	bool waits = job_waiting(j) > 0, ready = waits && !j->held && !throttled(j);

	if (ready && !j->ready)
		lane_insert(s, job);
	if (!ready && j->ready)
		lane_remove(s, job);
	if (!waits || ready || j->noted)
		return;
	if (s->note_count > 2 * s->job_count)
		sweep_notes(s);
	GROW(s->notes, s->note_cap, s->note_count + 1);
	s->notes[s->note_count++] = job;
	j->noted = true;
}

uint32_t job_place(struct sched *s)
{
	uint32_t job = s->job_free;

	if (job != NIL) {
		s->job_free = s->jobs[job].left;
		return job;
	}
	GROW(s->jobs, s->job_cap, s->job_count + 1);
	return (uint32_t)s->job_count++;
}

/* Where it stands, of whomever it is. */
static uint32_t find_lane(struct sched *s, const struct sched_job *in, uint32_t queue,
			  uint32_t tenant)
{
	return lane_intern(s, (struct lane_name){.queue = queue,
						 .key = key_intern(s, in),
						 .who = tenant_who(s, in->id, queue, tenant),
						 .elements = in->elements ? in->elements : 1});
}

void sched_job_add(struct sched *s, const struct sched_job *in)
{
	uint32_t queue = view_queue_find(s, in->queue), job, tenant;

	assert(queue != NIL);
	if (view_job_find(s, in->id) != NIL)
		return;
	job = job_place(s);
	tenant = tenant_intern(s, queue, in->user);
	s->jobs[job] = (struct job){
		.id = in->id,
		.priority = in->priority,
		.submit_us = in->submit_us,
		.grace_ms = grace_ms(in),
		.lasts_us = time_taken(in),
		.first = 1,
		.last = 0,
		.lane = find_lane(s, in, queue, tenant),
		.tenant = tenant,
		.left = NIL,
		.right = NIL,
		.up = NIL,
		.throttle = in->throttle,
		.tasks_each = in->tasks_per_member < UINT16_MAX ? (uint16_t)in->tasks_per_member
								: UINT16_MAX,
	};
	s->lanes[s->jobs[job].lane].jobs++;
	s->queues[queue].jobs++;
	map_add(&s->job_map, hash_u64(in->id), job);
	if (in->id & SCHED_TASK_IDS)
		tenant_vacancy(s, job, 1);
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

void sched_job_remove(struct sched *s, uint64_t id)
{
	uint32_t job = view_job_find(s, id), lane, queue;

	if (job == NIL)
		return;
	assert(!s->jobs[job].running);
	job_count_demand(s, job, -1);
	if (id & SCHED_TASK_IDS)
		tenant_vacancy(s, job, -1);
	if (s->jobs[job].ready)
		lane_remove(s, job);
	free_set(&s->jobs[job]);
	lane = s->jobs[job].lane;
	queue = s->lanes[lane].queue;
	s->lanes[lane].jobs--;
	lane_release(s, lane);
	tenant_release(s, s->jobs[job].tenant);
	s->queues[queue].jobs--;
	queue_release(s, queue);
	map_remove(&s->job_map, hash_u64(id), job);
	s->jobs[job] = (struct job){.left = s->job_free, .lane = NIL};
	s->job_free = job;
}

void sched_job_hold(struct sched *s, uint64_t id, bool held)
{
	uint32_t job = view_job_find(s, id);

	if (job == NIL || s->jobs[job].held == held)
		return;
	job_count_demand(s, job, -1);
	s->jobs[job].held = held;
	job_count_demand(s, job, 1);
	job_settle(s, job);
}

/* From one range to a set, before the first change that one range cannot express. */
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

/* And back. */
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

void sched_wait(struct sched *s, uint64_t id, uint32_t first, uint32_t last, uint32_t step)
{
	uint32_t job = view_job_find(s, id);

	if (job == NIL || first > last)
		return;
	job_count_demand(s, job, -1);
	if (step <= 1)
		add_range(&s->jobs[job], first, last);
	for (uint64_t i = first; step > 1 && i <= last; i += step)
		add_range(&s->jobs[job], (uint32_t)i, (uint32_t)i);
	reduce_set(&s->jobs[job]);
	job_count_demand(s, job, 1);
	job_settle(s, job);
}

void job_unwait(struct sched *s, uint32_t job, uint32_t first, uint32_t last)
{
	job_count_demand(s, job, -1);
	drop_range(&s->jobs[job], first, last);
	reduce_set(&s->jobs[job]);
	job_count_demand(s, job, 1);
}

void sched_unwait(struct sched *s, uint64_t id, uint32_t first, uint32_t last)
{
	uint32_t job = view_job_find(s, id);

	if (job == NIL || first > last)
		return;
	job_unwait(s, job, first, last);
	job_settle(s, job);
}

/* Those that wait, one by one, into another record. */
static void move_waiting(struct sched *s, uint64_t id, const struct rangeset *waiting, bool held)
{
	for (size_t i = 0; i < waiting->count; i++)
		sched_wait(s, id, waiting->ranges[i].lo, waiting->ranges[i].hi, 1);
	sched_job_hold(s, id, held);
}

void sched_job_change(struct sched *s, const struct sched_job *in)
{
	uint32_t job = view_job_find(s, in->id);
	struct sched_job with = *in;
	struct rangeset waiting = {0};
	char *user CLEANUP_FREE = NULL;
	struct range r;
	struct job *j;
	bool held;

	if (job == NIL)
		return;
	j = &s->jobs[job];
	if (j->running) {
		if (j->ready)
			lane_remove(s, job);
		if (j->priority != in->priority)
			roster_forget(s, s->lanes[j->lane].queue);
		j->priority = in->priority;
		j->throttle = in->throttle;
		job_settle(s, job);
		return;
	}
	for (uint32_t i = 0; job_range(j, i, &r); i++)
		rangeset_add(&waiting, r.lo, r.hi);
	held = j->held;
	with.submit_us = j->submit_us;
	with.user = user = j->tenant == NIL ? NULL : xstrdup(tenant_name(s, j->tenant));
	sched_job_remove(s, in->id);
	sched_job_add(s, &with);
	move_waiting(s, in->id, &waiting, held);
	rangeset_done(&waiting);
}
