/*
 * The state that a scheduler keeps between rounds is never stale: after random changes it returns
 * the same decisions, reservations, reasons and explanations as a new scheduler with the present
 * state.
 *
 *	stale [FIRST-SEED [COUNT]]
 *
 * Nodes are added, removed and change their labels, taints and sizes; queues are cordoned, limited,
 * removed and added again; tasks are pinned and lose members; jobs are held; some jobs are
 * explained in between.
 */
#include "sched/explain.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/buf.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

enum { WORLDS = 200, STEPS = 50, JOBS = 300, NODES = 8, QUEUES = 3, MEMBERS = 4 };

static const char *const node_names[NODES] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};
static const char *const queue_names[QUEUES] = {"a", "b", "c"};
static const char *const values[] = {"x", "y", "z"};
static const struct sched_class classes[] = {{"low", 0, true, true, {0}, false},
					     {"mid", 1000, true, true, {0}, false},
					     {"high", 2000, false, false, {0}, false}};
static const struct sched_selector wants[] = {{"rack", "x", false, false},
					      {"rack", "y", true, false}};
static const struct sched_toleration bears = {"taint", "Exists", ""};
static const char *const lists[] = {"n1", "n2", "n3"};

struct queue_sums {
	struct sched_job job;
	bool running, over, held, pinned, ended[MEMBERS];
	const char *nodes[MEMBERS];
	int64_t start_us;
};

struct node {
	struct sched_node is;
	struct sched_label label;
	struct sched_taint taint;
	bool present, known; /* known: the scheduler has the node, up or not, in its order */
};

struct world {
	uint64_t random;
	struct rig_policy policy;
	struct rig rig;
	struct node nodes[NODES];
	uint32_t order[NODES], order_count;
	struct queue {
		bool present, cordoned;
		struct sched_fraction limit;
	} queues[QUEUES];
	struct queue_sums jobs[JOBS];
	size_t job_count;
	int64_t now_us;
};

static uint32_t below(struct world *w, uint32_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (uint32_t)((w->random * UINT64_C(0x2545f4914f6cdd1d) >> 32) % n);
}

static const char *name_of(const char *name)
{
	for (size_t i = 0; name && i < NODES; i++)
		if (strcmp(name, node_names[i]) == 0)
			return node_names[i];
	return NULL;
}

static bool is_used(const struct world *w, const char *name)
{
	for (size_t i = 0; i < w->job_count; i++)
		for (int m = 0; w->jobs[i].running && m < MEMBERS; m++)
			if (w->jobs[i].nodes[m] == name && !w->jobs[i].ended[m])
				return true;
	return false;
}

/* Absent nodes without tasks lose their position in the order of nodes. */
static void forget_nodes(struct world *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->order_count; i++) {
		struct node *at = &w->nodes[w->order[i]];

		at->known = at->present || is_used(w, at->is.name);
		if (at->known)
			w->order[n++] = w->order[i];
	}
	w->order_count = n;
}

/* A new sched with the present state. */

static void tell_queue(struct sched *s, const struct world *w, int q)
{
	sched_queue_set(s, queue_names[q], 1 + q, w->queues[q].cordoned);
	sched_queue_limit(s, queue_names[q], &w->queues[q].limit);
}

static void tell_job(struct sched *s, const struct queue_sums *t)
{
	sched_job_add(s, &t->job);
	sched_wait(s, t->job.id, 0, 0, 1);
	sched_job_hold(s, t->job.id, t->held);
	if (!t->running)
		return;
	sched_run(s, t->job.id, 0, t->nodes, t->start_us);
	sched_pin(s, t->job.id, 0, t->pinned);
	for (uint32_t m = 0; m < t->job.members; m++)
		if (t->ended[m])
			sched_member_end(s, t->job.id, 0, m);
}

