/*
 * Backfill in small worlds: a gang waits for room and holds a reservation; only jobs that do not
 * delay it may start before it.
 */
#include "tap/tap.h"
#include "unit/sched/rig.h"
#include "unit/sched/script.h"
#include "util/mem.h"

static const struct {
	const char *name, *text;
} worlds[] = {
	{"a short job starts before the reservation, a long job does not",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=4 limit=60\n"
	 "job 2 a cpu=2 limit=100\nround\n> 1.0@n0 2.0@n1\n= -\n"
	 "job 3 a cpu=4 members=2 limit=50\njob 4 a cpu=1 limit=100\njob 5 a cpu=1 limit=101\n"
	 "job 6 a cpu=1\nround\n> 4.0@n1\n= 3.0 at 100 n0 n1\n"
	 "? 3 none of 2 nodes has 4 cpu free now (best: n1 with 2); 2 nodes are reserved for it\n"
	 "? 5 would delay job 3, for which 2 nodes are reserved\n? 6 -\n"
	 "time 60\nend 1 0\nround\n>\n= 3.0 at 100 n0 n1\ntime 100\nend 2 0\nend 4 0\n"
	 "round\n> 3.0@n0,n1\n= 5.0 at 150 n0\n"},
	{"without a predictable start no job is held back",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=4\njob 2 a cpu=3 limit=50\n"
	 "round\n> 1.0@n0 2.0@n1\njob 3 a cpu=4 members=2\njob 4 a\nround\n> 4.0@n1\n= -\n"
	 "? 3 none of 2 nodes has 4 cpu free now (best: n1 with 1)\n"},
	{"a job that no node can ever hold does not hold back other jobs",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=3 limit=50\nround\n> 1.0@n0\njob 2 a cpu=5\n"
	 "job 3 a\nround\n> 3.0@n0\n= -\n? 2 no node has 5 cpu at all (largest: n0 with 4)\n"},
	{"the first job with a predictable start holds the reservation",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=4\njob 2 a cpu=3 limit=50\n"
	 "round\n> 1.0@n0 2.0@n1\njob 3 a cpu=4 members=2\njob 4 a cpu=4\njob 5 a\njob 6 a limit=50\n"
	 "round\n> 6.0@n1\n= 4.0 at 50 n1\n"
	 "? 4 none of 2 nodes has 4 cpu free now (best: n1 with 1); n1 is reserved for it\n"
	 "? 5 would delay job 4, for which n1 is reserved\n"},
	{"the start is the time at which the last member has room",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nnode n2 cpu=4 mem=8\nqueue a 1\n"
	 "job 1 a cpu=4 limit=90\njob 2 a cpu=4 limit=30\njob 3 a cpu=3 limit=60\n"
	 "round\n> 1.0@n0 2.0@n1 3.0@n2\njob 4 a cpu=2 members=2 distinct\njob 5 a cpu=2 members=3\n"
	 "peek\n>\n= 4.0 at 60 n1 n2\n"
	 "unwait 4 0\nremove 4\npeek\n>\n= 5.0 at 60 n1*2 n2\n"},
	{"a gang with a uniformity label reserves the value with the earliest start",
	 "node n0 cpu=4 mem=8 label=rack:r1\nnode n1 cpu=4 mem=8 label=rack:r1\n"
	 "node n2 cpu=4 mem=8 label=rack:r2\nnode n3 cpu=4 mem=8 label=rack:r2\nqueue a 1\n"
	 "job 1 a cpu=4 limit=100\njob 2 a cpu=4 limit=90\njob 3 a cpu=4 limit=60\n"
	 "job 4 a cpu=4 limit=200\nround\n> 1.0@n0 2.0@n1 3.0@n2 4.0@n3\n"
	 "job 5 a cpu=4 members=2 uniform=rack\nround\n>\n= 5.0 at 100 n0 n1\n"
	 "job 6 a prio=-1 cpu=4 members=2\nround\n>\n= 6.0 at 90 n1 n2\n"},
	{"room that the reservation leaves on its nodes can be used without a time limit",
	 "node n0 cpu=8 mem=8\nqueue a 1\njob 1 a cpu=5 limit=100\nround\n> 1.0@n0\njob 2 a cpu=6\n"
	 "job 3 a wait=0-4\nround\n> 3.0@n0 3.1@n0\n= 2.0 at 100 n0\n"
	 "? 3 would delay job 2, for which n0 is reserved\ntime 100\nend 1 0\n"
	 "round\n> 2.0@n0\n"},
	{"of jobs of one shape a shorter one may start before a longer one",
	 "node n0 cpu=8 mem=8\nqueue a 1\njob 1 a cpu=5 limit=100\nround\n> 1.0@n0\njob 2 a cpu=8\n"
	 "job 3 a limit=101\njob 4 a limit=99\njob 5 a\njob 6 a limit=100\njob 7 a limit=5\njob 8 a limit=1\n"
	 "round\n> 4.0@n0 6.0@n0 7.0@n0\n= 2.0 at 100 n0\n"
	 "? 3 would delay job 2, for which n0 is reserved\n"
	 "? 5 would delay job 2, for which n0 is reserved\n"
	 "? 8 no node has 1 cpu free now (best: n0 with 0)\n"},
	{"a job that accepts a lower time limit starts with one that ends at the reservation",
	 "node n0 cpu=8 mem=8\nqueue a 1\njob 1 a cpu=5 limit=100\nround\n> 1.0@n0\njob 2 a cpu=8\n"
	 "job 3 a limit=200 least=101\njob 4 a limit=200 least=60 grace=5\njob 5 a limit=90 least=10\n"
	 "time 30\nround\n> 4.0@n0 for 65s 5.0@n0 for 70s\n= 2.0 at 100 n0\n"
	 "? 3 would delay job 2, for which n0 is reserved\n"
	 "time 35\nround\n>\n= 2.0 at 100 n0\ntime 100\nend 1 0\nend 4 0\nend 5 0\nround\n> 2.0@n0\n"},
	{"a lower time limit is not chosen where the reservation is not in the way",
	 "node n0 cpu=8 mem=8\nnode n1 cpu=2 mem=8\nqueue a 1\njob 1 a cpu=7 limit=100\nround\n> 1.0@n0\n"
	 "job 2 a cpu=8\njob 3 a cpu=2 limit=200 least=50\njob 4 a limit=200 least=100\nround\n"
	 "> 3.0@n1 4.0@n0 for 100s\n= 2.0 at 100 n0\n"},
	{"a changed time limit replaces the lowered one",
	 "node n0 cpu=8 mem=8\nqueue a 1\njob 1 a cpu=5 limit=100\nround\n> 1.0@n0\njob 2 a cpu=8\n"
	 "job 4 a limit=200 least=60\nround\n> 4.0@n0 for 100s\n"
	 "change 4 a limit=300 least=60\nround\n>\n= 2.0 at 300 n0\n"},
	{"the prediction includes the ends of jobs that started in the same round",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=4 limit=70\njob 2 a cpu=2\njob 3 a cpu=3 limit=1\n"
	 "time 10\nround\n> 1.0@n0\n= 2.0 at 80 n0\n"},
	{"a job may run for its grace period after its time limit, in the prediction and in the check",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=2 limit=100 grace=30\nround\n> 1.0@n0\n"
	 "job 2 a cpu=4\njob 3 a limit=120 grace=11\njob 4 a limit=120 grace=10\njob 5 a grace=10\n"
	 "round\n> 4.0@n0\n= 2.0 at 130 n0\n"
	 "? 3 would delay job 2, for which n0 is reserved\n"
	 "time 130\nend 1 0\nend 4 0\nround\n> 2.0@n0\n"},
	{"a job that starts in the same round may use its grace period",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=4 limit=70 grace=5\njob 2 a cpu=2\n"
	 "time 10\nround\n> 1.0@n0\n= 2.0 at 85 n0\n"},
	{"an overdue job is expected to end at once",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=3 limit=70\nround\n> 1.0@n0\njob 2 a cpu=4\n"
	 "job 3 a limit=1\ntime 100\nround\n>\n= 2.0 at 100 n0\n"
	 "? 3 would delay job 2, for which n0 is reserved\n"},
	{"the node of an exclusive reservation is kept empty",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=1 limit=70\n"
	 "job 2 a cpu=4 limit=90\nround\n> 1.0@n0 2.0@n1\njob 3 a cpu=1 exclusive\njob 4 a cpu=1 limit=71\n"
	 "job 5 a cpu=1 limit=70\nround\n> 5.0@n0\n= 3.0 at 70 n0\n"
	 "? 3 wants a whole node, and none of 2 nodes is empty; n0 is reserved for it\n"
	 "? 4 would delay job 3, for which n0 is reserved\n"},
	{"an exclusive job does not get a reserved node",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=4 limit=70\n"
	 "round\n> 1.0@n0\njob 2 a cpu=2 members=3\njob 3 a cpu=1 exclusive\n"
	 "job 4 a cpu=1 exclusive limit=70\nround\n> 4.0@n1\n= 2.0 at 70 n0*2 n1\n"
	 "? 3 would delay job 2, for which 2 nodes are reserved\n"},
	{"a job that keeps its nodes does not get a node that is reserved for another user",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=4 limit=70 user=ann\n"
	 "round\n> 1.0@n0\njob 2 a cpu=2 members=3 user=bob\njob 3 a cpu=1 keeps user=eve\n"
	 "job 4 a cpu=1 keeps limit=70 user=eve\nround\n> 4.0@n1\n= 2.0 at 70 n0*2 n1\n"
	 "? 3 would delay job 2, for which 2 nodes are reserved\n"},
	{"a node that is reserved for a job that keeps it is left to its user",
	 "node n0 cpu=4 mem=8\nnode n1 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=1 limit=70 user=ann\n"
	 "job 2 a cpu=4 limit=90 user=ann\nround\n> 1.0@n0 2.0@n1\njob 3 a cpu=1 keeps user=bob\n"
	 "job 4 a cpu=1 limit=71 user=ann\njob 5 a cpu=1 limit=70 user=ann\njob 6 a cpu=1 user=bob\nround\n"
	 "> 5.0@n0 6.0@n0\n= 3.0 at 70 n0\n? 4 would delay job 3, for which n0 is reserved\n"},
	{"jobs are held back in both queues",
	 "node n0 cpu=8 mem=8\nqueue a 1\nqueue b 1\njob 1 a cpu=5 limit=100\nround\n> 1.0@n0\n"
	 "job 2 b class=high cpu=8\njob 3 a\njob 4 b\njob 5 a limit=20\nround\n> 5.0@n0\n= 2.0 at 100 n0\n"
	 "? 3 would delay job 2, for which n0 is reserved\n"
	 "? 4 would delay job 2, for which n0 is reserved\n"},
	{"a nearer start is reported again, an unchanged one is not",
	 "node n0 cpu=4 mem=8\nqueue a 1\njob 1 a cpu=2 limit=3600\njob 2 a cpu=2 limit=600\nround\n"
	 "> 1.0@n0 2.0@n0\njob 3 a cpu=4\nround\n"
	 "? 3 no node has 4 cpu free now (best: n0 with 0); n0 is reserved for it\nround\n? 3 -\n"
	 "end 1 0\nround\n"
	 "? 3 no node has 4 cpu free now (best: n0 with 2); n0 is reserved for it\n"},
};

