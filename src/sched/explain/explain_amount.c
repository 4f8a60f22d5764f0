/*
 * Changes that ask for less of something: cores, memory, other resources, members, or time.
 *
 * Input: the search, with the job and guesses from the nodes. Output: the best change so far. Each
 * amount is reduced to the largest with which the job starts, by bisection between an amount that
 * starts it and one that does not. The first guess is what the nodes have free. The smallest change
 * so far limits how far another amount is reduced.
 */
#include "sched/explain/explain_amount.h"
#include "util/plural.h"
#include "util/units.h"

#include <inttypes.h>
#include <string.h>

/* An amount that a job asks for. */
struct amount {
	enum sched_change_kind kind;
	size_t resource;
	int64_t asked, unit, least;
};

enum { MIB = 1 << 20, MINUTE_US = 60000000, SECOND_US = 1000000 };

static uint32_t tasks_each(const struct explain_search *c)
{
	return c->now.tasks_per_member ? c->now.tasks_per_member : 1;
}

static bool is_size(size_t resource)
{
	return resource < resource_count() && resource_unit(resource) == RESOURCE_SIZE;
}

/*
 * The unit of a change: a core, or a tenth if a task asks for at most one core; a MiB; one of another
 * resource. A member with several tasks changes by this for each task, except for memory.
 */
static int64_t unit_of(const struct explain_search *c, size_t resource)
{
	uint32_t each = tasks_each(c);

	if (resource == 0)
		return c->now.request[0] > (int64_t)1000 * each ? (int64_t)1000 * each
								: (int64_t)100 * each;
	if (resource == 1)
		return MIB;
	return is_size(resource) ? (int64_t)MIB * each : each;
}

/*
 * The time limit, if the job waits because of the reservation. A job without a time limit counts as
 * asking for twice the time until the reservation. So setting a time limit that ends by then is as
 * large a change as halving another amount.
 */
static struct amount time_limit(const struct explain_search *c)
{
	int64_t limit_us = c->now.time_limit_us;
	struct amount a = {.kind = CHANGE_TIME};

	if (c->why != WHY_RESERVED)
		return a;
	a.unit = c->window_us > MINUTE_US ? MINUTE_US : SECOND_US;
	a.asked = limit_us ? limit_us : 2 * (c->window_us - c->window_us % a.unit);
	return a;
}

static bool describe(const struct explain_search *c, size_t i, struct amount *ret)
{
	size_t dims = c->m->dims;
	if (i == 0)
		*ret = time_limit(c);
	else if (i <= dims)
		*ret = (struct amount){.kind = CHANGE_LESS,
				       .resource = i - 1,
				       .asked = c->now.request[i - 1],
				       .unit = unit_of(c, i - 1)};
	else
		*ret = (struct amount){.kind = CHANGE_MEMBERS, .asked = c->now.members, .unit = 1};
	/* A task may do without gpus, but not without cpus, memory or time. */
	ret->least = ret->kind == CHANGE_LESS && ret->resource > 1 ? 0 : ret->unit;
	return ret->asked > ret->least;
}

static bool starts_with(struct explain_search *c, const struct amount *a, int64_t amount)
{
	struct sched_job as = c->now;

	if (a->kind == CHANGE_LESS)
		as.request[a->resource] = amount;
	else if (a->kind == CHANGE_TIME)
		as.time_limit_us = amount;
	else
		as.members = (uint32_t)amount;
	if (as.min_members > as.members)
		as.min_members = as.members;
	return explain_change_starts(c, &as);
}

/*
 * The job starts with lo and not with hi: find the largest amount with which it starts. The guess
 * from the nodes is tried first.
 */