static void tell_all(struct sched *s, struct world *w)
{
	for (int q = 0; q < QUEUES; q++)
		tell_queue(s, w, q);
	for (uint32_t i = 0; i < w->order_count; i++)
		sched_node_set(s, &w->nodes[w->order[i]].is);
	for (size_t i = 0; i < w->job_count; i++)
		if (!w->jobs[i].over)
			tell_job(s, &w->jobs[i]);
	for (int q = 0; q < QUEUES; q++)
		if (!w->queues[q].present)
			sched_queue_remove(s, queue_names[q]);
	for (uint32_t i = 0; i < w->order_count; i++)
		if (!w->nodes[w->order[i]].present)
			sched_node_remove(s, w->nodes[w->order[i]].is.name);
}

/* Changes. */

static void change_node(struct world *w)
{
	uint32_t at = below(w, NODES);
	struct node *n = &w->nodes[at];

	if (n->present && below(w, 4) == 0) {
		n->present = false;
		sched_node_remove(w->rig.s, n->is.name);
		forget_nodes(w);
		return;
	}
	if (!n->known)
		w->order[w->order_count++] = at;
	n->label = (struct sched_label){"rack", values[below(w, 3)]};
	n->taint = (struct sched_taint){"taint", "", "NoSchedule"};
	n->present = n->known = true;
	n->is = (struct sched_node){
		.name = node_names[at],
		.total = {1000 * (2 + below(w, 6)), RIG_G * (2 + below(w, 6)), below(w, 3)},
		.labels = &n->label,
		.label_count = below(w, 4) > 0,
		.taints = &n->taint,
		.taint_count = below(w, 6) == 0,
		.schedulable = below(w, 6) > 0,
	};
	sched_node_set(w->rig.s, &n->is);
}

static void change_queue(struct world *w)
{
	int q = (int)below(w, QUEUES);
	struct queue *at = &w->queues[q];

	at->present = !at->present || below(w, 3);
	at->cordoned = below(w, 4) == 0;
	at->limit = (struct sched_fraction){.limited = below(w, 3) == 0, .of = {0.4}};
	tell_queue(w->rig.s, w, q);
	if (!at->present)
		sched_queue_remove(w->rig.s, queue_names[q]);
}

static struct sched_job draw_job(struct world *w, uint64_t id)
{
	struct sched_job job = {.id = id,
				.queue = queue_names[below(w, QUEUES)],
				.class_name = classes[below(w, 3)].name,
				.priority = below(w, 2),
				.submit_us = (int64_t)id,
				.request = {1000 * below(w, 5), RIG_G, below(w, 8) == 0},
				.members = below(w, 3) ? 1 : 1 + below(w, MEMBERS),
				.exclusive = below(w, 16) == 0,
				.time_limit_us = below(w, 4) ? 1000000 * (1 + below(w, 20)) : 0,
				.selectors = wants + below(w, 2),
				.selector_count = below(w, 4) == 0,
				.tolerations = &bears,
				.toleration_count = below(w, 3) == 0,
				.exclude = lists,
				.exclude_count = below(w, 6) ? 0 : ARRAY_SIZE(lists),
				.uniformity = below(w, 6) ? NULL : "rack"};

	job.min_members = job.members;
	job.distinct = below(w, 2);
	return job;
}

static bool has_queue(const struct world *w, const struct sched_job *job)
{
	for (int q = 0; q < QUEUES; q++)
		if (strcmp(job->queue, queue_names[q]) == 0)
			return w->queues[q].present;
	return false;
}

static void submit(struct world *w)
{
	struct queue_sums *t = &w->jobs[w->job_count];
	struct sched_job job = draw_job(w, w->job_count + 1);

	if (w->job_count == JOBS || !has_queue(w, &job))
		return;
	*t = (struct queue_sums){.job = job};
	w->job_count++;
	tell_job(w->rig.s, t);
}

/* The job changes its request; a running job changes only its priority. */
static void ask_otherwise(struct world *w, struct queue_sums *t)
{
	struct sched_job job = draw_job(w, t->job.id);

	/* no queue is removed before its last job has left it */
	if (!has_queue(w, &t->job) || !has_queue(w, &job))
		return;
	if (t->running)
		t->job.priority = job.priority;
	else
		t->job = job;
	sched_job_change(w->rig.s, &t->job);
}

