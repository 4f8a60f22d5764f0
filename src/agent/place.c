/*
 * Finds cpus and gpus for one task (place.h). Input: the topology, the places of live tasks, the
 * request. Output: a place, or -ENOSPC if too few gpus are free.
 *
 * Gpus are chosen first, near each other and near enough free cpus. Then cpus are chosen near these
 * gpus, near each other (place_near.c). Tasks with a fraction of a cpu share cpus; whole cpus are
 * exclusive except where rounding leaves too few.
 */
#include "agent/place.h"

#include "agent/place_gpus.h"
#include "agent/place_near.h"

#include <string.h>

static void add_load(struct place_search *s, const struct place *p)
{
	for (size_t i = 0; i < s->t->cpu_count; i++) {
		if (!place_has(p->cpus, s->t->cpus[i].number))
			continue;
		s->load[i] += p->each_milli;
		s->owned[i] |= p->each_milli >= WHOLE_MILLI;
	}
	for (size_t g = 0; g < s->t->gpu_count; g++)
		s->gpu_used[g] |= place_has(p->gpus, g);
}

static void search_init(struct place_search *s, const struct place_topology *t,
			const struct place *const *live, size_t live_count)
{
	memset(s, 0, sizeof(*s));
	s->t = t;
	place_order_levels(s);
	for (size_t i = 0; i < live_count; i++)
		add_load(s, live[i]);
	for (size_t g = 0; g < t->gpu_count; g++)
		if (!s->gpu_used[g] && t->gpus[g].numa >= 0)
			s->gpus_near[t->gpus[g].numa]++;
}

static struct place_set idle(const struct place_search *s)
{
	struct place_set out = {.count = 0};

	for (size_t i = 0; i < s->t->cpu_count; i++)
		if (s->load[i] == 0)
			place_set_add(&out, i);
	return out;
}

/* More cpus than are idle: take the least loaded, owned ones last. */
static void add_busy(const struct place_search *s, struct place_set *to, size_t want)
{
	while (to->count < want && to->count < s->t->cpu_count) {
		int best = -1;

		for (size_t i = 0; i < s->t->cpu_count; i++)
			if (!place_has(to->bits, i) &&
			    (best < 0 || s->owned[i] < s->owned[best] ||
			     (s->owned[i] == s->owned[best] && s->load[i] < s->load[best])))
				best = (int)i;
		place_set_add(to, (size_t)best);
	}
}

/* The cpus that are partly used, where this fraction fits. */
static struct place_set shared(const struct place_search *s, uint32_t each_milli)
{
	struct place_set out = {.count = 0};

	for (size_t i = 0; i < s->t->cpu_count; i++)
		if (s->load[i] > 0 && !s->owned[i] && s->load[i] + each_milli <= WHOLE_MILLI)
			place_set_add(&out, i);
	return out;
}

/* The fullest cpu of these. */
static struct place_set fullest(const struct place_search *s, const struct place_set *from)
{
	struct place_set out = {.count = 0};
	int best = -1;

	for (size_t i = 0; i < s->t->cpu_count; i++)
		if (place_has(from->bits, i) && (best < 0 || s->load[i] > s->load[best]))
			best = (int)i;
	if (best >= 0)
		place_set_add(&out, (size_t)best);
	return out;
}

static struct place_set candidates(const struct place_search *s, size_t want, uint32_t each_milli)
{
	struct place_set out = idle(s), parts;

	if (each_milli < WHOLE_MILLI) {
		parts = shared(s, each_milli);
		if (want == 1 && parts.count > 0)
			return fullest(s, &parts);
		if (parts.count >= want)
			return parts;
		for (size_t i = 0; i < s->t->cpu_count; i++)
			if (place_has(parts.bits, i))
				place_set_add(&out, i);
	}
	add_busy(s, &out, want);
	return out;
}

