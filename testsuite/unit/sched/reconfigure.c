/*
 * A scheduler that was reconfigured decides as a scheduler that always had the configuration.
 *
 *	reconfigure [FIRST-SEED [COUNT]]
 *
 * In random worlds one scheduler is reconfigured several times between rounds. After each
 * reconfiguration another scheduler is made with the present configuration and gets the whole
 * history again. Both must decide the same.
 */
#include "sched/configure.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/buf.h"
#include "util/mem.h"

#include <armada/select.h>
#include <stdio.h>
#include <string.h>

enum { WORLDS = 300, STEPS = 60, JOBS = 400, NODES = 8, QUEUES = 3, CLASSES = 4 };
enum { USERS = 3 };
enum { FAIRNESS, ORDER, PREEMPT_NONE, PREEMPT_FAIRSHARE, PREEMPT_URGENCY, BINPACK, SPREAD, KINDS };

static const char *const resources[] = {"cpu", "memory", "gpu"};
static const char *const node_names[NODES] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};
static const char *const queue_names[QUEUES] = {"a", "b", "c"};
static const char *const user_names[USERS] = {"ann", "bob", NULL};
static const char *const class_names[CLASSES] = {"w", "x", "y", "z"};

/* The history of a job, to be replayed. */
struct queue_sums {
	struct sched_job job;
	bool running, over;
	char *nodes[4];
};

struct world {
	uint64_t random;
	struct plugin plugins[KINDS];
	struct sched_class classes[CLASSES];
	struct sched_config config;
	struct sched_user users[USERS];
	struct quota queue_quota[QUEUES], queue_user_quota[QUEUES];
	struct sched_node nodes[NODES];
	struct queue_sums jobs[JOBS];
	size_t job_count;
	bool limited; /* some users may have limits */
	struct sched *s;
};

static uint32_t below(struct world *w, uint32_t n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (uint32_t)((w->random * UINT64_C(0x2545f4914f6cdd1d) >> 32) % n);
}

static void load(struct plugin *p, enum armada_plugin_kind kind, const char *name)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	CLEANUP_FREE char *dir =
		xasprintf("%s/plugins/%s", build ? build : ".", plugin_kind_name(kind));
	struct err err;

	if (plugin_load(p, dir, kind, name, &err))
		bail("%s", err.text);
}

static void load_all(struct plugin *p)
{
	load(&p[FAIRNESS], ARMADA_PLUGIN_FAIRNESS, "drf");
	load(&p[ORDER], ARMADA_PLUGIN_ORDER, "progressive");
	load(&p[PREEMPT_NONE], ARMADA_PLUGIN_PREEMPT, "none");
	load(&p[PREEMPT_FAIRSHARE], ARMADA_PLUGIN_PREEMPT, "fairshare");
	load(&p[PREEMPT_URGENCY], ARMADA_PLUGIN_PREEMPT, "urgency");
	load(&p[BINPACK], ARMADA_PLUGIN_SELECT, "binpack");
	load(&p[SPREAD], ARMADA_PLUGIN_SELECT, "spread");
}

/* In every second world each kind of limit occurs. */
static struct quota draw_quota(struct world *w)
{
	struct quota quota = {0};

	if (!w->limited || below(w, 2))
		return quota;
	if (below(w, 2))
		quota_put(&quota, QUOTA_RUNNING, below(w, 6));
	if (below(w, 2))
		quota_put(&quota, QUOTA_CPU, 1000 * below(w, 10));
	if (below(w, 4) == 0)
		quota_put(&quota, QUOTA_GPU, below(w, 2));
	return quota;
}

static void draw_users(struct world *w)
{
	w->config.user_quota = draw_quota(w);
	w->config.users = w->users;
	w->config.user_count = below(w, USERS);
	for (size_t i = 0; i < w->config.user_count; i++)
		w->users[i] = (struct sched_user){user_names[i], draw_quota(w)};
}

