/*
 * The assignment of cpus and gpus to tasks. Small machines are compared with a search of all
 * subsets; random days with many tasks are checked against the rules.
 */
#include "agent/place.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS_MAX = 256, LIVE_MAX = 300 };

/* Makes a machine with this number of parts at each level. */
struct machine {
	struct place_cpu cpus[CPUS_MAX];
	struct place_gpu gpus[32];
	struct place_topology t;
};

struct shape {
	int sockets, numas, caches, cores, threads, gpus;
	bool inverted;  /* NUMA nodes within caches */
	bool scattered; /* the threads of a core have distant numbers, as on most machines */
};

static void build(struct machine *m, const struct shape *s)
{
	int cores = s->sockets * s->numas * s->caches * s->cores;
	int total = cores * s->threads;

	memset(m, 0, sizeof(*m));
	for (int i = 0; i < total; i++) {
		int core = s->scattered ? i % cores : i / s->threads;
		int cache = core / s->cores, numa = cache / s->caches;
		uint16_t *d = m->cpus[i].domain;

		m->cpus[i].number = (uint16_t)i;
		d[PLACE_CORE] = (uint16_t)core;
		d[PLACE_CACHE] = (uint16_t)(s->inverted ? numa : cache);
		d[PLACE_NUMA] = (uint16_t)(s->inverted ? cache : numa);
		d[PLACE_SOCKET] = (uint16_t)(numa / s->numas);
	}
	for (int g = 0; g < s->gpus; g++) {
		int numa = g * s->sockets * s->numas / s->gpus;

		m->gpus[g].numa = (int16_t)(s->inverted ? numa * s->caches : numa);
		m->gpus[g].socket = (int16_t)(numa / s->numas);
	}
	m->t = (struct place_topology){m->cpus, m->gpus, (size_t)total, (size_t)s->gpus};
}

/* The number of domains of a level that contain these cpus (by index). */
static int span(const struct machine *m, unsigned cpus, enum place_level level)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < m->t.cpu_count; i++)
		if (cpus >> i & 1)
			seen |= UINT64_C(1) << m->cpus[i].domain[level];
	return __builtin_popcountll(seen);
}

/* Marks each cpu that is in use. */
static int occupy(unsigned free_mask, size_t cpu_count, struct place *places,
		  const struct place **ret_live)
{
	int n = 0;

	for (size_t i = 0; i < cpu_count; i++) {
		if (free_mask >> i & 1)
			continue;
		places[n] = (struct place){.each_milli = 1000};
		place_add(places[n].cpus, i);
		ret_live[n] = &places[n];
		n++;
	}
	return n;
}

/* Compares the answer to one request in one state with every subset of the same size. */
static const char *check_all(const struct machine *m, unsigned free_mask, int want)
{
	const struct place *live[16];
	struct place places[16], p;
	struct place_request r = {.cpu_milli = want * 1000};
	int n = occupy(free_mask, m->t.cpu_count, places, live);
	unsigned got, all = 1U << m->t.cpu_count;
	int least[PLACE_LEVELS];

	if (place_find(&m->t, live, (size_t)n, &r, &p) < 0)
		return "the request was refused";
	got = (unsigned)p.cpus[0];
	if (__builtin_popcount(got) != want || got & ~free_mask || p.each_milli != 1000)
		return "the cpus are not free, or their number is wrong";
	memset(least, 127, sizeof(least));
	for (unsigned s = 1; s < all; s++) {
		if (s & ~free_mask || __builtin_popcount(s) != want)
			continue;
		for (int l = 0; l < PLACE_LEVELS; l++)
			if (span(m, s, (enum place_level)l) < least[l])
				least[l] = span(m, s, (enum place_level)l);
	}
	for (int l = 0; l < PLACE_LEVELS; l++)
		if (least[l] == 1 && span(m, got, (enum place_level)l) != 1)
			return "one domain would be enough";
	if (span(m, got, PLACE_SOCKET) != least[PLACE_SOCKET])
		return "fewer sockets would be enough";
	return NULL;
}

static void test_every_state(const struct shape *shape, const char *what)
{
	struct machine m;
	unsigned tried = 0;

	build(&m, shape);
	for (unsigned mask = 1; mask < 1U << m.t.cpu_count; mask++)
		for (int want = 1; want <= __builtin_popcount(mask); want++) {
			const char *wrong = check_all(&m, mask, want);

			tried++;
			if (!wrong)
				continue;
			ok(false, "%s: free %x, %d wanted: %s", what, mask, want, wrong);
			return;
		}
	ok(true, "%s: %u requests are placed as close together as possible", what, tried);
}

/*
 * --- a random day of a node ---------------------------------------------------------------------
 */

struct day {
	struct machine m;
	struct place live[LIVE_MAX];
	struct place_request asked[LIVE_MAX];
	int count;
	int64_t milli, gpus; /* of running tasks */
	uint64_t random;
	char wrong[200];
};

