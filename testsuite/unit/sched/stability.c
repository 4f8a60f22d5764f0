/*
 * Preemption stability, measured: in how many worlds does a second round preempt again when the
 * preempted jobs come back, and how many rounds does it take until a round decides nothing?
 *
 *	stability [FIRST-SEED [COUNT]]      COUNT worlds that preempt, of each kind
 *	stability show KIND WAY SEED        what happens in one world; KIND 0 to 5, WAY new, place or all
 *
 * The table is printed as a comment: for each kind of world the per cent of worlds that preempt again, the
 * number of worlds that decide in more than two more rounds, the most rounds, and the number of worlds that
 * never come to rest, with their seeds. The ratio compares what the first preempting round displaced with
 * what it placed, both by the dominant resource.
 */
#include "unit/sched/stability_world.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 1000, SEEDS = 20 };

/* With the per cent of worlds that preempt again, by way. */
static const struct row {
	struct stability_kind kind;
	double expected[STABILITY_WAYS];
} rows[] = {{{"1 class, like sizes", 1, false, false, false}, {0, 0, 0}},
	    {{"1 class, mixed sizes", 1, true, false, false}, {0.3, 0.3, 0.5}},
	    {{"3 classes, like", 3, false, false, false}, {0.1, 0.1, 2.0}},
	    {{"3 classes, mixed", 3, true, false, false}, {1.5, 1.5, 3.4}},
	    {{"3, two resources", 3, true, true, false}, {2.1, 2.1, 4.0}},
	    {{"3, two resources, gangs", 3, true, true, true}, {2.1, 2.1, 3.7}}};

static const char *const ways[STABILITY_WAYS] = {"new", "place", "all"};

struct sums {
	long worlds, again, late, most, endless, waking;
	double placed, displaced;
	uint64_t seeds[SEEDS];
};

static void count(struct sums *s, const struct stability_fate *f, uint64_t seed)
{
	s->worlds++;
	s->again += f->again;
	s->late += f->rounds > 2;
	s->most = f->rounds > s->most ? f->rounds : s->most;
	s->waking += f->wakes;
	s->placed += f->placed;
	s->displaced += f->displaced;
	if (f->rounds < STABILITY_LAST)
		return;
	if (s->endless < SEEDS)
		s->seeds[s->endless] = seed;
	s->endless++;
}

static void tell(const struct row *row, const struct sums *sums)
{
	CLEANUP_BUF struct buf b = {0};

	for (int way = 0; way < STABILITY_WAYS; way++) {
		const struct sums *s = &sums[way];

		buf_addf(&b, " | %s %5.2f %%, late %ld, most %ld, endless %ld", ways[way],
			 100.0 * (double)s->again / (double)s->worlds, s->late, s->most,
			 s->endless);
		for (int i = 0; i < s->endless && i < SEEDS; i++)
			buf_addf(&b, "%s%llu", i ? "," : ": ", (unsigned long long)s->seeds[i]);
	}
	diag("%-24s%s | displaced/placed %.3f", row->kind.name, b.data,
	     sums[0].displaced / sums[0].placed);
}

/* No more than expected, but for chance: three standard deviations. */
static bool are_few(const struct row *row, const struct sums *sums)
{
	for (int way = 0; way < STABILITY_WAYS; way++) {
		double expected = row->expected[way] / 100 * (double)sums[way].worlds;

		if ((double)sums[way].again > expected + 3 * sqrt(expected))
			return false;
	}
	return true;
}

static void test_row(const struct rig *r, const struct row *row, uint64_t first, long worlds)
{
	struct sums sums[STABILITY_WAYS] = {0};
	struct stability_fate f;

	for (uint64_t seed = first; sums[STABILITY_NEW].worlds < worlds; seed++)
		for (int way = 0; way < STABILITY_WAYS; way++) {
			stability_play(r, &row->kind, seed, (enum stability_way)way, false, &f);
			if (!f.preempts)
				break;
			count(&sums[way], &f, seed);
		}
	tell(row, sums);
	ok(are_few(row, sums), "%s: few worlds preempt again", row->kind.name);
	is_int(sums[STABILITY_PLACE].endless, 0, "%s: all come to rest at their old place",
	       row->kind.name);
	is_int(sums[STABILITY_ALL].endless, 0, "%s: so they do while all others wait",
	       row->kind.name);
	is_int(sums[0].waking + sums[1].waking + sums[2].waking, 0,
	       "%s: a round in which nothing waits decides nothing", row->kind.name);
}

