/*
 * Floating resources: which jobs start, what is reserved for queues, what evicted and preempted
 * gangs hold, and what happens after a reduction.
 */
#include "tap/tap.h"
#include "sched/floating_total.h"
#include "unit/sched/rig.h"
#include "util/mem.h"

#include <string.h>

enum { LICENSE = RIG_FPGA };

struct world {
	struct rig rig;
	struct sched_result result;
	int64_t now_us;
};

static void begin_with(struct world *w, double protected_fraction, const struct sched_kept *kept,
		       size_t count)
{
	static const struct sched_class classes[] = {{"low", 0, true, true, {0}, false},
						     {"high", 1000, false, false, {0}, false}};
	struct rig_policy p = {.preempt = "fairshare",
			       .options = {{"protected_fraction", protected_fraction, NULL, 0}},
			       .option_count = 1,
			       .classes = classes,
			       .class_count = 2,
			       .limits = {.kept = kept, .kept_count = count},
			       .more = 1};
	struct sched_node n = {.name = "n0", .schedulable = true};

	*w = (struct world){.now_us = 1000000};
	rig_init_policy(&w->rig, &p);
	n.total[RIG_CPU] = 64000;
	n.total[RIG_MEMORY] = 64 * RIG_G;
	sched_node_set(w->rig.s, &n);
	sched_queue_set(w->rig.s, "a", 1, false);
	sched_queue_set(w->rig.s, "cfd", 1, false);
}

static void begin(struct world *w, double protected_fraction)
{
	begin_with(w, protected_fraction, NULL, 0);
}

static void end(struct world *w)
{
	sched_result_done(&w->result);
	rig_done(&w->rig);
}

static void job(struct world *w, uint64_t id, const char *queue, const char *class, int64_t cpus,
		int64_t licenses)
{
	struct sched_job j = {.id = id,
			      .queue = queue,
			      .class_name = class,
			      .submit_us = (int64_t)id,
			      .members = 1,
			      .min_members = 1};

	j.request[RIG_CPU] = cpus * 1000;
	j.request[RIG_MEMORY] = RIG_G;
	j.licenses[LICENSE] = licenses;
	sched_job_add(w->rig.s, &j);
	sched_wait(w->rig.s, id, 0, 0, 1);
}

/* Runs a round, applies it, and compares its decisions. */
static void round_is(struct world *w, const char *decisions, const char *what)
{
	struct sched_round in = {.now_us = w->now_us += 1000000};
	CLEANUP_FREE char *got = NULL;

	sched_result_done(&w->result);
	sched_run_round(w->rig.s, &in, &w->result);
	got = rig_decisions(&w->result);
	is_str(got, decisions, "%s", what);
	for (size_t i = 0; i < w->result.decision_count; i++)
		rig_accept(w->rig.s, &w->result.decisions[i]);
}

static const struct sched_reason *reason_of(const struct world *w, uint64_t id)
{
	for (size_t i = 0; i < w->result.reason_count; i++)
		if (w->result.reasons[i].job == id)
			return &w->result.reasons[i];
	return NULL;
}

static void waits(struct world *w, uint64_t id, const char *text)
{
	const struct sched_reason *r = reason_of(w, id);

	is_str(r ? r->text : "no reason", text, "the reason of job %llu", (unsigned long long)id);
	is_int(r ? (int)r->why : 0, WHY_LICENSES, "it is Licenses");
}

static void test_fit(void)
{
	struct world w;

	begin(&w, 1);
	sched_floating_set(w.rig.s, LICENSE, 5, 0);
	job(&w, 1, "a", "high", 1, 3);
	job(&w, 2, "a", "high", 1, 3);
	job(&w, 3, "a", "high", 1, 2);
	job(&w, 4, "a", "high", 1, 0);
	round_is(&w, "1.0@n0 3.0@n0 4.0@n0", "the sum stays within the total in one round");
	waits(&w, 2, "3 fpga asked, 2 of 5 free (3 used)");
	job(&w, 5, "a", "high", 1, 1);
	round_is(&w, "", "and over rounds");
	waits(&w, 5, "1 fpga asked, 0 of 5 free (5 used: job 1 holds 3, job 3 holds 2)");
	sched_end(w.rig.s, 3, 0);
	round_is(&w, "5.0@n0", "the end of a job frees what it held");
	sched_floating_set(w.rig.s, LICENSE, 8, 1);
	round_is(&w, "2.0@n0", "a larger total starts more, without those used outside");
	end(&w);
}

static void test_reduction(void)
{
	struct world w;

	begin(&w, 1);
	sched_floating_set(w.rig.s, LICENSE, 5, 0);
	job(&w, 1, "a", "high", 1, 2);
	job(&w, 2, "a", "high", 1, 3);
	round_is(&w, "1.0@n0 2.0@n0", "two jobs hold all");
	sched_floating_set(w.rig.s, LICENSE, 2, 0);
	job(&w, 3, "a", "high", 1, 1);
	round_is(&w, "", "below the use nothing ends and nothing starts");
	waits(&w, 3, "1 fpga asked, 0 of 2 free (5 used: job 2 holds 3, job 1 holds 2)");
	sched_end(w.rig.s, 1, 0);
	round_is(&w, "", "nor while the use is above the total");
	sched_end(w.rig.s, 2, 0);
	round_is(&w, "3.0@n0", "once it has fallen, jobs start");
	end(&w);
}