static int draw(struct day *d, int below)
{
	d->random = d->random * 6364136223846793005 + 1442695040888963407;
	return (int)((d->random >> 33) % (uint64_t)below);
}

static int bits(const uint64_t *words, size_t count)
{
	int n = 0;

	for (size_t i = 0; i < count / 64; i++)
		n += __builtin_popcountll(words[i]);
	return n;
}

static bool overlap(const uint64_t *a, const uint64_t *b, size_t count)
{
	for (size_t i = 0; i < count / 64; i++)
		if (a[i] & b[i])
			return true;
	return false;
}

static void check_against(struct day *d, const struct place *p)
{
	for (int i = 0; i < d->count; i++) {
		const struct place *q = &d->live[i];

		if (overlap(p->gpus, q->gpus, PLACE_GPUS))
			snprintf(d->wrong, sizeof(d->wrong), "a gpu is given to two tasks");
		if (p->each_milli == 1000 && q->each_milli == 1000 &&
		    overlap(p->cpus, q->cpus, PLACE_CPUS))
			snprintf(d->wrong, sizeof(d->wrong), "a cpu has two owners");
	}
}

/* Whether a NUMA node has this many free gpus and unused cpus. */
static bool numa_has(const struct day *d, int numa, int gpus, int cpus)
{
	for (size_t g = 0; g < d->m.t.gpu_count; g++) {
		bool used = d->m.gpus[g].numa != numa;

		for (int i = 0; i < d->count; i++)
			used |= place_has(d->live[i].gpus, g);
		gpus -= !used;
	}
	for (size_t c = 0; c < d->m.t.cpu_count; c++) {
		bool used = d->m.cpus[c].domain[PLACE_NUMA] != numa;

		for (int i = 0; i < d->count; i++)
			used |= place_has(d->live[i].cpus, c);
		cpus -= !used;
	}
	return gpus <= 0 && cpus <= 0;
}

static void check_near(struct day *d, const struct place_request *r, const struct place *p)
{
	int numa = -1;
	bool possible = false;

	if (!r->gpus || r->cpu_milli % 1000)
		return;
	for (int n = 0; n < CPUS_MAX; n++)
		possible |= numa_has(d, n, (int)r->gpus, (int)(r->cpu_milli / 1000));
	for (size_t g = 0; possible && g < d->m.t.gpu_count; g++) {
		if (!place_has(p->gpus, g))
			continue;
		if (numa >= 0 && d->m.gpus[g].numa != numa)
			snprintf(d->wrong, sizeof(d->wrong), "gpus of two NUMA nodes");
		numa = d->m.gpus[g].numa;
	}
	for (size_t c = 0; possible && c < d->m.t.cpu_count; c++)
		if (place_has(p->cpus, c) && d->m.cpus[c].domain[PLACE_NUMA] != numa)
			snprintf(d->wrong, sizeof(d->wrong), "cpus that are not near the gpus");
}

static void begin(struct day *d)
{
	struct place_request r = {.cpu_milli = (1 + draw(d, 6)) * 1000, .gpus = 0};
	const struct place *live[LIVE_MAX], *back[LIVE_MAX];
	struct place p, again;
	int n = d->count, rc;

	if (draw(d, 3) == 0)
		r.cpu_milli = 1 + draw(d, 2500);
	if (d->m.t.gpu_count && draw(d, 2))
		r.gpus = 1 + draw(d, 3);
	if (n == LIVE_MAX || d->milli + r.cpu_milli > (int64_t)d->m.t.cpu_count * 1000)
		return;
	for (int i = 0; i < n; i++) {
		live[i] = &d->live[i];
		back[i] = &d->live[n - 1 - i];
	}
	memset(&p, 0xff, sizeof(p));
	rc = place_find(&d->m.t, live, (size_t)n, &r, &p);
	if (d->gpus + r.gpus > (int64_t)d->m.t.gpu_count) {
		if (rc != -ENOSPC || p.each_milli != UINT32_MAX)
			snprintf(d->wrong, sizeof(d->wrong), "more gpus than there are");
		return;
	}
	if (rc < 0 || place_find(&d->m.t, back, (size_t)n, &r, &again) < 0) {
		snprintf(d->wrong, sizeof(d->wrong), "refused though there is room");
		return;
	}
	if (memcmp(&p, &again, sizeof(p)) != 0)
		snprintf(d->wrong, sizeof(d->wrong),
			 "the answer depends on the order of the other tasks");
	if (bits(p.gpus, PLACE_GPUS) != r.gpus ||
	    bits(p.cpus, PLACE_CPUS) != (r.cpu_milli + 999) / 1000)
		snprintf(d->wrong, sizeof(d->wrong), "the number of cpus or gpus is wrong");
	check_against(d, &p);
	check_near(d, &r, &p);
	d->live[d->count] = p;
	d->asked[d->count++] = r;
	d->milli += r.cpu_milli;
	d->gpus += r.gpus;
}