static int64_t greatest(struct explain_search *c, const struct amount *a, int64_t lo, int64_t hi)
{
	int64_t guess = a->kind == CHANGE_LESS   ? c->guess[a->resource]
			: a->kind == CHANGE_TIME ? c->window_us
						 : GUESS_NONE;

	guess -= guess > 0 ? guess % a->unit : 0;
	while (hi - lo > a->unit && !c->cut) {
		int64_t steps = (hi - lo + a->unit - 1) / a->unit, mid = lo + steps / 2 * a->unit;

		if (guess > lo && guess < hi)
			mid = guess;
		else if (guess == lo && lo + a->unit < hi)
			mid = lo + a->unit;
		if (starts_with(c, a, mid))
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static double size_of(const struct amount *a, int64_t amount)
{
	return (double)(a->asked - amount) / (double)a->asked;
}

/* The least amount that changes at most `size` and less than the best change so far; a->asked: none. */
static int64_t floor_for(const struct explain_search *c, const struct amount *a, double size)
{
	double most = size < c->size ? size : c->size;
	int64_t amount = (int64_t)((double)a->asked * (1 - most)) / a->unit * a->unit;

	if (amount < a->least)
		amount = a->least;
	while (amount < a->asked && (size_of(a, amount) > size || size_of(a, amount) >= c->size))
		amount += a->unit;
	return amount < a->asked ? amount : a->asked;
}

/* "12G", "3", "0.5": exact, as options accept it. */
static const char *exact(const struct explain_search *c, const struct amount *a, int64_t amount)
{
	char text[32];

	if (a->kind == CHANGE_LESS && is_size(a->resource)) {
		if (amount % (1024 * (int64_t)MIB) == 0)
			return arena_printf(c->arena, "%" PRId64 "G",
					    amount / (1024 * (int64_t)MIB));
		return arena_printf(c->arena, "%" PRId64 "M", amount / MIB);
	}
	if (a->kind == CHANGE_TIME) {
		format_duration(amount, text, sizeof(text));
		return arena_strdup(c->arena, text);
	}
	amounts_format(a->kind == CHANGE_LESS ? a->resource : 2, amount, text, sizeof(text));
	return arena_strdup(c->arena, text);
}

static bool is_gpu(const struct explain_search *c, size_t resource)
{
	return strcmp(c->m->resources[resource], "gpu") == 0;
}

static const char *less_option(const struct explain_search *c, const struct amount *a,
			       int64_t amount)
{
	uint32_t each = tasks_each(c);

	if (!amount || each == UINT16_MAX)
		return NULL;
	if (a->resource == 0)
		return arena_printf(c->arena, "--cpus=%s", exact(c, a, amount / each));
	if (a->resource == 1)
		return arena_printf(c->arena, "--%s=%s", each > 1 ? "mem" : "memory",
				    exact(c, a, amount));
	if (is_gpu(c, a->resource))
		return arena_printf(c->arena, "--gpus-per-task=%" PRId64, amount / each);
	return arena_printf(c->arena, "--resource %s=%s", c->m->resources[a->resource],
			    exact(c, a, amount / each));
}

static const char *members_option(const struct explain_search *c, int64_t members)
{
	uint32_t each = tasks_each(c);
	const char *gpus = "";

	if (each == UINT16_MAX)
		return NULL;
	for (size_t r = 2; r < c->m->dims; r++)
		if (is_gpu(c, r) && c->now.request[r])
			gpus = arena_printf(c->arena, " --gpus-per-task=%" PRId64,
					    c->now.request[r] / each);
	if (c->now.distinct)
		return arena_printf(c->arena, "--nodes=%" PRId64 " --ntasks=%" PRId64 "%s", members,
				    members * each, gpus);
	return arena_printf(c->arena, "--ntasks=%" PRId64 "%s", members * each, gpus);
}

static const char *each_text(const struct explain_search *c)
{
	if (tasks_each(c) > 1)
		return " on each node";
	return c->now.members > 1 ? " for each task" : "";
}

static void say(struct explain_search *c, const struct amount *a, struct sched_change *ret)
{
	const char *is = exact(c, a, ret->amount);
	char asked[32];

	if (a->kind == CHANGE_TIME) {
		ret->option = arena_printf(c->arena, "--time=%s", is);
		ret->text =
			arena_printf(c->arena, "a time limit of %s instead of %s",
				     duration_words(ret->amount).text,
				     c->now.time_limit_us ? duration_words(a->asked).text : "none");
	} else if (a->kind == CHANGE_MEMBERS) {
		ret->option = members_option(c, ret->amount);
		ret->text = arena_printf(c->arena, "%s %s at once instead of %" PRId64, is,
					 tasks_each(c) > 1 || c->now.distinct
						 ? plural((uint64_t)ret->amount, "node", "nodes")
						 : plural((uint64_t)ret->amount, "task", "tasks"),
					 a->asked);
	} else {
		amounts_format(a->resource, a->asked, asked, sizeof(asked));
		ret->option = less_option(c, a, ret->amount);
		ret->text = arena_printf(c->arena, "%s %s%s instead of %s", is,
					 c->m->resources[a->resource], each_text(c), asked);
	}
}

void explain_amount_try(struct explain_search *c, bool beyond)
{
	for (size_t i = 0; i < c->m->dims + 2 && !c->cut; i++) {
		struct amount a;
		int64_t lo, hi;

		if (!describe(c, i, &a))
			continue;
		hi = beyond ? floor_for(c, &a, 0.5) : a.asked;
		lo = floor_for(c, &a, beyond ? 1 : 0.5);
		if (lo >= hi || !starts_with(c, &a, lo))
			continue;
		lo = greatest(c, &a, lo, hi);
		c->size = size_of(&a, lo);
		c->best =
			(struct sched_change){.kind = a.kind, .resource = a.resource, .amount = lo};
		say(c, &a, &c->best);
	}
}
