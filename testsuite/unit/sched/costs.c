/*
 * The cost of a round, as the number of its operations (struct sched_work), and the handling of
 * plugins with invalid results.
 */
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <armada/fairness.h>
#include <armada/order.h>
#include <armada/select.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_nodes(struct sched *s, int count)
{
	for (int i = 0; i < count; i++) {
		CLEANUP_FREE char *name = xasprintf("n%d", i);
		struct sched_node n = {
			.name = name, .total = {4000, 16 * RIG_G}, .schedulable = true};

		sched_node_set(s, &n);
	}
}

static void add_limited(struct sched *s, uint64_t id, const char *queue, int64_t cpu, uint32_t last,
			int64_t limit_us)
{
	struct sched_job j = {.id = id,
			      .queue = queue,
			      .class_name = "mid",
			      .submit_us = (int64_t)id,
			      .time_limit_us = limit_us,
			      .request = {cpu, RIG_G},
			      .members = 1,
			      .min_members = 1};

	sched_job_add(s, &j);
	sched_wait(s, id, 0, last, 1);
}

static void add_job(struct sched *s, uint64_t id, const char *queue, int64_t cpu, uint32_t last)
{
	add_limited(s, id, queue, cpu, last, 0);
}

static struct sched_work run(struct sched *s, bool accept)
{
	struct sched_round in = {.now_us = 1};
	struct sched_result res;
	struct sched_work work;

	sched_run_round(s, &in, &res);
	for (size_t i = 0; accept && i < res.decision_count; i++)
		rig_accept(s, &res.decisions[i]);
	work = res.work;
	sched_result_done(&res);
	return work;
}

static uint64_t sum(struct sched_work w)
{
	return w.gangs + w.placed + w.subqueues + w.chunks + w.probes;
}

/* A full cluster with this many jobs of ten shapes waiting: the cost of a round without room. */
static uint64_t saturated(int jobs, bool limits)
{
	struct rig r;
	uint64_t cost;

	rig_init(&r);
	add_nodes(r.s, 100);
	sched_queue_set(r.s, "a", 1, false);
	sched_queue_set(r.s, "b", 1, false);
	for (int i = 0; i < jobs; i++)
		add_limited(r.s, (uint64_t)i + 1, i % 2 ? "a" : "b", 1000 + i % 10, 0,
			    limits ? 1 + i % 1000 : 0);
	run(r.s, true);
	run(r.s, true);
	cost = sum(run(r.s, true));
	rig_done(&r);
	return cost;
}

static void test_saturated(void)
{
	uint64_t small = saturated(1000, false), large = saturated(50000, false);

	is_int((long long)large, (long long)small,
	       "a round without room costs as much with 50,000 pending jobs as with 1,000");
	ok(small < 100, "the round costs little: %llu", (unsigned long long)small);
	small = saturated(1000, true);
	large = saturated(50000, true);
	is_int((long long)large, (long long)small, "with a reservation it also costs the same");
	ok(small < 100, "the round with a reservation costs little: %llu",
	   (unsigned long long)small);
}

/*
 * The cost of a round in which all running jobs are evicted and put back; it does not depend on the
 * number of pending jobs.
 */
static uint64_t put_back(int jobs)
{
	static const struct sched_class classes[] = {{"mid", 1000, true, true, {0}, false}};
	struct sched_work w = {0};
	struct rig r;

	rig_init_fairshare(&r, classes, 1, 0);
	add_nodes(r.s, 100);
	sched_queue_set(r.s, "a", 1, false);
	sched_queue_set(r.s, "b", 1, false);
	for (int i = 0; i < jobs; i++)
		add_job(r.s, (uint64_t)i + 1, i % 2 ? "a" : "b", 1000 + i % 10, 0);
	for (int i = 0; i < 4; i++)
		w = run(r.s, true);
	is_int((long long)w.placed, 0, "%d jobs: nothing is placed", jobs);
	ok(w.evicted >= 300, "%d jobs: all running jobs are evicted", jobs);
	rig_done(&r);
	return sum(w);
}

static void test_put_back(void)
{
	uint64_t small = put_back(1000), large = put_back(50000);

	is_int((long long)large, (long long)small,
	       "the cost of a round depends on the evicted jobs only");
}

