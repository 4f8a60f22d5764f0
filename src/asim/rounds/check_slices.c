/*
 * Checks of order/slices: the second stage of a round never starts a job that fits the rest of its
 * queue's slice, because the first stage would have started it.
 *
 * Input: the document and the order of the starts. Output: messages on stderr, and their number.
 * The check applies only where nothing else has an effect: no limits, no displaced gang, weights
 * that follow from the factors, and queues with no more jobs than are tried.
 */
#include "asim/rounds/check_slices.h"
#include "util/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct slices {
	const struct play *p;
	const struct scenario *sc;
	double *asks, *left; /* rows of queues */
	uint64_t *jobs;      /* by queue: jobs that waited */
	bool *starts;        /* by job: started in this round */
};

static const struct armada_option_value *option(const struct plugin *p, const char *name)
{
	for (size_t i = 0; i < p->desc->option_count; i++)
		if (strcmp(p->desc->options[i].name, name) == 0)
			return &p->values[i];
	return NULL;
}

static bool is_named(const struct plugin *p, const char *name)
{
	return strcmp(p->desc->name, name) == 0;
}

static bool is_clear(const struct play *p)
{
	const struct scenario *sc = p->sc;
	const struct sched_limits none = {0};
	bool clear = is_named(&sc->plugins[1], "slices") && is_named(&sc->plugins[2], "none") &&
		     (is_named(&sc->plugins[0], "drf") || is_named(&sc->plugins[0], "asset")) &&
		     memcmp(&sc->limits, &none, sizeof(none)) == 0 && !sc->drop_queued &&
		     !sc->user_quota.set && !sc->user_count &&
		     !option(&sc->plugins[1], "probabilistic_only")->i;

	for (size_t i = 0; i < sc->class_count; i++)
		clear = clear && !sc->classes[i].limit.limited;
	for (size_t i = 0; i < sc->queue_count; i++) {
		const struct scenario_queue *q = &sc->queues[i];

		clear = clear && !q->limit.limited && !q->class_limit_count && !q->quota.set &&
			!q->user_quota.set;
	}
	return clear;
}

/*
 * The jobs that waited: queued ones, started ones, and members that failed because their gang
 * started without them.
 */
static void count_asks(struct slices *s)
{
	const struct outcome *o = &s->p->out;
	size_t dims = s->sc->resource_count;
	CLEANUP_FREE bool *waited = xcalloc(s->sc->job_count + 1, sizeof(*waited));

	for (uint32_t i = 0; i < s->sc->job_count; i++)
		waited[i] = s->p->jobs[i].state == JOB_QUEUED && s->p->jobs[i].unit != NONE;
	for (size_t i = 0; i < o->scheduled_count; i++)
		waited[o->scheduled[i]] = s->starts[o->scheduled[i]] = true;
	for (size_t i = 0; i < o->failed_count; i++)
		waited[o->failed[i]] = true;
	for (uint32_t i = 0; i < s->sc->job_count; i++) {
		const struct scenario_shape *shape = s->sc->jobs[i].shape;

		if (!waited[i] || s->sc->queues[shape->queue].cordoned)
			continue;
		s->jobs[shape->queue]++;
		for (size_t d = 0; d < dims; d++)
			s->asks[shape->queue * dims + d] += (double)shape->request[d];
	}
}

static double free_before(const struct slices *s, size_t d)
{
	double sum = 0;

	for (uint32_t n = 0; n < s->sc->node_count; n++)
		if (!s->p->nodes[n].removed && !s->p->nodes[n].cordoned)
			sum += (double)s->sc->nodes[n].total[d];
	for (uint32_t i = 0; i < s->sc->job_count; i++) {
		const struct play_job *j = &s->p->jobs[i];

		if (j->state == JOB_RUNNING && !s->starts[i] && !s->p->nodes[j->node].cordoned)
			sum -= (double)s->sc->jobs[i].shape->request[d];
	}
	return sum;
}

/* Water filling: each queue is a vessel as wide as its weight and as high as its demand. */
static void cut(struct slices *s, size_t d)
{
	size_t dims = s->sc->resource_count;
	double all = free_before(s, d), low = 0, high = 1e30;

	for (int i = 0; i < 300; i++) {
		double level = (low + high) / 2, sum = 0;

		for (size_t q = 0; q < s->sc->queue_count; q++)
			sum += fmin(level / s->sc->queues[q].factor, s->asks[q * dims + d]);
		*(sum < all ? &low : &high) = level;
	}
	for (size_t q = 0; q < s->sc->queue_count; q++)
		s->left[q * dims + d] = fmin(high / s->sc->queues[q].factor, s->asks[q * dims + d]);
}

/* Does the whole unit fit the slice? Also asked for a unit of which only a part starts. */
static bool fits(const struct slices *s, uint32_t unit, uint32_t queue)
{
	size_t dims = s->sc->resource_count;

	for (size_t d = 0; d < dims; d++) {
		double sum = 0, left = s->left[queue * dims + d];

		for (uint32_t i = 0; i < s->sc->job_count; i++)
			if (s->p->jobs[i].unit == unit)
				sum += (double)s->sc->jobs[i].shape->request[d];
		if (sum > left + 1e-6 * (sum + 1))
			return false;
	}
	return true;
}

static int follow(struct slices *s, size_t round)
{
	const struct outcome *o = &s->p->out;
	uint64_t batch = (uint64_t)option(&s->sc->plugins[1], "batch_size")->i;
	size_t dims = s->sc->resource_count;
	bool drawing = false;
	int faults = 0;

	for (size_t i = 0; i < o->scheduled_count; i++) {
		uint32_t job = o->scheduled[i], unit = s->p->jobs[job].unit;
		const struct scenario_shape *shape = s->sc->jobs[job].shape;

		if (!i || s->p->jobs[o->scheduled[i - 1]].unit != unit) {
			bool within = fits(s, unit, shape->queue);

			if (drawing && within && s->jobs[shape->queue] <= batch) {
				fprintf(stderr,
					"asim: check: round %zu: %s: was started by a draw but fits its "
					"queue's slice\n",
					round, s->sc->jobs[job].id);
				faults++;
			}
			drawing = drawing || !within;
		}
		for (size_t d = 0; d < dims; d++)
			s->left[shape->queue * dims + d] -= (double)shape->request[d];
	}
	return faults;
}

int check_slices(const struct play *p, size_t round)
{
	const struct scenario *sc = p->sc;
	size_t rows = sc->queue_count * sc->resource_count + 1;
	struct slices s = {.p = p, .sc = sc};
	int faults;

	if (!is_clear(p))
		return 0;
	s.asks = xcalloc(rows, sizeof(*s.asks));
	s.left = xcalloc(rows, sizeof(*s.left));
	s.jobs = xcalloc(sc->queue_count + 1, sizeof(*s.jobs));
	s.starts = xcalloc(sc->job_count + 1, sizeof(*s.starts));
	count_asks(&s);
	for (size_t d = 0; d < sc->resource_count; d++)
		cut(&s, d);
	faults = follow(&s, round);
	free(s.asks);
	free(s.left);
	free(s.jobs);
	free(s.starts);
	return faults;
}