static void add_job(struct sched *s, uint64_t id, const char *queue, const char *class, int64_t cpu,
		    int64_t limit_us)
{
	struct sched_job j = {.id = id,
			      .queue = queue,
			      .class_name = class,
			      .request = {cpu},
			      .members = 1,
			      .min_members = 1,
			      .time_limit_us = limit_us};

	sched_job_add(s, &j);
	sched_wait(s, id, 0, 0, 1);
}

static void round_reserves(struct sched *s, int64_t want_us, const char *what)
{
	struct sched_round in = {.now_us = 1};
	struct sched_result res;

	sched_run_round(s, &in, &res);
	is_int((long long)res.decision_count, 0, "nothing is decided");
	is_int(res.reservation ? (long long)res.reservation->start_us : 0, want_us, "%s", what);
	sched_result_done(&res);
}

/*
 * A reservation does not wait for a job that can be evicted; it waits for a job within its share.
 */
static void test_evicted(void)
{
	static const struct sched_class classes[] = {{"mid", 0, true, true, {0}, false},
						     {"firm", 0, false, false, {0}, false}};
	static const struct sched_node node = {.name = "n", .total = {4}, .schedulable = true};
	const char *on = "n";
	struct rig r;

	rig_init_fairshare(&r, classes, ARRAY_SIZE(classes), 1);
	sched_node_set(r.s, &node);
	for (const char *const *q = (const char *const[]){"a", "b", "c", NULL}; *q; q++)
		sched_queue_set(r.s, *q, **q == 'a' ? 0.1 : 1, false);
	add_job(r.s, 1, "b", "mid", 2, 100);
	add_job(r.s, 2, "c", "firm", 2, 50);
	sched_run(r.s, 1, 0, &on, 1);
	sched_run(r.s, 2, 0, &on, 1);
	add_job(r.s, 3, "a", "mid", 4, 0);
	round_reserves(r.s, 51, "a job of a queue above its share does not block the start");
	sched_queue_set(r.s, "b", 0.05, false);
	round_reserves(r.s, 101, "a job of a queue within its share blocks the start");
	rig_done(&r);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		script_play(worlds[i].name, worlds[i].text);
	test_evicted();
	return done();
}