/* A gang of tasks asks once for all; what its tasks give back one by one stays with the element. */
static void test_gang(void)
{
	struct world w;
	struct sched_job j = {
		.id = 1, .queue = "a", .class_name = "high", .members = 3, .min_members = 3};

	begin(&w, 1);
	sched_floating_set(w.rig.s, LICENSE, 5, 0);
	j.request[RIG_CPU] = 1000;
	j.request[RIG_MEMORY] = RIG_G;
	j.licenses[LICENSE] = 4;
	sched_job_add(w.rig.s, &j);
	sched_wait(w.rig.s, 1, 0, 0, 1);
	job(&w, 2, "a", "high", 1, 2);
	round_is(&w, "1.0@n0,n0,n0", "a gang holds the amount of the whole job");
	sched_member_end(w.rig.s, 1, 0, 1);
	sched_member_yield(w.rig.s, 1, 0, 0);
	round_is(&w, "", "as long as one of its tasks is left");
	sched_end(w.rig.s, 1, 0);
	round_is(&w, "2.0@n0", "and until its end");
	end(&w);
}

static void member(struct world *w, uint64_t id, uint32_t cardinality, int64_t licenses)
{
	struct sched_gang gang = {.name = "g", .cardinality = cardinality};
	struct sched_job j = {.id = id,
			      .gang = &gang,
			      .queue = "a",
			      .class_name = "high",
			      .members = 1,
			      .min_members = 1};

	j.request[RIG_CPU] = 1000;
	j.request[RIG_MEMORY] = RIG_G;
	j.licenses[LICENSE] = licenses;
	sched_job_add(w->rig.s, &j);
	sched_wait(w->rig.s, id, 0, 0, 1);
	sched_gangs_settle(w->rig.s);
}

/* The jobs of a gang hold the sum; one that ends gives back its own. */
static void test_gang_of_jobs(void)
{
	static const char *const nodes[] = {"n0"};
	struct world w;

	begin(&w, 1);
	sched_floating_set(w.rig.s, LICENSE, 5, 0);
	member(&w, 1, 2, 3);
	member(&w, 2, 2, 2);
	job(&w, 3, "a", "high", 1, 3);
	{
		struct sched_round in = {.now_us = w.now_us += 1000000};

		sched_run_round(w.rig.s, &in, &w.result);
	}
	is_int(w.result.decision_count, 1, "the gang starts, and nothing else");
	is_int(w.result.decisions[0].job, 1, "it is named by its first job");
	sched_run(w.rig.s, 1, 0, nodes, w.now_us);
	sched_run(w.rig.s, 2, 0, nodes, w.now_us);
	sched_gang_begun(w.rig.s, 1);
	sched_gangs_settle(w.rig.s);
	round_is(&w, "", "all are in use");
	sched_end(w.rig.s, 1, 0);
	sched_job_remove(w.rig.s, 1);
	sched_gangs_settle(w.rig.s);
	round_is(&w, "3.0@n0", "a job of the gang that ends frees its own");
	sched_end(w.rig.s, 2, 0);
	sched_job_remove(w.rig.s, 2);
	sched_gangs_settle(w.rig.s);
	job(&w, 4, "a", "high", 1, 2);
	round_is(&w, "4.0@n0", "and the last one frees the rest");
	end(&w);
}

/* A gang that is evicted for balance and put back holds its own all the time. */
static void test_eviction(void)
{
	struct world w;

	begin(&w, 0);
	sched_floating_set(w.rig.s, LICENSE, 4, 0);
	job(&w, 1, "a", "low", 16, 4);
	job(&w, 2, "a", "low", 16, 0);
	round_is(&w, "1.0@n0 2.0@n0", "a queue has half of the node");
	job(&w, 3, "cfd", "high", 16, 1);
	round_is(&w, "", "what an evicted gang holds is given to nobody, and it is put back");
	waits(&w, 3, "1 fpga asked, 0 of 4 free (4 used: job 1 holds 4)");
	job(&w, 4, "cfd", "high", 48, 0);
	round_is(&w, "-2.0 4.0@n0", "for a node it may be displaced");
	end(&w);
}

/* What is reserved for a queue is left for it, as far as it does not use it. */
static void test_reservation(void)
{
	static const struct sched_kept kept[] = {{"cfd", LICENSE, 2}, {"later", LICENSE, 1}};
	struct world w;

	begin_with(&w, 1, kept, 2);
	sched_floating_set(w.rig.s, LICENSE, 6, 0);
	job(&w, 1, "a", "high", 1, 4);
	round_is(&w, "", "other queues leave it free");
	waits(&w, 1, "4 fpga asked, 6 of 6 free, 3 kept for other queues (0 used)");
	job(&w, 2, "a", "high", 1, 3);
	job(&w, 3, "cfd", "high", 1, 1);
	round_is(&w, "3.0@n0 2.0@n0", "they use the rest");
	job(&w, 4, "cfd", "high", 1, 2);
	round_is(&w, "", "a queue may not use what is reserved for another");
	waits(&w, 4,
	      "2 fpga asked, 2 of 6 free, 1 kept for other queues (4 used: job 2 holds 3, "
	      "job 3 holds 1)");
	sched_end(w.rig.s, 2, 0);
	round_is(&w, "4.0@n0", "it may use more than its own, if it is free");
	job(&w, 5, "a", "high", 1, 2);
	round_is(&w, "5.0@n0", "and then nothing is kept for it any more");
	end(&w);
}

int main(void)
{
	test_fit();
	test_reduction();
	test_gang();
	test_gang_of_jobs();
	test_eviction();
	test_reservation();
	return done();
}
