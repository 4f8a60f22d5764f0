/*
 * The data that a round reports beside its decisions, in random worlds: the job for which a job was
 * preempted, the text about it, and the figures of each queue.
 *
 *	round_report [FIRST-SEED [COUNT]]
 */
#include "tap/tap.h"
#include "unit/sched/random_world.h"
#include "util/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 6, WORLDS = 1500 };

struct tally {
	unsigned preempted, nameless, shares;
	unsigned elsewhere, bad_taker, bad_text, bad_share, bad_after;
};

static const struct random_world_job *job_of(const struct random_world *w, uint64_t id)
{
	return &w->jobs[id - 1];
}

static const struct sched_decision *start_of(const struct sched_result *res, uint64_t job,
					     uint32_t element)
{
	for (size_t i = 0; i < res->decision_count; i++)
		if (res->decisions[i].kind == SCHED_START && res->decisions[i].job == job &&
		    res->decisions[i].element == element)
			return &res->decisions[i];
	return NULL;
}

/* Whether the preempted job ran on a node of the started job. */
static bool share_node(const struct random_world *w, const struct sched_decision *lost,
		       const struct sched_decision *got)
{
	for (int t = 0; t < w->task_count; t++) {
		const struct random_world_task *task = &w->tasks[t];

		if (task->job != (int)lost->job - 1 || task->element != lost->element)
			continue;
		for (uint32_t m = 0; m < task->count; m++)
			for (size_t n = 0; task->nodes[m] >= 0 && n < got->node_count; n++)
				if (got->nodes[n] && atoi(got->nodes[n] + 1) == task->nodes[m])
					return true;
	}
	return false;
}

static int64_t urgency(const struct random_world *w, uint64_t id)
{
	for (int c = 0; c < RANDOM_WORLD_CLASSES; c++)
		if (strcmp(w->classes[c].name, job_of(w, id)->in.class_name) == 0)
			return w->classes[c].priority;
	bail("there is no such class");
}

/* The text names queues, shares and the job that has the room. */
static bool text_is_whole(const struct random_world *w, const struct sched_decision *d)
{
	char text[64];

	if (!d->text)
		return false;
	snprintf(text, sizeof(text), "queue %s", job_of(w, d->job)->in.queue);
	if (!d->for_job)
		return strstr(d->text, text) && strstr(d->text, " % of the cluster (share ");
	snprintf(text, sizeof(text), "job %llu%s", (unsigned long long)d->for_job,
		 d->for_element ? "_" : " ");
	if (!strstr(d->text, text))
		return false;
	snprintf(text, sizeof(text), "queue %s", job_of(w, d->for_job)->in.queue);
	return strstr(d->text, text) && (strstr(d->text, " % of the cluster (share ") ||
					 strstr(d->text, " more urgent than "));
}

/* Whether the preempted job is less urgent than the started job. */
static bool overlooked(const struct random_world *w, const struct sched_result *res,
		       const struct sched_decision *d)
{
	if (strcmp(d->why, "urgency") != 0 || urgency(w, d->for_job) > urgency(w, d->job))
		return false;
	for (size_t i = 0; i < res->decision_count; i++)
		if (res->decisions[i].kind == SCHED_START && share_node(w, d, &res->decisions[i]) &&
		    urgency(w, res->decisions[i].job) > urgency(w, d->job))
			return true;
	return false;
}

static void judge_preempted(const struct random_world *w, const struct sched_result *res,
			    const struct sched_decision *d, struct tally *t)
{
	const struct sched_decision *taker = start_of(res, d->for_job, d->for_element);

	t->preempted++;
	t->nameless += !d->for_job;
	t->bad_text += !text_is_whole(w, d);
	if (!d->for_job)
		return;
	if (!taker) {
		diag("%llu.%u for %llu.%u: nobody", (unsigned long long)d->job, d->element,
		     (unsigned long long)d->for_job, d->for_element);
		t->bad_taker++;
	}
	/* It may have displaced the one that displaced this job, elsewhere. */
	t->elsewhere += taker && !share_node(w, d, taker);
	t->bad_taker += overlooked(w, res, d);
	if (strstr(d->text, "more urgent") && urgency(w, d->for_job) <= urgency(w, d->job))
		t->bad_text++;
}

static int queue_of(const char *name)
{
	return name[0] - 'a';
}

