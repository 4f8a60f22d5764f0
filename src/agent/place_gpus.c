/* Chooses gpus near each other, and near free cpus. */
#include "agent/place_gpus.h"

#include "agent/place_near.h"

#include <errno.h>

static int gpu_domain(const struct place_gpu *g, enum place_level level)
{
	return level == PLACE_NUMA ? g->numa : g->socket;
}

/*
 * The domain with the fewest free gpus that has enough of them, and enough cpus; -1: none. cpus
 * NULL: any cpus.
 */
static int find_gpu_domain(const struct place_search *s, enum place_level level, size_t want,
			   const struct place_set *cpus, size_t want_cpus)
{
	uint16_t gpus[PLACE_CPUS] = {0}, room[PLACE_CPUS] = {0};
	int best = -1;

	for (size_t g = 0; g < s->t->gpu_count; g++)
		if (!s->gpu_used[g] && gpu_domain(&s->t->gpus[g], level) >= 0)
			gpus[gpu_domain(&s->t->gpus[g], level)]++;
	if (cpus)
		place_count(s, cpus, level, room);
	for (int d = 0; d < PLACE_CPUS; d++) {
		if (gpus[d] < want || (cpus && room[d] < want_cpus))
			continue;
		if (best < 0 || gpus[d] < gpus[best] ||
		    (gpus[d] == gpus[best] && room[d] < room[best]))
			best = d;
	}
	return best;
}

/* Take free gpus of a domain (PLACE_NOWHERE: of any domain), up to want. */
static size_t take_gpus(struct place_search *s, enum place_level level, int domain, size_t want,
			struct place *p)
{
	size_t taken = 0;

	for (size_t g = 0; g < s->t->gpu_count && taken < want; g++) {
		if (s->gpu_used[g] ||
		    (domain != PLACE_NOWHERE && gpu_domain(&s->t->gpus[g], level) != domain))
			continue;
		place_add(p->gpus, g);
		s->gpu_used[g] = true;
		taken++;
	}
	return taken;
}

/* No domain has enough: take those of the NUMA nodes with the most free gpus first. */
static void take_gpus_over(struct place_search *s, size_t want, struct place *p)
{
	while (want > 0) {
		size_t most = want;
		int d = -1;

		for (; most > 0 && d < 0; most--)
			d = find_gpu_domain(s, PLACE_NUMA, most, NULL, 0);
		want -= take_gpus(s, PLACE_NUMA, d, d < 0 ? want : most + 1, p);
	}
}

int place_pick_gpus(struct place_search *s, size_t want, const struct place_set *cpus,
		    size_t want_cpus, struct place *p)
{
	static const enum place_level levels[] = {PLACE_NUMA, PLACE_SOCKET};
	size_t left = 0;

	for (size_t g = 0; g < s->t->gpu_count; g++)
		left += !s->gpu_used[g];
	if (left < want)
		return -ENOSPC;
	for (size_t i = 0; want > 0 && i < 4; i++) {
		int d = find_gpu_domain(s, levels[i % 2], want, i < 2 ? cpus : NULL, want_cpus);

		if (d < 0)
			continue;
		take_gpus(s, levels[i % 2], d, want, p);
		return 0;
	}
	take_gpus_over(s, want, p);
	return 0;
}