static void leave(struct world *w, struct queue_sums *t)
{
	if (t->running)
		sched_end(w->rig.s, t->job.id, 0);
	sched_job_remove(w->rig.s, t->job.id);
	t->running = false;
	t->over = true;
	forget_nodes(w);
}

/* A member that ended runs again, on any present node. */
static void come_back(struct world *w, struct queue_sums *t, uint32_t m)
{
	const struct node *n = &w->nodes[below(w, NODES)];

	if (!n->present)
		return;
	t->ended[m] = false;
	t->nodes[m] = n->is.name;
	sched_member_run(w->rig.s, t->job.id, 0, m, n->is.name);
}

static void change_job(struct world *w)
{
	struct queue_sums *t = &w->jobs[below(w, (uint32_t)w->job_count)];
	uint32_t m = below(w, t->job.members);

	if (t->over)
		return;
	switch (below(w, 6)) {
	case 4:
		ask_otherwise(w, t);
		return;
	case 0:
		leave(w, t);
		return;
	case 1:
		t->pinned = t->running && !t->pinned;
		sched_pin(w->rig.s, t->job.id, 0, t->pinned);
		return;
	case 2:
		t->held = !t->held;
		sched_job_hold(w->rig.s, t->job.id, t->held);
		return;
	case 3:
		t->start_us = w->now_us - 1000000 * below(w, 9);
		if (t->running)
			sched_started(w->rig.s, t->job.id, 0, t->start_us);
		return;
	default:
		if (!t->running)
			return;
		if (t->ended[m]) {
			come_back(w, t, m);
			return;
		}
		t->ended[m] = true;
		sched_member_end(w->rig.s, t->job.id, 0, m);
		forget_nodes(w);
	}
}

static void accept(struct world *w, const struct sched_decision *d)
{
	struct queue_sums *t = &w->jobs[d->job - 1];

	if (d->kind == SCHED_PREEMPT) {
		leave(w, t);
		return;
	}
	for (size_t i = 0; i < d->node_count; i++)
		t->nodes[i] = name_of(d->nodes[i]);
	t->running = true;
	t->start_us = w->now_us;
	sched_run(w->rig.s, d->job, 0, t->nodes, w->now_us);
}

/* The result of a round, as text. */
static char *result_text(const struct sched_result *r)
{
	CLEANUP_FREE char *decisions = rig_decisions(r);
	struct buf b = {0};

	buf_addstr(&b, decisions);
	for (size_t n = 0; n < NODES; n++)
		for (size_t i = 0; r->reservation && i < r->reservation->node_count; i++)
			if (strcmp(r->reservation->nodes[i].name, node_names[n]) == 0)
				buf_addf(&b, " %s*%u", node_names[n],
					 r->reservation->nodes[i].members);
	if (r->reservation)
		buf_addf(&b, " reserved for %llu at %lld", (unsigned long long)r->reservation->job,
			 (long long)r->reservation->start_us);
	return (char *)buf_take(&b, NULL);
}

/*
 * Whether the reasons are equal to those of a new scheduler. If a job starts in the round they may
 * differ: a reason that was reported before is computed later in the round, or not at all.
 */
static bool same_reasons(const struct sched_result *mine, const struct sched_result *its)
{
	for (size_t i = 0; i < mine->reason_count; i++) {
		const struct sched_reason *a = &mine->reasons[i];
		const struct sched_reason *b = NULL;

		for (size_t k = 0; k < its->reason_count && !b; k++)
			if (its->reasons[k].job == a->job)
				b = &its->reasons[k];
		if (b && b->why == a->why && strcmp(a->text, b->text) == 0 &&
		    a->expected_us == b->expected_us)
			continue;
		diag("job %llu: got %s, expected %s", (unsigned long long)a->job, a->text,
		     b ? b->text : "nothing");
		return false;
	}
	return true;
}

