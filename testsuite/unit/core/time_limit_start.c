/*
 * The start of a time limit in the model of the scheduler. The limit of a job with a pending lease
 * counts from its launch orders, and then from the reported start. A feed that applies records and
 * a feed that is filled from the state must agree.
 */
#include "fed_sched.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define SECOND INT64_C(1000000)

enum { NODES = 2, LIMIT_S = 100, GRACE_S = 7 };

/* Submits a job that fills a node; a member of a gang with this cardinality, 0: of no gang. */
static uint64_t submit(struct test_world *w, struct fed_sched *p, uint32_t cardinality,
		       int64_t limit_s)
{
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, *list[] = {&cpu};
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t id;

	spec_init(&spec, &group);
	cpu.name = (char *)"cpu";
	cpu.amount = 4000;
	group.resources = list;
	group.n_resources = 1;
	spec.gang_id = (char *)(cardinality ? "g" : "");
	spec.gang_cardinality = cardinality;
	spec.time_limit_s = limit_s;
	spec.grace_ms = GRACE_S * 1000;
	id = world_submit(w, &spec);
	fed_sched_apply(p, w);
	return id;
}

/* The expected start of the pending job; 0 if the scheduler cannot tell. */
static int64_t expected(struct fed_sched *p, const struct test_world *w)
{
	struct sched_round round = {.now_us = w->wall_us, .seed = 1};
	struct sched_result result;
	int64_t start_us;

	sched_run_round(p->rig.s, &round, &result);
	start_us = result.reservation ? result.reservation->start_us : 0;
	sched_result_done(&result);
	return start_us;
}

static int64_t expected_filled(const struct test_world *w)
{
	struct fed_sched p;
	int64_t start_us;

	fed_sched_init(&p, w, (struct rig_policy){.fairness = NULL});
	start_us = expected(&p, w);
	fed_sched_done(&p);
	return start_us;
}

/*
 * The job that uses the room of the pending lease takes a minute to end, so the start is long after
 * the lease.
 */
static void test_pending(uint32_t cardinality)
{
	static const char *const names[NODES] = {"n1", "n2"};
	int count = cardinality ? (int)cardinality : 1;
	int64_t limit_us = LIMIT_S * SECOND + GRACE_S * SECOND;
	uint64_t old[NODES], next[NODES];
	struct test_world w;
	struct fed_sched p;

	world_init(&w);
	for (int i = 0; i < count; i++)
		world_node(&w, (uint64_t)i + 1, names[i], 4, "boot", (uint8_t)(i + 1));
	fed_sched_init(&p, &w, (struct rig_policy){.fairness = NULL});
	for (int i = 0; i < count; i++) {
		old[i] = submit(&w, &p, 0, 0);
		world_decide(&w, old[i], 0, names[i]);
		fed_sched_apply(&p, &w);
		world_started(&w, (uint64_t)i + 1, old[i], 0, 0, 1);
		fed_sched_apply(&p, &w);
	}
	for (int i = 0; i < count; i++)
		next[i] = submit(&w, &p, cardinality, LIMIT_S);
	for (int i = 0; i < count; i++) {
		world_preempt(&w, old[i], 0);
		fed_sched_apply(&p, &w);
	}
	world_decide(&w, next[0], 0, cardinality ? "n1 n2" : "n1");
	fed_sched_apply(&p, &w);
	submit(&w, &p, 0, 0);
	is_int(expected_filled(&w), w.wall_us + limit_us,
	       "a filled feed counts a pending lease from now");

	world_tick(&w, 30 * SECOND);
	fed_sched_apply(&p, &w);
	for (int i = 0; i < count; i++) {
		world_ended(&w, (uint64_t)i + 1, old[i], 0, 0, 1, ARMADA__END_CAUSE__END_PREEMPTED,
			    0);
		fed_sched_apply(&p, &w);
	}
	is_int(expected(&p, &w), w.wall_us + limit_us, "the time counts from the launch orders");
	world_tick(&w, 2 * SECOND);
	fed_sched_apply(&p, &w);
	for (int i = 0; i < count; i++) {
		world_started(&w, (uint64_t)i + 1, next[i], 0, 0, 1);
		fed_sched_apply(&p, &w);
	}
	ok(expected(&p, &w) >= w.wall_us - SECOND + limit_us,
	   "the time counts from the reported start");
	is_int(expected(&p, &w), expected_filled(&w), "a filled feed counts from the same start");
	fed_sched_done(&p);
	world_done(&w);
}

int main(void)
{
	test_pending(0);
	test_pending(NODES);
	return done();
}