/* The running jobs of a queue, and its possible use. */
static void count(const struct random_world *w, int queue, int64_t *ret_used, int64_t *ret_demand)
{
	memset(ret_used, 0, RIG_RESOURCES * sizeof(*ret_used));
	for (int t = 0; t < w->task_count; t++) {
		const struct sched_job *in = &w->jobs[w->tasks[t].job].in;

		for (uint32_t m = 0; m < w->tasks[t].count; m++)
			for (int r = 0; w->tasks[t].nodes[m] >= 0 && queue_of(in->queue) == queue &&
					r < RIG_RESOURCES;
			     r++)
				ret_used[r] += in->request[r];
	}
	memcpy(ret_demand, ret_used, RIG_RESOURCES * sizeof(*ret_used));
	for (int j = 0; j < w->job_count && !w->cordoned[queue]; j++) {
		const struct sched_job *in = &w->jobs[j].in;
		int64_t times = (int64_t)in->members * __builtin_popcountll(w->jobs[j].waiting);

		for (int r = 0;
		     queue_of(in->queue) == queue && !w->jobs[j].held && r < RIG_RESOURCES; r++)
			ret_demand[r] += times * in->request[r];
	}
}

static bool is_limited(const struct random_world *w, int queue)
{
	bool limited = w->queue_limits[queue].limited;

	for (int c = 0; c < RANDOM_WORLD_CLASSES; c++)
		limited = limited || w->classes[c].limit.limited;
	return limited;
}

static bool share_is_right(const struct random_world *w, const struct sched_result *res,
			   const struct sched_share *s)
{
	int64_t used[RIG_RESOURCES], demand[RIG_RESOURCES];
	int queue = queue_of(s->queue);
	uint64_t started = 0, preempted = 0;

	for (size_t i = 0; i < res->decision_count; i++) {
		const struct sched_decision *d = &res->decisions[i];

		if (strcmp(job_of(w, d->job)->in.queue, s->queue) != 0)
			continue;
		started += d->kind == SCHED_START;
		preempted += d->kind == SCHED_PREEMPT;
	}
	count(w, queue, used, demand);
	return started == s->started && preempted == s->preempted &&
	       memcmp(used, s->allocated, sizeof(used)) == 0 &&
	       (is_limited(w, queue) || memcmp(demand, s->demand, sizeof(demand)) == 0);
}

static void play_round(struct random_world *w, struct tally *t)
{
	struct sched_result res;

	random_world_round(w, &res);
	for (size_t i = 0; i < res.decision_count; i++)
		if (res.decisions[i].kind == SCHED_PREEMPT)
			judge_preempted(w, &res, &res.decisions[i], t);
	for (size_t i = 0; i < res.share_count; i++) {
		t->shares++;
		t->bad_share += !share_is_right(w, &res, &res.shares[i]);
	}
	random_world_accept(w, &res);
	for (size_t i = 0; i < res.share_count; i++) {
		const struct sched_share *s = &res.shares[i];

		if (fabs(sched_queue_cost(w->rig.s, s->queue) - s->cost_after) > 1e-12)
			t->bad_after++;
	}
	res.decision_count = 0;
	random_world_apply(w, &res);
	sched_result_done(&res);
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t worlds = argc > 2 ? strtoull(argv[2], NULL, 10) : WORLDS;
	struct tally t = {0};

	for (uint64_t seed = first; seed < first + worlds; seed++) {
		struct random_world *w = random_world_new(seed, 0, "progressive");
		unsigned bad = t.bad_taker + t.bad_text + t.bad_share + t.bad_after;

		for (int i = 0; i < ROUNDS; i++)
			play_round(w, &t);
		if (t.bad_taker + t.bad_text + t.bad_share + t.bad_after > bad)
			diag("seed %llu", (unsigned long long)seed);
		random_world_free(w);
	}
	ok(t.preempted > 0, "%u preempted in %llu worlds", t.preempted, (unsigned long long)worlds);
	is_int(t.bad_taker, 0, "the named job was started");
	is_int(t.nameless, 0, "every preempted job has the job that gets its room");
	ok(t.elsewhere * 50 <= t.preempted,
	   "it was started on a node of the preempted job (%u were elsewhere)", t.elsewhere);
	is_int(t.bad_text, 0, "the text names the job, and the shares or classes");
	is_int(t.bad_share, 0, "%u rows of queues report state and actions", t.shares);
	is_int(t.bad_after, 0, "the reported cost is that after the round");
	return done();
}
