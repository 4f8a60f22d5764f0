/*
 * Chooses cpus near each other out of a set. Input: the set, the number of cpus, the topology.
 * Output: the chosen cpus.
 *
 * The smallest domain (core, cache, NUMA node, socket) that holds all requested cpus is used; of
 * several, the one with the fewest free cpus, so that large gaps stay whole. If no domain of a
 * level is enough, as few domains as possible are combined, recursively.
 */
#include "agent/place_near.h"

#include <string.h>

void place_count(const struct place_search *s, const struct place_set *from, enum place_level level,
		 uint16_t ret_counts[PLACE_CPUS])
{
	memset(ret_counts, 0, PLACE_CPUS * sizeof(*ret_counts));
	for (size_t i = 0; i < s->t->cpu_count; i++)
		if (place_has(from->bits, i))
			ret_counts[place_domain(s, i, level)]++;
}

static size_t count_domains(const struct place_topology *t, enum place_level level)
{
	uint8_t seen[PLACE_CPUS] = {0};
	size_t count = 0;

	for (size_t i = 0; i < t->cpu_count; i++) {
		count += !seen[t->cpus[i].domain[level]];
		seen[t->cpus[i].domain[level]] = 1;
	}
	return count;
}

/* Some machines have several caches in a NUMA node, others have several NUMA nodes in a cache. */
void place_order_levels(struct place_search *s)
{
	for (int l = 0; l < PLACE_LEVELS; l++)
		s->order[l] = (enum place_level)l;
	if (count_domains(s->t, PLACE_NUMA) > count_domains(s->t, PLACE_CACHE)) {
		s->order[1] = PLACE_NUMA;
		s->order[2] = PLACE_CACHE;
	}
}

static struct place_set within(const struct place_search *s, const struct place_set *from,
			       enum place_level level, size_t domain)
{
	struct place_set out = {.count = 0};

	for (size_t i = 0; i < s->t->cpu_count; i++)
		if (place_has(from->bits, i) && place_domain(s, i, level) == domain)
			place_set_add(&out, i);
	return out;
}

/*
 * The order of domains with room, compared number by number: free cpus in the domain and in the
 * larger domains around it, so that large gaps stay whole; then free gpus there, which other tasks
 * may need.
 */
struct fitness {
	uint16_t numbers[PLACE_LEVELS + 2];
};

static struct fitness fitness_of(const struct place_search *s, size_t cpu, int from,
				 uint16_t counts[PLACE_LEVELS][PLACE_CPUS])
{
	struct fitness f = {{0}};
	int n = 0;

	for (int l = from; l < PLACE_LEVELS; l++)
		f.numbers[n++] = counts[l][place_domain(s, cpu, s->order[l])];
	f.numbers[n++] = s->gpus_near[place_domain(s, cpu, PLACE_NUMA)];
	return f;
}

static int fitness_cmp(const struct fitness *a, const struct fitness *b)
{
	for (size_t i = 0; i < PLACE_LEVELS + 2; i++)
		if (a->numbers[i] != b->numbers[i])
			return a->numbers[i] < b->numbers[i] ? -1 : 1;
	return 0;
}

/*
 * A cpu of the best domain with room for want cpus, at the smallest level possible. -1: no domain
 * has room.
 */
static int find_domain(const struct place_search *s, const struct place_set *from, size_t want,
		       int levels, int *ret_level)
{
	uint16_t counts[PLACE_LEVELS][PLACE_CPUS];
	struct fitness best = {{0}};
	int found = -1;

	for (int l = 0; l < PLACE_LEVELS; l++)
		place_count(s, from, s->order[l], counts[l]);
	for (int l = 0; l < levels && found < 0; l++)
		for (size_t i = 0; i < s->t->cpu_count; i++) {
			struct fitness f;

			if (!place_has(from->bits, i) ||
			    counts[l][place_domain(s, i, s->order[l])] < want)
				continue;
			f = fitness_of(s, i, l, counts);
			if (found >= 0 && fitness_cmp(&f, &best) >= 0)
				continue;
			best = f;
			found = (int)i;
			*ret_level = l;
		}
	return found;
}

/*
 * The domain with the most free cpus; or, if some hold all requested cpus, the one of these with
 * the fewest.
 */
static int next_domain(const struct place_search *s, const struct place_set *left,
		       enum place_level level, size_t want)
{
	uint16_t counts[PLACE_CPUS];
	int best = -1;

	place_count(s, left, level, counts);
	for (int d = 0; d < PLACE_CPUS; d++) {
		bool holds = counts[d] >= want;

		if (!counts[d])
			continue;
		if (best < 0 || (holds && counts[best] < want) ||
		    (holds ? counts[d] < counts[best] : counts[d] > counts[best]))
			best = d;
	}
	return best;
}

static void pick(const struct place_search *s, const struct place_set *from, size_t want,
		 int levels, struct place_set *out);

/* No domain of this level holds all: use as few domains as possible. */
static void pick_over(const struct place_search *s, const struct place_set *from, size_t want,
		      int level, struct place_set *out)
{
	struct place_set left = *from;

	while (want > 0) {
		int d = next_domain(s, &left, s->order[level], want);
		struct place_set part;
		size_t n;

		if (d < 0)
			return;
		part = within(s, &left, s->order[level], (size_t)d);
		n = part.count < want ? part.count : want;
		pick(s, &part, n, level, out);
		want -= n;
		for (size_t w = 0; w < WORDS; w++)
			left.bits[w] &= ~part.bits[w];
		left.count -= part.count;
	}
}

/*
 * Choose want cpus of a set, near each other; levels: how many levels of s->order may still divide
 * the set.
 */
static void pick(const struct place_search *s, const struct place_set *from, size_t want,
		 int levels, struct place_set *out)
{
	int level = levels, cpu;
	struct place_set part;

	if (from->count <= want || levels == 0) {
		for (size_t i = 0; i < s->t->cpu_count && want > 0; i++)
			if (place_has(from->bits, i)) {
				place_set_add(out, i);
				want--;
			}
		return;
	}
	cpu = find_domain(s, from, want, levels, &level);
	part = cpu < 0 ? *from
		       : within(s, from, s->order[level],
				place_domain(s, (size_t)cpu, s->order[level]));
	if (level == 0)
		pick(s, &part, want, 0, out);
	else
		pick_over(s, &part, want, level - 1, out);
}

void place_pick(const struct place_search *s, const struct place_set *from, size_t want,
		struct place_set *out)
{
	pick(s, from, want, PLACE_LEVELS, out);
}
