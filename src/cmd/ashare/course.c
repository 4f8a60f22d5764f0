#include "cmd/ashare/course.h"

#include <math.h>

struct walk {
	int64_t at_us, until_us;
	piece_fn *fn;
	void *arg;
};

double course_share(double share)
{
	return isfinite(share) && share > 0 ? share : 0;
}

double course_level(const Armada__ShareSample *s)
{
	return s->from_us ? s->level : s->cost;
}

/* The piece from the end of the one before until us. */
static void go(struct walk *w, int64_t us, enum piece_kind kind, double value)
{
	if (us > w->until_us)
		us = w->until_us;
	if (us <= w->at_us)
		return;
	w->fn(w->arg, w->at_us, us, kind, kind == PIECE_USE ? course_share(value) : 0);
	w->at_us = us;
}

void course_walk(Armada__ShareSample *const *samples, size_t count, int64_t from_us,
		 int64_t until_us, piece_fn *fn, void *arg)
{
	struct walk w = {from_us, until_us, fn, arg};
	enum piece_kind kind = PIECE_UNKNOWN;
	double level = 0;

	for (size_t i = 0; i < count; i++) {
		const Armada__ShareSample *s = samples[i];

		if (s->from_us) {
			go(&w, s->from_us, kind, level);
			go(&w, s->time_us, PIECE_USE, s->cost);
		} else {
			go(&w, s->time_us, kind, level);
		}
		level = course_level(s);
		kind = s->unknown_after ? PIECE_UNKNOWN : s->weight > 0 ? PIECE_USE : PIECE_ABSENT;
	}
	go(&w, until_us, kind, level);
}
