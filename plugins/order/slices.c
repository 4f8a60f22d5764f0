/*
 * order/slices: the free resources of a round are divided among the queues.
 *
 * In: the free resources, and the weight and the demand of each queue. Out: the order in which gangs are
 * tried. Each queue with waiting gangs gets a slice of the free resources in proportion to its weight. A
 * slice is never larger than the demand of its queue; the rest goes to the other queues. A round has two
 * stages. In the first each queue fills its slice, in the order of the queue, with all gangs that fit. In
 * the second the rest is drawn for: each draw starts one gang, and the chance of a queue is the remainder
 * of its slice. Evicted gangs are placed before any new gang: only free resources are divided, so no gang
 * is preempted for fair share.
 *
 * Each draw is a race. A queue with remainder p gets an exponentially distributed time of rate p; the queue
 * with the earliest time is drawn, and then gets a new time from that moment with its new remainder. The
 * times of the other queues stay valid: the exponential distribution has no memory, so every draw has the
 * chances of the present remainders. The host needs nothing but a heap ordered by these times.
 */
#include <armada/order.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUTS = 64 }; /* passes of cut; more of them would change little */
enum { BATCH_SIZE, PROBABILISTIC_ONLY, BACKFILL, SEED };

static const struct armada_option options[] = {
	[BATCH_SIZE] =
		{.name = "batch_size",
		 .type = ARMADA_OPTION_INT,
		 .def = "200",
		 .min = 1,
		 .max = 4294967295.0,
		 .help = "Maximum number of jobs of a queue that are tried in the first stage. "
			 "If a job is larger than the rest of the slice, later jobs with the "
			 "same request are passed over and do not count."},
	[PROBABILISTIC_ONLY] =
		{.name = "probabilistic_only",
		 .type = ARMADA_OPTION_BOOL,
		 .def = "false",
		 .help = "Assign all free resources at random, without the first stage."},
	[BACKFILL] =
		{.name = "backfill",
		 .type = ARMADA_OPTION_BOOL,
		 .def = "true",
		 .help = "As in order/progressive: the first gang that waits for room holds a "
			 "reservation. Without it, a gang that never finds enough free resources at "
			 "once may wait for ever."},
	[SEED] = {.name = "seed",
		  .type = ARMADA_OPTION_INT,
		  .def = "1",
		  .max = 9007199254740992.0,
		  .help = "Seed of the random choices, combined with the seed of the round."},
};

struct queue {
	double weight; /* the weights of all queues add up to 1; 0: no gang of the queue waits */
	double lot;    /* an exponential random number of mean 1 */
	double since;  /* the time of the race at which the queue was drawn last */
	uint64_t drawn;
	uint32_t tries;
};

struct slices {
	bool probabilistic_only;
	uint32_t batch_size;
	uint64_t seed;
	size_t resources;
	/* of a round */
	uint64_t round_seed;
	bool drawing, passed;
	struct queue *queues;
	double *slice;   /* rows of queues */
	double *left;    /* of slice; rows of queues */
	double *free;    /* one row */
	int64_t *before; /* the allocation of the gang's queue before the gang is tried; one row */
	size_t cap;
};

/* A smaller part of the total counts as 0: slices are quotients with rounding errors. */
static const double tiny = 1e-9;

static int slices_open(void **ret_handle, const struct armada_option_value *values,
		       const struct armada_policy *policy, struct armada_order_traits *ret_traits,
		       struct armada_error *err)
{
	struct slices *s = calloc(1, sizeof(*s));

	if (s) {
		s->free = calloc(policy->resource_count, sizeof(*s->free));
		s->before = calloc(policy->resource_count, sizeof(*s->before));
	}
	if (!s || !s->free || !s->before) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		if (s) {
			free(s->free);
			free(s->before);
		}
		free(s);
		return -ENOMEM;
	}
	s->batch_size = (uint32_t)values[BATCH_SIZE].i;
	s->probabilistic_only = values[PROBABILISTIC_ONLY].i != 0;
	s->seed = (uint64_t)values[SEED].i;
	s->resources = policy->resource_count;
	*ret_traits = (struct armada_order_traits){.backfill = values[BACKFILL].i != 0};
	*ret_handle = s;
	return 0;
}

static void slices_close(void *handle)
{
	struct slices *s = handle;

	free(s->free);
	free(s->before);
	free(s->queues);
	free(s->slice);
	free(s->left);
	free(s);
}