static void draw_config(struct world *w)
{
	size_t had = w->config.class_count, count = had + below(w, 3);

	if (count < 1)
		count = 1;
	if (count > CLASSES)
		count = CLASSES;
	for (size_t i = 0; i < count; i++)
		w->classes[i] = (struct sched_class){
			.name = class_names[i],
			.priority = 1000 * below(w, 3),
			.fair_share_preemptible = below(w, 2),
			.urgency_preemptible = below(w, 3) > 0,
			.limit = {.limited = below(w, 4) == 0, .of = {0.25 * (1 + below(w, 4))}},
		};
	w->config = (struct sched_config){
		.resources = resources,
		.resource_count = ARRAY_SIZE(resources),
		.classes = w->classes,
		.class_count = count,
		.fairness = &w->plugins[FAIRNESS],
		.order = &w->plugins[ORDER],
		.preempt = &w->plugins[PREEMPT_NONE + below(w, 3)],
		.select = &w->plugins[below(w, 2) ? BINPACK : SPREAD],
		.partial_gangs = below(w, 2),
		.limits = {.jobs_per_round = below(w, 3) ? 0 : 1 + below(w, 8),
			   .queue_lookback = below(w, 3) ? 0 : 1 + below(w, 8),
			   .per_round = {.limited = below(w, 3) == 0, .of = {0.3}}},
	};
	draw_users(w);
}

static void tell_quota(const struct world *w, struct sched *s, int queue)
{
	sched_queue_quota(s, queue_names[queue], &w->queue_quota[queue]);
	sched_queue_user_quota(s, queue_names[queue], &w->queue_user_quota[queue]);
}

static void tell_job(struct sched *s, const struct queue_sums *t)
{
	sched_job_add(s, &t->job);
	sched_wait(s, t->job.id, 0, 0, 1);
	if (t->running)
		sched_run(s, t->job.id, 0, (const char *const *)t->nodes, 1);
}

static struct sched *make(struct world *w)
{
	struct err err;
	struct sched *s = sched_new(&w->config, &err);

	if (!s)
		bail("%s", err.text);
	for (int q = 0; q < QUEUES; q++) {
		sched_queue_set(s, queue_names[q], 1 + q, false);
		tell_quota(w, s, q);
	}
	for (int n = 0; n < NODES; n++)
		sched_node_set(s, &w->nodes[n]);
	for (size_t i = 0; i < w->job_count; i++)
		if (!w->jobs[i].over)
			tell_job(s, &w->jobs[i]);
	return s;
}

static void submit(struct world *w)
{
	struct queue_sums *t = &w->jobs[w->job_count];

	if (w->job_count == JOBS)
		return;
	*t = (struct queue_sums){
		.job = {.id = ++w->job_count,
			.queue = queue_names[below(w, QUEUES)],
			.user = user_names[below(w, USERS)],
			.class_name = class_names[below(w, (uint32_t)w->config.class_count)],
			.priority = below(w, 2),
			.submit_us = (int64_t)w->job_count,
			.request = {1000 * (1 + below(w, 3)), RIG_G, below(w, 8) == 0},
			.members = below(w, 4) ? 1 : 1 + below(w, 4),
			.exclusive = below(w, 16) == 0}};
	t->job.min_members = 1 + below(w, t->job.members);
	tell_job(w->s, t);
}

static void end(struct world *w)
{
	struct queue_sums *t = &w->jobs[w->job_count ? below(w, (uint32_t)w->job_count) : 0];

	if (!w->job_count || !t->running)
		return;
	t->running = false;
	t->over = true;
	sched_end(w->s, t->job.id, 0);
	sched_job_remove(w->s, t->job.id);
}

static void forget_nodes(struct queue_sums *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(t->nodes); i++) {
		free(t->nodes[i]);
		t->nodes[i] = NULL;
	}
}

/*
 * Applies the decisions as the core does. Preempted jobs are removed, which keeps the history
 * short.
 */
static void accept(struct world *w, const struct sched_decision *d)
{
	struct queue_sums *t = &w->jobs[d->job - 1];

	if (d->kind == SCHED_PREEMPT) {
		t->running = false;
		t->over = true;
		sched_end(w->s, d->job, 0);
		sched_job_remove(w->s, d->job);
		return;
	}
	forget_nodes(t);
	for (size_t i = 0; i < d->node_count; i++)
		t->nodes[i] = d->nodes[i] ? xstrdup(d->nodes[i]) : NULL;
	t->running = true;
	sched_run(w->s, d->job, 0, (const char *const *)t->nodes, 1);
}

static char *decided(const struct sched_result *r)
{
	struct buf b = {0};

	for (size_t i = 0; i < r->decision_count; i++) {
		const struct sched_decision *d = &r->decisions[i];

		buf_addf(&b, "%s%s%llu", i ? " " : "", d->kind == SCHED_PREEMPT ? "-" : "",
			 (unsigned long long)d->job);
		for (size_t n = 0; n < d->node_count; n++)
			buf_addf(&b, "%c%s", n ? ',' : '@', d->nodes[n] ? d->nodes[n] : "none");
	}
	buf_addstr(&b, "");
	return (char *)buf_take(&b, NULL);
}