/* The candidates in the domains of the gpus, at this level. */
static struct place_set near_gpus(const struct place_search *s, const struct place_set *from,
				  const struct place *p, enum place_level level)
{
	struct place_set out = {.count = 0};

	for (size_t g = 0; g < s->t->gpu_count; g++) {
		int at = level == PLACE_NUMA ? s->t->gpus[g].numa : s->t->gpus[g].socket;

		for (size_t i = 0; place_has(p->gpus, g) && i < s->t->cpu_count; i++)
			if (place_has(from->bits, i) && (int)place_domain(s, i, level) == at)
				place_set_add(&out, i);
	}
	return out;
}

static void pick_cpus(const struct place_search *s, const struct place_set *from, size_t want,
		      const struct place *p, struct place_set *out)
{
	static const enum place_level levels[] = {PLACE_NUMA, PLACE_SOCKET};
	struct place_set near = {.count = 0}, rest;

	for (size_t l = 0; l < 2 && near.count < want; l++)
		near = near_gpus(s, from, p, levels[l]);
	if (near.count >= want) {
		place_pick(s, &near, want, out);
		return;
	}
	place_pick(s, &near, near.count, out);
	rest = *from;
	for (size_t w = 0; w < WORDS; w++)
		rest.bits[w] &= ~near.bits[w];
	rest.count -= near.count;
	place_pick(s, &rest, want - near.count, out);
}

int place_find(const struct place_topology *t, const struct place *const *live, size_t live_count,
	       const struct place_request *want, struct place *ret_place)
{
	size_t cpus = (size_t)((want->cpu_milli + WHOLE_MILLI - 1) / WHOLE_MILLI);
	struct place p = {.each_milli = 0};
	struct place_set from, out = {.count = 0};
	struct place_search s;
	int rc;

	if (cpus > t->cpu_count)
		cpus = t->cpu_count;
	p.each_milli = cpus ? (uint32_t)(want->cpu_milli / (int64_t)cpus) : 0;
	if (p.each_milli > WHOLE_MILLI)
		p.each_milli = WHOLE_MILLI;
	search_init(&s, t, live, live_count);
	from = candidates(&s, cpus, p.each_milli);
	rc = place_pick_gpus(&s, (size_t)want->gpus, &from, cpus, &p);
	if (rc < 0)
		return rc;
	pick_cpus(&s, &from, cpus, &p, &out);
	for (size_t i = 0; i < t->cpu_count; i++)
		if (place_has(out.bits, i))
			place_add(p.cpus, t->cpus[i].number);
	*ret_place = p;
	return 0;
}

void place_widen(const struct place_topology *t, const struct place *p, enum place_level level,
		 uint64_t ret_cpus[PLACE_CPUS / 64])
{
	uint8_t touched[PLACE_CPUS] = {0};

	memset(ret_cpus, 0, WORDS * sizeof(*ret_cpus));
	for (size_t i = 0; i < t->cpu_count; i++)
		if (place_has(p->cpus, t->cpus[i].number))
			touched[t->cpus[i].domain[level]] = 1;
	for (size_t i = 0; i < t->cpu_count; i++)
		if (touched[t->cpus[i].domain[level]])
			place_add(ret_cpus, t->cpus[i].number);
}

void place_memory(const struct place_topology *t, const uint64_t cpus[PLACE_CPUS / 64],
		  uint64_t ret_nodes[PLACE_CPUS / 64])
{
	memset(ret_nodes, 0, WORDS * sizeof(*ret_nodes));
	for (size_t i = 0; i < t->cpu_count; i++)
		if (place_has(cpus, t->cpus[i].number))
			place_add(ret_nodes, t->cpus[i].domain[PLACE_NUMA]);
}

void place_list(const uint64_t *bits, size_t count, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		size_t last = i;

		if (!place_has(bits, i))
			continue;
		while (last + 1 < count && place_has(bits, last + 1))
			last++;
		buf_addf(out, any ? ",%zu" : "%zu", i);
		if (last > i)
			buf_addf(out, "-%zu", last);
		any = true;
		i = last;
	}
}

void place_commas(const uint64_t *bits, size_t count, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < count; i++)
		if (place_has(bits, i)) {
			buf_addf(out, any ? ",%zu" : "%zu", i);
			any = true;
		}
}