/* An exponential random number of mean 1, determined by seed, round, queue and draw. splitmix64. */
static double draw_lot(const struct slices *s, uint32_t queue, uint64_t draw)
{
	uint64_t z = s->seed * UINT64_C(0x9e3779b97f4a7c15) +
		     s->round_seed * UINT64_C(0xd1b54a32d192ed03) +
		     (queue + UINT64_C(1)) * UINT64_C(0x8cb92ba72f3d8dd7) +
		     (draw + 1) * UINT64_C(0xda942042e4dd58b5);

	for (int i = 0; i < 2; i++) {
		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		z ^= z >> 31;
	}
	return -log(((double)(z >> 11) + 0.5) / 9007199254740992.0);
}

static void draw(struct slices *s, uint32_t queue)
{
	struct queue *q = &s->queues[queue];

	q->lot = draw_lot(s, queue, q->drawn++);
}

static bool grow(void *array, size_t count, size_t size)
{
	void **at = array, *p = reallocarray(*at, count, size);

	*at = p ? p : *at;
	return p;
}

static bool make_room(struct slices *s, size_t count)
{
	if (count <= s->cap)
		return true;
	if (!grow(&s->queues, count, sizeof(*s->queues)) ||
	    !grow(&s->slice, count, s->resources * sizeof(*s->slice)) ||
	    !grow(&s->left, count, s->resources * sizeof(*s->left)))
		return false;
	s->cap = count;
	return true;
}

static double asks(const struct slices *s, const struct armada_queues *queues, size_t at)
{
	return s->queues[at / s->resources].weight > 0
		       ? queues->demand[at] - (double)queues->allocated[at]
		       : 0;
}

/*
 * Divide the free amount of resource r by the weights. A slice ends at the demand of its queue; each pass
 * divides the excess among the queues that demand more.
 */
static void cut(struct slices *s, const struct armada_queues *queues, size_t r)
{
	double spare = s->free[r];

	for (int pass = 0; pass < CUTS && spare > tiny * s->free[r]; pass++) {
		size_t end = queues->count * s->resources;
		double each, eager = 0;

		for (size_t at = r; at < end; at += s->resources)
			if (s->slice[at] < asks(s, queues, at))
				eager += s->queues[at / s->resources].weight;
		if (!(eager > 0))
			return;
		each = spare / eager;
		spare = 0;
		for (size_t at = r; at < end; at += s->resources) {
			double most = asks(s, queues, at);

			if (s->slice[at] >= most)
				continue;
			s->slice[at] += each * s->queues[at / s->resources].weight;
			if (s->slice[at] < most)
				continue;
			spare += s->slice[at] - most;
			s->slice[at] = most;
		}
	}
}

static void slices_begin(void *handle, const struct armada_order_round *round)
{
	struct slices *s = handle;
	const struct armada_queues *queues = round->queues;
	double sum = 0;

	if (!make_room(s, queues->count + 1))
		abort(); /* as the host does */
	s->round_seed = round->seed;
	s->passed = false;
	s->drawing = s->probabilistic_only;
	for (size_t r = 0; r < s->resources; r++)
		s->free[r] = (double)round->free[r];
	for (size_t i = 0; i < queues->count; i++)
		sum += round->waiting[i] ? queues->weights[i] : 0;
	for (uint32_t i = 0; i < queues->count; i++) {
		s->queues[i] = (struct queue){0};
		if (round->waiting[i])
			s->queues[i].weight = queues->weights[i] / sum;
		draw(s, i);
	}
	memset(s->slice, 0, queues->count * s->resources * sizeof(*s->slice));
	for (size_t r = 0; r < s->resources; r++)
		cut(s, queues, r);
	memcpy(s->left, s->slice, queues->count * s->resources * sizeof(*s->left));
}

/*
 * The remainder of the slice as one number: for each resource that the gang requests, the rest of the slice
 * as a part of all that was free; of these the smallest. So resources that the gang does not use add no
 * chances. Negative if the queue was drawn for more than its slice.
 */
static double remainder_for(const struct slices *s, const struct armada_order_head *h)
{
	const double *left = s->left + h->queue * s->resources;
	double least = s->queues[h->queue].weight;

	for (size_t r = 0; r < s->resources; r++)
		if (h->sum[r] && s->free[r] > 0 && left[r] < least * s->free[r])
			least = left[r] / s->free[r];
	return least;
}

/* The largest part of the free amount of any resource that the gang requests. */
static double size_of(const struct slices *s, const struct armada_order_head *h)
{
	double most = 0;

	for (size_t r = 0; r < s->resources; r++)
		if (s->free[r] > 0 && (double)h->sum[r] > most * s->free[r])
			most = (double)h->sum[r] / s->free[r];
	return most;
}