/* A shape without room excludes all larger shapes, even if they were not tried before. */
static uint64_t first_sight(int shapes, bool displacing)
{
	static const struct sched_class classes[] = {{"mid", 1000, true, true, {0}, false}};
	struct sched_work w;
	struct rig r;

	if (displacing)
		rig_init_fairshare(&r, classes, 1, 1e6);
	else
		rig_init(&r);
	add_nodes(r.s, 1000);
	sched_queue_set(r.s, "a", 1, false);
	add_job(r.s, 1, "a", 4000, 999);
	run(r.s, true);
	for (int i = 0; i < shapes; i++)
		add_job(r.s, (uint64_t)i + 2, "a", 1000 + i, 0);
	w = run(r.s, true);
	is_int((long long)w.gangs, shapes, "each of %d shapes was tried", shapes);
	rig_done(&r);
	return w.probes + w.chunks;
}

static void test_larger(void)
{
	for (int displacing = 0; displacing < 2; displacing++) {
		uint64_t few = first_sight(10, displacing), many = first_sight(1000, displacing);

		is_int((long long)many, (long long)few, "only one of the shapes is searched for");
	}
}

/*
 * A job that does not delay the reservation is found quickly behind many jobs that would delay it.
 */
static void test_held(void)
{
	struct sched_round in = {.now_us = 1};
	struct sched_result res;
	uint64_t work;
	struct rig r;

	rig_init(&r);
	add_nodes(r.s, 1);
	sched_queue_set(r.s, "a", 1, false);
	add_limited(r.s, 1, "a", 3000, 0, 1000);
	run(r.s, true);
	add_job(r.s, 2, "a", 4000, 0);
	for (int i = 0; i < 20000; i++)
		add_limited(r.s, (uint64_t)i + 3, "a", 1000, 0, 2000);
	add_limited(r.s, 30000, "a", 1000, 0, 500);
	sched_run_round(r.s, &in, &res);
	ok(res.reservation && res.reservation->job == 2, "a reservation is made");
	ok(res.decision_count == 1 && res.decisions[0].job == 30000, "one job starts before it");
	work = sum(res.work);
	ok(work < 50, "the job is found behind 20,000 others: %llu", (unsigned long long)work);
	sched_result_done(&res);
	sched_job_remove(r.s, 30000);
	sched_run_round(r.s, &in, &res);
	is_int((long long)res.decision_count, 0, "without that job no job starts");
	sched_result_done(&res);
	/* a job of another queue with the same time limit, which has no room */
	sched_queue_set(r.s, "b", 1, false);
	add_limited(r.s, 30001, "b", 4000, 0, 500);
	sched_run_round(r.s, &in, &res);
	is_int((long long)res.decision_count, 0,
	       "no job of another queue with the same limit starts");
	sched_result_done(&res);
	rig_done(&r);
}

/* When there is room for one job, one job is placed, and each shape is tried once. */
static void test_one_place(void)
{
	struct rig r;
	struct sched_work w;

	rig_init(&r);
	add_nodes(r.s, 1000);
	sched_queue_set(r.s, "a", 1, false);
	add_job(r.s, 1, "a", 4000, 0);
	run(r.s, true);
	for (int i = 0; i < 20000; i++)
		add_job(r.s, (uint64_t)i + 2, "a", 4000, 0);
	run(r.s, true);
	sched_end(r.s, 1, 0);
	w = run(r.s, true);
	is_int((long long)w.placed, 1, "one job is placed");
	ok(w.probes + w.chunks < 200, "the job is found without a visit of all nodes: %llu",
	   (unsigned long long)(w.probes + w.chunks));
	rig_done(&r);
}

static void test_array(void)
{
	struct rig r;
	struct sched_work w;

	rig_init(&r);
	add_nodes(r.s, 10);
	sched_queue_set(r.s, "a", 1, false);
	add_job(r.s, 1, "a", 1000, 999999);
	w = run(r.s, true);
	is_int((long long)w.placed, 40, "the elements that fit start");
	is_int((long long)w.subqueues, 1, "the remaining elements are one subqueue");
	ok(sum(run(r.s, true)) < 50, "the remaining elements cost nothing while there is no room");
	rig_done(&r);
}

static bool after_three(void *arg)
{
	return ++*(int *)arg > 3;
}

static void test_budget(void)
{
	int asked = 0;
	struct sched_round in = {.now_us = 1, .stop = after_three, .stop_arg = &asked};
	struct sched_result res;
	struct rig r;

	rig_init(&r);
	add_nodes(r.s, 10);
	sched_queue_set(r.s, "a", 1, false);
	add_job(r.s, 1, "a", 1000, 99);
	sched_run_round(r.s, &in, &res);
	ok(res.cut, "a spent budget ends the round");
	is_int((long long)res.decision_count, 3, "the decisions so far are kept");
	sched_result_done(&res);
	rig_done(&r);
}

/* Plugins with invalid results: the results are checked and the plugin is named. */

static double bad_weight, bad_cost;
static int64_t bad_pick;