/* A round of the old scheduler and of a new one; 1 when they differ. */
static int compare(struct world *w, uint64_t seed, int step)
{
	struct sched_round round = {.now_us = 1000000 * (step + 1), .seed = seed};
	struct sched *other = make(w);
	struct sched_result mine, its;
	CLEANUP_FREE char *got = NULL, *want = NULL;
	int differs;

	sched_run_round(w->s, &round, &mine);
	sched_run_round(other, &round, &its);
	got = decided(&mine);
	want = decided(&its);
	differs = strcmp(got, want) != 0;
	if (differs)
		diag("seed %llu, step %d:\ngot:      %s\nexpected: %s", (unsigned long long)seed,
		     step, got, want);
	for (size_t i = 0; i < mine.decision_count; i++)
		accept(w, &mine.decisions[i]);
	sched_result_done(&mine);
	sched_result_done(&its);
	sched_free(other);
	return differs;
}

static int play(struct world *w, uint64_t seed)
{
	int differs = 0;
	struct err err;

	w->random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	for (int n = 0; n < NODES; n++)
		w->nodes[n] = (struct sched_node){.name = node_names[n],
						  .total = {1000 * (2 + below(w, 6)),
							    RIG_G * (2 + below(w, 6)), below(w, 3)},
						  .schedulable = true};
	w->limited = below(w, 2);
	draw_config(w);
	w->s = make(w);
	for (int step = 0; step < STEPS && !differs; step++) {
		for (uint32_t n = below(w, 8); n > 0; n--)
			submit(w);
		for (uint32_t n = below(w, 6); n > 0; n--)
			end(w);
		if (below(w, 6) == 0) {
			int queue = (int)below(w, QUEUES);

			w->queue_quota[queue] = draw_quota(w);
			w->queue_user_quota[queue] = draw_quota(w);
			tell_quota(w, w->s, queue);
		}
		if (below(w, 4) == 0) {
			draw_config(w);
			if (sched_reconfigure(w->s, &w->config, &err))
				bail("%s", err.text);
		}
		differs = compare(w, seed, step);
	}
	for (size_t i = 0; i < w->job_count; i++)
		forget_nodes(&w->jobs[i]);
	sched_free(w->s);
	return differs;
}

static int refuse_open(void **ret_handle, const struct armada_option_value *values,
		       const struct armada_policy *policy, struct armada_error *err)
{
	(void)ret_handle, (void)values, (void)policy;
	snprintf(err->text, sizeof(err->text), "no bananas");
	return -22;
}

static void refusals(struct plugin *plugins)
{
	struct world w = {.random = 7};
	const struct armada_select_ops ops = {.open = refuse_open};
	const struct armada_plugin desc = {.name = "grudging"};
	const struct plugin grudging = {.desc = &desc, .ops = &ops};
	struct sched_round round = {.now_us = 1, .seed = 1};
	struct sched_result result;
	struct err err;

	memcpy(w.plugins, plugins, sizeof(w.plugins));
	for (int n = 0; n < NODES; n++)
		w.nodes[n].name = node_names[n];
	draw_config(&w);
	w.config.preempt = &w.plugins[PREEMPT_NONE];
	w.s = make(&w);
	w.config.resource_count = 2;
	ok(sched_reconfigure(w.s, &w.config, &err) < 0, "other resources are refused: %s",
	   err.text);
	w.config.resource_count = 3;
	w.config.class_count = 0;
	ok(sched_reconfigure(w.s, &w.config, &err) < 0,
	   "a configuration without classes is refused");
	w.config.class_count = 1;
	w.config.select = &grudging;
	ok(sched_reconfigure(w.s, &w.config, &err) < 0,
	   "a configuration that a plugin refuses is refused");
	is_str(err.text, "plugin grudging: no bananas", "the message is that of the plugin");
	submit(&w);
	sched_run_round(w.s, &round, &result);
	ok(!result.fault && result.work.gangs, "the scheduler works as before");
	sched_result_done(&result);
	sched_free(w.s);
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : WORLDS;
	struct plugin plugins[KINDS];
	int differ = 0;

	load_all(plugins);
	for (uint64_t seed = first; seed < first + count && !differ; seed++) {
		struct world *w = xcalloc(1, sizeof(*w));

		memcpy(w->plugins, plugins, sizeof(plugins));
		differ += play(w, seed);
		free(w);
	}
	is_int(differ, 0, "%llu worlds: a reconfigured scheduler decides like a new one",
	       (unsigned long long)count);
	refusals(plugins);
	for (int i = 0; i < KINDS; i++)
		plugin_free(&plugins[i]);
	return done();
}