/*
 * The time of the race at which the head's queue is drawn. Queues with a remainder race first. If none has
 * a remainder, the resources that some queues could not use are drawn for by the weights; a queue that got
 * more than its slice waits until the others could have got as much more.
 */
static double draw_time(const struct slices *s, const struct armada_order_head *h, bool *ret_late)
{
	const struct queue *q = &s->queues[h->queue];
	double remainder = remainder_for(s, h);

	*ret_late = remainder <= tiny;
	if (!*ret_late)
		return q->since + q->lot / remainder;
	return (q->lot * size_of(s, h) - fmin(remainder, 0)) / q->weight;
}

static int sign(double a, double b)
{
	return (a > b) - (a < b);
}

static int compare_draws(const struct slices *s, const struct armada_order_head *a,
			 const struct armada_order_head *b)
{
	bool late_a, late_b;
	double at_a = draw_time(s, a, &late_a), at_b = draw_time(s, b, &late_b);

	return late_a != late_b ? late_a - late_b : sign(at_a, at_b);
}

/*
 * The largest part of its slice of any resource that the queue would have filled with the gang. 0 for a
 * gang that is larger than the rest of the slice: it is passed over, which may happen at once.
 */
static double filled(const struct slices *s, const struct armada_order_head *h)
{
	const double *left = s->left + h->queue * s->resources;
	const double *slice = s->slice + h->queue * s->resources;
	double most = 0;

	for (size_t r = 0; r < s->resources; r++) {
		double with = slice[r] - left[r] + (double)h->sum[r];

		if (with > slice[r] + tiny * s->free[r])
			return 0;
		if (with > most * slice[r] && slice[r] > 0)
			most = with / slice[r];
	}
	return rint(most / tiny); /* equal parts are equal despite rounding errors */
}

static bool slices_before(const void *handle, const struct armada_order_head *a,
			  const struct armada_order_head *b)
{
	const struct slices *s = handle;
	int c = 0;

	if (a->evicted != b->evicted)
		return a->evicted;
	if (!a->evicted && s->drawing)
		c = compare_draws(s, a, b);
	else if (a->class_priority != b->class_priority)
		return a->class_priority > b->class_priority;
	else
		c = a->evicted ? sign(a->cost_with, b->cost_with)
			       : sign(filled(s, a), filled(s, b));
	return c ? c < 0 : a->queue < b->queue;
}

static enum armada_order_turn slices_consider(void *handle, const struct armada_order_head *h,
					      struct armada_order_excess *ret_excess)
{
	struct slices *s = handle;
	const double *left = s->left + h->queue * s->resources;
	struct queue *q = &s->queues[h->queue];

	memcpy(s->before, h->allocated, s->resources * sizeof(*s->before));
	if (s->drawing)
		return ARMADA_ORDER_TRY;
	if (q->tries++ == s->batch_size) {
		s->passed = true;
		return ARMADA_ORDER_LEAVE;
	}
	for (uint32_t r = 0; r < s->resources; r++) {
		if ((double)h->sum[r] <= left[r] + tiny * s->free[r])
			continue;
		s->passed = true;
		*ret_excess =
			(struct armada_order_excess){.resource = r,
						     .slice = s->slice[h->queue * s->resources + r],
						     .left = left[r]};
		return ARMADA_ORDER_PASS;
	}
	return ARMADA_ORDER_TRY;
}

/* Subtracts the growth of the allocation, not the request: a gang may start with fewer members. */
static void slices_served(void *handle, const struct armada_order_head *h, bool placed)
{
	struct slices *s = handle;
	struct queue *q = &s->queues[h->queue];
	double *left = s->left + h->queue * s->resources;
	double at;
	bool late;

	if (h->evicted || !placed)
		return;
	if (s->drawing) {
		at = draw_time(s, h, &late);
		q->since = late ? 0 : at;
		draw(s, h->queue);
	}
	for (size_t r = 0; r < s->resources; r++) {
		double more = (double)h->allocated[r] - (double)s->before[r];

		left[r] -= more > 0 ? more : 0;
	}
}

static bool slices_again(void *handle)
{
	struct slices *s = handle;

	if (s->drawing || !s->passed)
		return false;
	s->drawing = true;
	return true;
}

static const struct armada_order_ops ops = {
	.open = slices_open,
	.close = slices_close,
	.begin = slices_begin,
	.before = slices_before,
	.served = slices_served,
	.consider = slices_consider,
	.again = slices_again,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_ORDER, "slices",
	      "a slice of the free resources for each queue, and random draws for the rest",
	      options, ops);
