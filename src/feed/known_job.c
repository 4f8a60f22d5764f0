/*
 * The jobs that the feed knows (internal.h): their descriptions, and their elements in the scheduler.
 *
 * Input: jobs and elements of records. Output: calls of sched.h. Caveat: the scheduler takes no other shape
 * of a job while elements of it run, so the changed job is kept (`late`) until the last one has stopped.
 */
#include "feed/known_job.h"

#include "core/state/gang.h"
#include "feed/avoid.h"
#include "feed/describe.h"
#include "feed/elastic.h"
#include "feed/task_replacement.h"
#include "proto/group_minimum.h"
#include "util/mem.h"
#include "util/steps.h"

/* NULL: no job of that id. */
struct known_job *known_job_find(const struct sched_feed *m, uint64_t id)
{
	struct known_job *j;

	HASH_FIND(hh, m->jobs, &id, sizeof(id), j);
	return j;
}

/* Stores the members of the job, and those of each group if it has several: without extra tasks. */
static void note_shape(struct known_job *k, const Armada__JobSpec *s)
{
	k->division = task_division_of(s);
	k->members = job_spec_is_elastic(s) ? s->min_available : k->division.members;
	free(k->replicas);
	k->replicas = NULL;
	if (s->n_groups < 2)
		return;
	k->group_count = (uint16_t)s->n_groups;
	k->replicas = xcalloc(s->n_groups, sizeof(*k->replicas));
	k->members = 0;
	for (size_t i = 0; i < s->n_groups; i++)
		k->members += k->replicas[i] = group_together(s, i);
}

/* The gang that the job is a member of; NULL: none. */
static const struct sched_gang *gang_of(struct sched_feed *m, const Armada__JobSubmitted *sub)
{
	const Armada__JobSpec *s = sub->spec;
	struct sched_gang gang = {.cardinality = s->gang_cardinality, .min = s->gang_min};

	if (!s->gang_id[0])
		return NULL;
	/* with the lengths, different names never give the same text; core/state/gang.h */
	gang.name = s->gang_of_queue ? arena_printf(m->arena, "%u %zu %s%s", sub->uid,
						    strlen(s->queue), s->queue, s->gang_id)
				     : arena_printf(m->arena, "%u %zu %zu %s%s%s", sub->uid,
						    strlen(s->queue), strlen(s->job_set), s->queue,
						    s->job_set, s->gang_id);
	return arena_memdup(m->arena, &gang, sizeof(gang));
}

struct known_job *known_job_add(struct sched_feed *m, const Armada__JobSubmitted *sub,
				int64_t submit_us)
{
	const Armada__JobSpec *s = sub->spec;
	struct known_job *k = xcalloc(1, sizeof(*k));
	struct sched_job j;

	k->id = sub->id;
	note_shape(k, s);
	restarts_submitted(k, sub, submit_us);
	elastic_submitted(k, sub, submit_us);
	HASH_ADD(hh, m->jobs, id, sizeof(k->id), k);
	k->gang_cardinality = s->gang_id[0] ? s->gang_cardinality : 0;
	describe_job(m, sub, submit_us, &j);
	j.gang = gang_of(m, sub);
	sched_job_add(m->sched, &j);
	return k;
}

void known_job_drop(struct sched_feed *m, struct known_job *j)
{
	restarts_free(j);
	elastic_free(j);
	avoids_free(j);
	HASH_DEL(m->jobs, j);
	free(j->replicas);
	buf_done(&j->late);
	free(j);
}

/*
 * Adds waiting elements to a job. The scheduler does not know withheld elements, except for members of gangs.
 */
void known_job_wait(struct sched_feed *m, struct known_job *k, const Armada__IndexRange *r,
		    bool withheld)
{
	k->left += steps_count(r->first, r->last, r->step);
	if (!withheld || k->gang_cardinality)
		sched_wait(m->sched, k->id, r->first, r->last, r->step ? r->step : 1);
}

static void hold_known(struct sched_feed *m, struct known_job *k)
{
	sched_job_hold(m->sched, k->id, k->held || k->withheld || k->paused || k->restarting);
}

void known_job_hold(struct sched_feed *m, uint64_t job, bool held)
{
	struct known_job *k = known_job_find(m, job);

	if (!k)
		return;
	k->held = held;
	hold_known(m, k);
	elastic_look_again(m, k);
}