static void end(struct day *d)
{
	int i;

	if (!d->count)
		return;
	i = draw(d, d->count);
	d->milli -= d->asked[i].cpu_milli;
	d->gpus -= d->asked[i].gpus;
	d->live[i] = d->live[--d->count];
	d->asked[i] = d->asked[d->count];
}

static void test_day(const struct shape *shape, uint64_t seed, int steps)
{
	struct day *d = xcalloc(1, sizeof(*d));
	int step = 0;

	build(&d->m, shape);
	d->random = seed;
	for (; step < steps && !d->wrong[0]; step++) {
		if (draw(d, 5) < 3)
			begin(d);
		else
			end(d);
	}
	ok(!d->wrong[0], "%zu cpus, %zu gpus, seed %llu: %d steps %s", d->m.t.cpu_count,
	   d->m.t.gpu_count, (unsigned long long)seed, step, d->wrong);
	free(d);
}

/* --- examples of the rules */

static void test_parts(void)
{
	static const struct shape shape = {1, 1, 1, 4, 1, 0, false, false};
	struct place_request half = {.cpu_milli = 500}, whole = {.cpu_milli = 1000};
	struct place p[5];
	const struct place *live[] = {&p[0], &p[1], &p[2], &p[3]};
	struct machine m;

	build(&m, &shape);
	place_find(&m.t, live, 0, &half, &p[0]);
	place_find(&m.t, live, 1, &half, &p[1]);
	ok(p[0].cpus[0] == p[1].cpus[0], "two halves share a cpu");
	place_find(&m.t, live, 2, &half, &p[2]);
	ok(p[2].cpus[0] != p[0].cpus[0], "a third gets another");
	place_find(&m.t, live, 3, &whole, &p[3]);
	ok(!(p[3].cpus[0] & (p[0].cpus[0] | p[2].cpus[0])), "a whole cpu is not shared");
	p[3] = (struct place){.each_milli = 1000, .cpus = {UINT64_C(7) << 40}};
	is_int(place_find(&m.t, live, 4, &whole, &p[4]), 0,
	       "a task can be placed beside a task with cpu numbers that do not exist");
	ok(p[4].cpus[0] && p[4].cpus[0] < 16, "the placed task has existing cpus");
}

static void test_widen(void)
{
	static const struct shape shape = {2, 2, 1, 2, 2, 0, false, true};
	struct place p = {.each_milli = 1000};
	uint64_t cpus[PLACE_CPUS / 64], nodes[PLACE_CPUS / 64];
	CLEANUP_BUF struct buf text = {0};
	struct machine m;

	build(&m, &shape);
	place_add(p.cpus, 2);
	place_widen(&m.t, &p, PLACE_SOCKET, cpus);
	place_list(cpus, PLACE_CPUS, &text);
	is_str((char *)text.data, "0-3,8-11", "a binding to sockets has the cpus of a socket");
	buf_clear(&text);
	place_widen(&m.t, &p, PLACE_NUMA, cpus);
	place_list(cpus, PLACE_CPUS, &text);
	is_str((char *)text.data, "2-3,10-11",
	       "a binding to NUMA nodes has the cpus of a NUMA node");
	buf_clear(&text);
	place_memory(&m.t, cpus, nodes);
	place_commas(nodes, PLACE_CPUS, &text);
	is_str((char *)text.data, "1", "a binding to NUMA nodes has the number of the NUMA node");
	buf_clear(&text);
	place_commas(cpus, PLACE_CPUS, &text);
	is_str((char *)text.data, "2,3,10,11", "the same cpus are printed as single numbers");
}

int main(void)
{
	static const struct shape small[] = {
		{2, 2, 1, 1, 2, 0, false, false}, {2, 1, 2, 1, 2, 0, false, true},
		{1, 2, 2, 2, 1, 0, false, false}, {1, 1, 2, 2, 2, 0, false, true},
		{2, 2, 1, 2, 1, 0, true, false},  {3, 1, 1, 3, 1, 0, false, false},
	};
	static const struct shape large[] = {
		{2, 1, 1, 8, 2, 4, false, true},  {2, 4, 2, 4, 2, 8, false, true},
		{1, 1, 1, 6, 1, 2, false, false}, {2, 2, 2, 4, 1, 8, true, false},
		{4, 1, 1, 4, 1, 4, false, false}, {1, 1, 1, 3, 1, 0, false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(small); i++)
		test_every_state(&small[i], "every state");
	for (size_t i = 0; i < ARRAY_SIZE(large); i++)
		for (uint64_t seed = 1; seed <= 4; seed++)
			test_day(&large[i], seed, 400);
	test_parts();
	test_widen();
	return done();
}
