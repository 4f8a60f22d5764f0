/*
 * Plugins with invalid results: the round decides nothing and names the plugin, and the next round
 * is unaffected.
 */
#include "sched/configure.h"
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <armada/fairness.h>
#include <armada/preempt.h>
#include <armada/select.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The plugins' results. */
static double cost, score, rate;
static bool evict_all;
static double remembered; /* of the first queue, by the fairness plugin */

static int lie_open(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_error *err)
{
	(void)values;
	(void)policy;
	(void)err;
	*ret_handle = NULL;
	return 0;
}

static void lie_close(void *handle)
{
	(void)handle;
}

static void lie_begin(void *handle, const struct armada_fairness_round *round, double *ret_weights)
{
	(void)handle;
	for (size_t i = 0; i < round->queues->count; i++)
		ret_weights[i] = 1;
	remembered = round->memory[0];
	round->memory[0] = cost + 1;
}

/* A plugin whose cost is invalid unless it is 0, so that only a round that starts a job fails. */
static double lie_cost(const void *handle, const int64_t *allocated)
{
	(void)handle;
	return allocated[0] ? cost : 0;
}

static int lie_preempt(void **ret_handle, const struct armada_option_value *values,
		       const struct armada_policy *policy, struct armada_preempt_traits *ret_traits,
		       struct armada_error *err)
{
	*ret_traits = (struct armada_preempt_traits){true, true, rate, rate};
	return lie_open(ret_handle, values, policy, err);
}

static void lie_evict(void *handle, const struct armada_preempt_round *round, bool *ret_evict)
{
	(void)handle;
	for (size_t i = 0; i < round->running->count; i++)
		ret_evict[i] = evict_all;
}

static void lie_sequence(const void *handle, uint32_t *ret_sequence)
{
	(void)handle;
	for (uint32_t i = 0; i < RIG_RESOURCES; i++)
		ret_sequence[i] = i;
}

static void lie_score(const void *handle, const int64_t *request,
		      const struct armada_select_nodes *nodes, double *ret_scores)
{
	(void)handle;
	(void)request;
	for (size_t i = 0; i < nodes->count; i++)
		ret_scores[i] = score;
}

static const struct armada_fairness_ops fairness_ops = {
	.open = lie_open,
	.close = lie_close,
	.begin = lie_begin,
	.cost = lie_cost,
};
static const struct armada_preempt_ops preempt_ops = {
	.open = lie_preempt, .close = lie_close, .evict = lie_evict};
static const struct armada_select_ops select_ops = {lie_open, lie_close, lie_sequence, lie_score};
static const struct armada_plugin descriptor = {.name = "liar"};
static const struct plugin fairness = {.desc = &descriptor, .ops = &fairness_ops},
			   preempt = {.desc = &descriptor, .ops = &preempt_ops},
			   select_by = {.desc = &descriptor, .ops = &select_ops};

static const char *const resources[] = {"cpu", "memory", "gpu"};
static const struct sched_class classes[] = {{"low", 0, true, true, {0}, false},
					     {"firm", 0, false, false, {0}, false}};

/* One task may be started, and a second only much later. */
static struct sched_config configure(const struct rig *r)
{
	return (struct sched_config){
		.resources = resources,
		.resource_count = RIG_RESOURCES,
		.classes = classes,
		.class_count = ARRAY_SIZE(classes),
		.limits = {.rate = {1e-9, 1}, .queue_rate = {1e-9, 1}},
		.fairness = &r->fairness,
		.order = &r->order,
		.preempt = &r->preempt,
		.select = &r->select,
	};
}

static void job(struct sched *s, uint64_t id, const char *class)
{
	struct sched_job j = {.id = id,
			      .queue = "a",
			      .class_name = class,
			      .request = {1000, RIG_G},
			      .members = 1};

	sched_job_add(s, &j);
	sched_wait(s, id, 0, 0, 1);
}

static struct sched *world(const struct sched_config *config)
{
	struct err err;
	struct sched *s = sched_new(config, &err);
	struct sched_node n = {.name = "n0", .total = {1000, RIG_G}, .schedulable = true};

	if (!s)
		bail("%s", err.text);
	sched_node_set(s, &n);
	sched_queue_set(s, "a", 1, false);
	job(s, 1, "low");
	return s;
}

/* A round: the fault, and the decisions. */
static void expect(struct sched *s, const char *fault, const char *want)
{
	struct sched_round in = {.now_us = 1};
	struct sched_result res;
	char *text;

	sched_run_round(s, &in, &res);
	text = rig_decisions(&res);
	is_str(res.fault ? res.fault : "none", fault, "the fault is named");
	is_str(text, want, "the decisions are right");
	free(text);
	sched_result_done(&res);
}

static void test_cost(const struct rig *r)
{
	struct sched_config config = configure(r);
	struct sched *s;

	config.fairness = &fairness;
	cost = NAN;
	s = world(&config);
	expect(s, "plugin fairness/liar: a cost is nan", "");
	cost = 0.5;
	expect(s, "none", "1.0@n0");
	ok(remembered == 0, "the usage history of the queue is discarded: %g", remembered);
	config.fairness = &r->fairness;
	is_int(sched_reconfigure(s, &config, NULL), 0, "a valid plugin is set");
	config.fairness = &fairness;
	is_int(sched_reconfigure(s, &config, NULL), 0, "the first plugin is set again");
	sched_wait(s, 1, 0, 0, 1);
	expect(s, "none", "");
	ok(remembered == 0, "the usage history of another plugin is not used: %g", remembered);
	sched_free(s);
}

static void test_score(const struct rig *r)
{
	struct sched_config config = configure(r);
	struct sched *s;

	config.select = &select_by;
	score = -INFINITY;
	s = world(&config);
	expect(s, "plugin select/liar: a score is not a number", "");
	score = 1;
	expect(s, "none", "1.0@n0");
	sched_free(s);
}

static void test_preempt(const struct rig *r)
{
	struct sched_config config = configure(r);
	struct sched *s;
	struct err err = {""};

	config.preempt = &preempt;
	rate = NAN;
	ok(!sched_new(&config, &err), "an invalid rate is refused");
	is_str(err.text, "plugin liar: its rate is nan and its burst nan",
	       "the message names rate and burst");
	rate = -1;
	ok(!sched_new(&config, &err), "a negative rate is refused");
	rate = 0;
	evict_all = true;
	s = world(&config);
	job(s, 2, "firm");
	sched_run(s, 2, 0, (const char *const[]){"n0"}, 1);
	expect(s, "none", "");
	sched_free(s);
}

int main(void)
{
	struct rig r = {0};

	rig_init(&r);
	test_cost(&r);
	test_score(&r);
	test_preempt(&r);
	rig_done(&r);
	return done();
}
