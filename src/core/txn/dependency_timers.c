#include "core/txn/dependency_timers.h"

#include "util/mem.h"

struct look {
	uint64_t job;
	struct job_live *live; /* of the job: has its place in the heap; removed with the job */
};

static bool comes_first(const struct look *a, const struct look *b)
{
	return a->live->look_us != b->live->look_us ? a->live->look_us < b->live->look_us
						    : a->job < b->job;
}

/* Places count from 1, because 0 means not in the heap. */
static void put(struct live *l, struct look look, uint32_t place)
{
	l->looks[place - 1] = look;
	look.live->look_place = place;
}

static void rise(struct live *l, struct look look)
{
	uint32_t at = look.live->look_place;

	while (at > 1 && comes_first(&look, &l->looks[at / 2 - 1])) {
		put(l, l->looks[at / 2 - 1], at);
		at /= 2;
	}
	put(l, look, at);
}

static void sink(struct live *l, struct look look)
{
	uint32_t at = look.live->look_place;

	for (;;) {
		uint32_t next = 2 * at;

		if (next + 1 <= l->look_count && comes_first(&l->looks[next], &l->looks[next - 1]))
			next++;
		if (next > l->look_count || comes_first(&look, &l->looks[next - 1]))
			break;
		put(l, l->looks[next - 1], at);
		at = next;
	}
	put(l, look, at);
}

void dependency_timer_cancel(struct live *l, struct job_live *j)
{
	uint32_t at = j->look_place;
	struct look last;

	if (!at)
		return;
	last = l->looks[--l->look_count];
	j->look_place = 0;
	if (last.live == j)
		return;
	put(l, last, at);
	rise(l, last);
	sink(l, last);
}

void dependency_timer_set(struct live *l, const struct job *j, int64_t at_us)
{
	struct job_live *live = live_job(l, j);
	struct look look = {j->id, live};

	if (live->look_place && live->look_us == at_us)
		return;
	dependency_timer_cancel(l, live);
	live->look_us = at_us;
	GROW(l->looks, l->look_cap, l->look_count + 1);
	l->look_count++;
	put(l, look, (uint32_t)l->look_count);
	rise(l, look);
}

void dependency_timer_advance(struct live *l, const struct job *j, int64_t at_us)
{
	const struct job_live *live = live_job(l, j);

	if (!live->look_place || live->look_us > at_us)
		dependency_timer_set(l, j, at_us);
}

bool dependency_timer_is_due(const struct live *l, int64_t now_us)
{
	return l->look_count && l->looks[0].live->look_us <= now_us;
}

uint64_t dependency_timer_next(struct live *l, int64_t now_us)
{
	uint64_t job;

	if (!dependency_timer_is_due(l, now_us))
		return 0;
	job = l->looks[0].job;
	dependency_timer_cancel(l, l->looks[0].live);
	return job;
}