/* No element starts until the update that makes the change. */
void known_job_restart(struct sched_feed *m, uint64_t job, bool begins)
{
	struct known_job *k = known_job_find(m, job);

	if (!k || k->restarting == begins)
		return;
	k->restarting = begins;
	hold_known(m, k);
}

/* To the scheduler a withheld job of a gang is a held job, so that the scheduler knows the whole gang. */
void known_job_withhold(struct sched_feed *m, struct known_job *k, bool withheld)
{
	k->withheld = withheld;
	hold_known(m, k);
}

/* The scheduler does not know a paused element. It knows a paused member of a gang as a held job. */
void known_job_pause(struct sched_feed *m, struct known_job *k, uint32_t element, bool paused)
{
	if (k->gang_cardinality) {
		k->paused = paused;
		hold_known(m, k);
	} else if (paused) {
		sched_unwait(m->sched, k->id, element, element);
	} else {
		sched_wait(m->sched, k->id, element, element, 1);
	}
}

/*
 * The member of the job that each rank belongs to. If a start left out some tasks, ranks are consecutive
 * without them within each group, so `groups` is needed to find the member.
 */
static uint32_t *members_of(struct sched_feed *m, const struct known_job *k, const uint32_t *groups,
			    size_t ranks)
{
	uint32_t *members = arena_alloc(m->arena, ranks * sizeof(*members));
	uint32_t group = 0, first = 0, next = 0;

	for (size_t i = 0; i < ranks; i++) {
		for (; k->replicas && group < groups[i]; group++) {
			first += k->replicas[group];
			next = first;
		}
		members[i] = k->replicas ? next++ : task_division_member(&k->division, (uint32_t)i);
	}
	return members;
}

/* The group of each rank. counts: the number of started tasks of each group; count 0: all tasks. */
uint32_t *known_job_groups(struct sched_feed *m, const struct known_job *k, const uint32_t *counts,
			   size_t count, size_t ranks)
{
	uint32_t *groups = arena_zalloc(m->arena, ranks, sizeof(*groups));
	size_t rank = 0;

	for (uint32_t g = 0; k->replicas && g < k->group_count; g++)
		for (uint32_t n = count ? counts[g] : k->replicas[g]; n && rank < ranks; n--)
			groups[rank++] = g;
	return groups;
}

/* nodes and groups are by rank. */
void known_job_run(struct sched_feed *m, struct known_job *k, uint32_t element, char *const *nodes,
		   const uint32_t *groups, size_t n, int64_t start_us)
{
	const uint32_t *members = members_of(m, k, groups, n);
	const char **list = arena_zalloc(m->arena, k->members, sizeof(*list));

	for (size_t i = 0; i < n; i++)
		if (members[i] < k->members)
			list[members[i]] = nodes[i];
	k->running++;
	sched_run(m->sched, k->id, element, list, start_us);
	restarts_leased(m, k, element, members, nodes, n);
}

/* While elements run, the scheduler changes only a part of the description. The rest follows here. */
void known_job_stopped(struct sched_feed *m, struct known_job *k)
{
	const Armada__JobSubmitted *sub;
	struct sched_job j;

	if (--k->running || !k->late.len)
		return;
	sub = msg_unpack_own(&armada__job_submitted__descriptor, k->late.data, k->late.len,
			     m->arena);
	note_shape(k, sub->spec);
	describe_job(m, sub, 0, &j);
	sched_job_change(m->sched, &j);
	if (k->avoid_count)
		avoids_again(m, k);
	buf_clear(&k->late);
}

/* A preempted element gives up its room at once, although its tasks may still run. */
void known_job_yield(struct sched_feed *m, uint64_t job, uint32_t element)
{
	struct known_job *k = known_job_find(m, job);

	for (uint32_t i = 0; k && i < k->members; i++)
		sched_member_yield(m->sched, job, element, i);
}

void known_job_change(struct sched_feed *m, struct known_job *k, Armada__JobSpec *spec)
{
	Armada__JobSubmitted sub = ARMADA__JOB_SUBMITTED__INIT;
	struct sched_job j;

	sub.id = k->id;
	sub.spec = spec;
	if (!elastic_runs(k))
		note_shape(k, spec);
	describe_job(m, &sub, 0, &j);
	sched_job_change(m->sched, &j);
	buf_clear(&k->late);
	if (k->running)
		msg_pack(&sub, &k->late);
	if (k->avoid_count)
		avoids_again(m, k);
	restarts_changed(m, k, &sub);
	elastic_changed(m, k, &sub);
}