/*
 * Two jobs that would displace each other for ever. A's low task (cannot be preempted for its share) counts
 * in the cost of A only while it runs: with it, B's mid job goes first; without it, A's mid job.
 */
static void test_example(const struct rig *r)
{
	static const struct stability_job runs[] = {
		{0, 0, 2, 1, {2000, RIG_G}, 0, 0, false, false, {2}},
		{0, 0, 1, 1, {1000, RIG_G}, 0, 0, false, false, {0}},
		{0, 0, 0, 1, {1000, 2 * RIG_G}, 0, 0, false, false, {0}},
		{0, 1, 2, 1, {1000, 2 * RIG_G}, 0, 0, false, false, {1}},
		{0, 2, 3, 1, {1000, 2 * RIG_G}, 0, 0, false, false, {3}}};
	struct stability_world w = {.classes = {{"low", 10, false, true, {0}, false},
						{"mid", 20, true, true, {0}, false},
						{"high", 30, true, true, {0}, false},
						{"fixed", 30, false, false, {0}, false}},
				    .class_count = 4,
				    .queue_count = 3,
				    .factors = {2, 2, 2},
				    .node_count = 4,
				    .nodes = {{2000, 4 * RIG_G},
					      {2000, 2 * RIG_G},
					      {2000, 2 * RIG_G},
					      {2000, 2 * RIG_G}}};
	struct stability_round first;
	bool again;

	stability_open(&w, r);
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		w.jobs[i] = runs[i];
		stability_submit(&w, &w.jobs[i]);
		stability_start(&w, &w.jobs[i]);
	}
	w.jobs[5] = (struct stability_job){.queue = 1, .class = 1, .members = 1};
	w.jobs[5].request[0] = 2000;
	w.jobs[5].request[1] = 2 * RIG_G;
	w.job_count = 6;
	stability_submit(&w, &w.jobs[5]);
	stability_round(&w, &first);
	is_int(first.preempted, 2, "a job displaces two of another queue");
	is_int(stability_settle(&w, &first, STABILITY_PLACE, &again), 0,
	       "they do not displace it in turn");
	stability_done(&w);
}

/* Worlds in which three jobs displaced one another in turn. */
static void test_kept(const struct rig *r)
{
	static const struct {
		int row;
		uint64_t seed;
		enum stability_way way;
	} kept[] = {{4, 731, STABILITY_PLACE},    {4, 65423, STABILITY_ALL},
		    {4, 189352, STABILITY_ALL},   {5, 64857, STABILITY_ALL},
		    {5, 103432, STABILITY_PLACE}, {5, 159632, STABILITY_PLACE},
		    {5, 162766, STABILITY_PLACE}, {5, 248827, STABILITY_PLACE}};
	struct stability_fate f;

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		stability_play(r, &rows[kept[i].row].kind, kept[i].seed, kept[i].way, false, &f);
		ok(f.preempts && f.rounds < STABILITY_LAST, "%s: seed %llu comes to rest",
		   rows[kept[i].row].kind.name, (unsigned long long)kept[i].seed);
	}
}

static int show(const struct rig *r, char **argv)
{
	struct stability_fate f;
	int way = 0;

	while (way + 1 < STABILITY_WAYS && strcmp(ways[way], argv[3]) != 0)
		way++;
	stability_play(r, &rows[atoi(argv[2])].kind, strtoull(argv[4], NULL, 10),
		       (enum stability_way)way, true, &f);
	return 0;
}

int main(int argc, char **argv)
{
	struct rig r;

	stability_load(&r);
	if (argc == 5 && strcmp(argv[1], "show") == 0)
		return show(&r, argv);
	test_example(&r);
	test_kept(&r);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		test_row(&r, &rows[i], argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
			 argc > 2 ? atol(argv[2]) : WORLDS);
	rig_done(&r);
	return done();
}