static char *explanation(struct sched *s, uint64_t job, const struct sched_round *round)
{
	struct sched_explanation e;
	int rc = sched_explain(s, job, round, &e);
	char *text;

	if (rc)
		return xasprintf("%d", rc);
	text = xasprintf(
		"why %d; %u of %u fit; nearest %s; place %llu of %llu, %llu before; change %s",
		e.why, (unsigned)e.fitting, (unsigned)e.nodes, e.nearest ? e.nearest : "-",
		(unsigned long long)e.place, (unsigned long long)e.of, (unsigned long long)e.before,
		e.change.text ? e.change.text : "-");
	sched_explanation_done(&e);
	return text;
}

static int differ(const struct world *w, const char *got, const char *want)
{
	if (strcmp(got, want) == 0)
		return 0;
	diag("second %lld:\ngot:      %s\nexpected: %s", (long long)(w->now_us / 1000000), got,
	     want);
	return 1;
}

/* The old sched and a new one; 1 when they differ. */
static int compare(struct world *w)
{
	struct sched_round round = {.now_us = w->now_us, .seed = 1};
	struct rig fresh = {0};
	struct sched_result mine, its;
	CLEANUP_FREE char *got = NULL, *want = NULL;
	int differs = 0;

	rig_init_policy(&fresh, &w->policy);
	tell_all(fresh.s, w);
	if (w->job_count && below(w, 2)) {
		uint64_t job = 1 + below(w, (uint32_t)w->job_count);
		CLEANUP_FREE char *a = explanation(w->rig.s, job, &round);
		CLEANUP_FREE char *b = explanation(fresh.s, job, &round);

		differs = differ(w, a, b);
	}
	sched_run_round(w->rig.s, &round, &mine);
	sched_run_round(fresh.s, &round, &its);
	got = result_text(&mine);
	want = result_text(&its);
	differs = differs || differ(w, got, want) ||
		  (!mine.decision_count && !mine.work.evicted && !same_reasons(&mine, &its));
	for (size_t i = 0; i < mine.decision_count; i++)
		if (below(w, 8))
			accept(w, &mine.decisions[i]);
	sched_result_done(&mine);
	sched_result_done(&its);
	rig_done(&fresh);
	return differs;
}

static int play(struct world *w, uint64_t seed)
{
	static const char *const how[] = {"none", "none", "fairshare", "urgency"};
	int differs = 0;

	*w = (struct world){.random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1};
	w->policy = (struct rig_policy){.classes = classes,
					.class_count = ARRAY_SIZE(classes),
					.preempt = how[below(w, 4)],
					.select = below(w, 4) ? "binpack" : "queuepack",
					.limits = {.queue_lookback = below(w, 4) ? 0 : 10}};
	rig_init_policy(&w->rig, &w->policy);
	for (int q = 0; q < QUEUES; q++) {
		w->queues[q].present = true;
		tell_queue(w->rig.s, w, q);
	}
	for (int i = 0; i < 2 * NODES; i++)
		change_node(w);
	for (int step = 0; step < STEPS && !differs; step++) {
		w->now_us += 1000000 * below(w, 4);
		for (uint32_t n = below(w, 6); n > 0; n--)
			submit(w);
		for (uint32_t n = below(w, 4); w->job_count && n > 0; n--)
			change_job(w);
		if (below(w, 3) == 0)
			change_node(w);
		if (below(w, 6) == 0)
			change_queue(w);
		differs = compare(w);
	}
	rig_done(&w->rig);
	if (differs)
		diag("seed %llu", (unsigned long long)seed);
	return differs;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	const char *worlds = argc > 2 ? argv[2] : getenv("ARMADA_WORLDS");
	uint64_t count = worlds ? strtoull(worlds, NULL, 10) : WORLDS;
	struct world *w = xcalloc(1, sizeof(*w));
	int differs = 0;

	for (uint64_t i = 0; i < count && !differs; i++)
		differs = play(w, first + i);
	ok(!differs, "%llu worlds: a scheduler with a history decides like a new one",
	   (unsigned long long)count);
	free(w);
	return done();
}