static void lie_begin(void *handle, const struct armada_fairness_round *round, double *ret_weights)
{
	(void)handle;
	for (size_t i = 0; i < round->queues->count; i++)
		ret_weights[i] = bad_weight;
}

static double lie_cost(const void *handle, const int64_t *allocated)
{
	(void)handle;
	(void)allocated;
	return bad_cost;
}

static int lie_open(void **ret_handle, const struct armada_option_value *values,
		    const struct armada_policy *policy, struct armada_error *err)
{
	(void)values;
	(void)policy;
	(void)err;
	*ret_handle = NULL;
	return 0;
}

static int lie_order(void **ret_handle, const struct armada_option_value *values,
		     const struct armada_policy *policy, struct armada_order_traits *ret_traits,
		     struct armada_error *err)
{
	*ret_traits = (struct armada_order_traits){0};
	return lie_open(ret_handle, values, policy, err);
}

static void lie_close(void *handle)
{
	(void)handle;
}

static int64_t lie_pick(void *handle, const struct armada_order_head *heads, size_t count)
{
	(void)handle;
	(void)heads;
	(void)count;
	return bad_pick;
}

static void lie_sequence(const void *handle, uint32_t *ret_sequence)
{
	(void)handle;
	ret_sequence[0] = ret_sequence[1] = ret_sequence[2] = 1;
}

static const struct armada_fairness_ops fairness_ops = {
	.open = lie_open, .close = lie_close, .begin = lie_begin, .cost = lie_cost};
static const struct armada_order_ops order_ops = {
	.open = lie_order, .close = lie_close, .pick = lie_pick};
static const struct armada_select_ops select_ops = {
	.open = lie_open, .close = lie_close, .sequence = lie_sequence};
static const struct armada_plugin descriptor = {.name = "liar"};

/*
 * A round with one node and one job under these plugins: the fault, or the number of placed jobs.
 */
static void lie(struct rig *r, bool fairness, bool order, const char *want)
{
	struct plugin f = {.desc = &descriptor, .ops = &fairness_ops};
	struct plugin o = {.desc = &descriptor, .ops = &order_ops};
	static const char *const resources[] = {"cpu", "memory", "gpu"};
	static const struct sched_class classes[] = {{"mid", 0, true, true, {0}, false}};
	struct sched_config config = {.resources = resources,
				      .resource_count = 3,
				      .classes = classes,
				      .class_count = 1,
				      .fairness = fairness ? &f : &r->fairness,
				      .order = order ? &o : &r->order,
				      .preempt = &r->preempt,
				      .select = &r->select};
	struct sched_round in = {.now_us = 1};
	struct sched_result res;
	struct sched *s = sched_new(&config, NULL);

	add_nodes(s, 1);
	sched_queue_set(s, "a", 1, false);
	add_job(s, 1, "a", 1000, 0);
	sched_run_round(s, &in, &res);
	is_str(res.fault ? res.fault : "none", want, "a fault is named");
	is_int((long long)res.decision_count, res.fault || order ? 0 : 1,
	       "nothing is decided after a fault");
	sched_result_done(&res);
	sched_free(s);
}

static void test_liars(void)
{
	struct plugin sel = {.desc = &descriptor, .ops = &select_ops};
	static const char *const resources[] = {"cpu", "memory", "gpu"};
	static const struct sched_class classes[] = {{"mid", 0, true, true, {0}, false}};
	struct rig r;
	struct err err = {""};
	struct sched_config config = {.resources = resources,
				      .resource_count = 3,
				      .classes = classes,
				      .class_count = 1,
				      .fairness = &r.fairness,
				      .order = &r.order,
				      .preempt = &r.preempt,
				      .select = &sel};

	rig_init(&r);
	bad_weight = 1;
	bad_cost = 0;
	lie(&r, true, false, "none");
	bad_weight = NAN;
	lie(&r, true, false, "plugin fairness/liar: weight of queue a is nan");
	bad_weight = 1;
	bad_cost = INFINITY;
	lie(&r, true, false, "plugin fairness/liar: a cost is inf");
	bad_pick = 7;
	lie(&r, false, true, "plugin order/liar: it picked 7 of 1");
	bad_pick = ARMADA_ORDER_NONE;
	lie(&r, false, true, "none");
	ok(!sched_new(&config, &err), "an invalid sequence is refused");
	is_str(err.text, "plugin liar: its sequence of resources is not one",
	       "the message names the plugin");
	rig_done(&r);
}

int main(void)
{
	test_saturated();
	test_put_back();
	test_larger();
	test_held();
	test_one_place();
	test_array();
	test_budget();
	test_liars();
	return done();
}
