/*
 * What is free is cut into slices, one for each queue that waits, by their weights. First each queue
 * may fill its own: down the queue, whatever still fits. What remains is drawn for: a queue's chance
 * is the remainder of its slice, and each draw is for one gang.
 *
 * Whoever was evicted is put back before anything new starts: only what is free is divided, so nobody
 * is displaced for balance.
 *
 * Drawing is a race. A queue with remainder p rings after an exponential time of rate p; the first to
 * ring is drawn, and runs again from there with what it has left. The others run on, and as such
 * times have no memory, each draw is by the remainders of then: what the host needs is a heap alone.
 */
#include <armada/order.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_SIZE, PROBABILISTIC_ONLY, BACKFILL, SEED };

static const struct armada_option options[] = {
	[BATCH_SIZE] =
		{.name = "batch_size",
		 .type = ARMADA_OPTION_INT,
		 .def = "200",
		 .min = 1,
		 .max = 4294967295.0,
		 .help = "How many jobs of a queue are tried in the first stage. Those like one that "
			 "was larger than what is left of its queue's slice do not count."},
	[PROBABILISTIC_ONLY] =
		{.name = "probabilistic_only",
		 .type = ARMADA_OPTION_BOOL,
		 .def = "false",
		 .help = "Draw for all that is free, not only for what the first stage leaves."},
	[BACKFILL] =
		{.name = "backfill",
		 .type = ARMADA_OPTION_BOOL,
		 .def = "true",
		 .help = "As of order/progressive: the first gang that waits for room holds a "
			 "reservation. Without, a gang larger than what is free at once may wait "
			 "for ever."},
	[SEED] = {.name = "seed",
		  .type = ARMADA_OPTION_INT,
		  .def = "1",
		  .max = 9007199254740992.0,
		  .help = "What lots are drawn from, together with the seed of the round."},
};

/* Those with a remainder race first; those without one after them, by their weights. */
enum { REMAINDER, WEIGHT, CLOCKS };

struct queue {
	double weight; /* a part of 1; 0: nothing of it waits */
	double had;    /* in the first stage, as size counts */
	double size;   /* of its slice: sum of its parts of all that there is of each resource */
	double lot;    /* drawn, of mean 1 */
	double since[CLOCKS];
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
	const int64_t *totals;
	struct queue *queues;
	double *left;    /* rows of queues */
	double *free;    /* one row */
	int64_t *before; /* what the queue of the gang in hand had then; one row */
	size_t cap;
};

/* Less than that of what there is, is nothing: a slice is a quotient. */
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
	free(s->left);
	free(s);
}

/* Exponential of mean 1, the same for the same numbers. splitmix64. */
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

static bool make_room(struct slices *s, size_t count)
{
	struct queue *queues;
	double *left;

	if (count <= s->cap)
		return true;
	queues = realloc(s->queues, count * sizeof(*queues));
	s->queues = queues ? queues : s->queues;
	left = realloc(s->left, count * s->resources * sizeof(*left));
	s->left = left ? left : s->left;
	if (queues && left)
		s->cap = count;
	return queues && left;
}

static void cut_slice(struct slices *s, uint32_t queue)
{
	struct queue *q = &s->queues[queue];
	double *left = s->left + queue * s->resources;

	for (size_t r = 0; r < s->resources; r++) {
		left[r] = s->free[r] * q->weight;
		if (s->totals[r] > 0)
			q->size += left[r] / (double)s->totals[r];
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
	s->totals = round->totals;
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
		cut_slice(s, i);
		draw(s, i);
	}
}

/*
 * The remainder as one number: of what was free of a resource, the part that is left of the slice; of
 * the resources that the gang asks for, the one with the least. So what it has no use for adds no
 * chances. Never negative.
 */
static double remainder_for(const struct slices *s, const struct armada_order_head *h)
{
	const double *left = s->left + h->queue * s->resources;
	double least = s->queues[h->queue].weight;

	for (size_t r = 0; r < s->resources; r++)
		if (h->sum[r] && s->free[r] > 0 && left[r] < least * s->free[r])
			least = left[r] / s->free[r];
	return least > tiny ? least : 0;
}

/* When the head's queue is drawn, and on which clock. */
static double rings(const struct slices *s, const struct armada_order_head *h, int *ret_clock)
{
	const struct queue *q = &s->queues[h->queue];
	double remainder = remainder_for(s, h);

	*ret_clock = remainder > 0 ? REMAINDER : WEIGHT;
	return q->since[*ret_clock] + q->lot / (remainder > 0 ? remainder : q->weight);
}

static int sign(double a, double b)
{
	return (a > b) - (a < b);
}

static int compare_draws(const struct slices *s, const struct armada_order_head *a,
			 const struct armada_order_head *b)
{
	int clock_a, clock_b;
	double at_a = rings(s, a, &clock_a), at_b = rings(s, b, &clock_b);

	return clock_a != clock_b ? clock_a - clock_b : sign(at_a, at_b);
}

/* What part of its slice the queue would have had with the gang; what is larger is passed at once. */
static double filled(const struct slices *s, const struct armada_order_head *h)
{
	const struct queue *q = &s->queues[h->queue];
	double with = q->had;

	for (size_t r = 0; r < s->resources; r++)
		if (s->totals[r] > 0)
			with += (double)h->sum[r] / (double)s->totals[r];
	return with < (1 + tiny) * q->size ? with / q->size : 0;
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
		*ret_excess = (struct armada_order_excess){
			.resource = r, .slice = s->free[r] * q->weight, .left = left[r]};
		return ARMADA_ORDER_PASS;
	}
	return ARMADA_ORDER_TRY;
}

/* What the queue has more than before, which is less than was asked where a gang starts in part. */
static void slices_served(void *handle, const struct armada_order_head *h, bool placed)
{
	struct slices *s = handle;
	struct queue *q = &s->queues[h->queue];
	double *left = s->left + h->queue * s->resources;
	int clock;

	if (h->evicted || !placed)
		return;
	if (s->drawing) {
		double at = rings(s, h, &clock);

		q->since[clock] = at;
		draw(s, h->queue);
	}
	for (size_t r = 0; r < s->resources; r++) {
		double more = (double)h->allocated[r] - (double)s->before[r];

		left[r] -= more > 0 ? more : 0;
		if (s->totals[r] > 0 && more > 0)
			q->had += more / (double)s->totals[r];
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
	      "a slice of what is free for each queue, and lots for what remains", options, ops);
