#include "cmd/round_rows.h"

#include "util/hostlist.h"
#include "util/mem.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SHARE(row)    ((const Armada__QueueShare *)(row))
#define DECISION(row) ((const Armada__RoundDecision *)(row))

void element_id(uint64_t job, bool is_array, uint32_t element, struct buf *out)
{
	buf_addf(out, "%" PRIu64, job);
	if (is_array)
		buf_addf(out, "_%" PRIu32, element);
}

void percent(double fraction, struct buf *out)
{
	buf_addf(out, "%.1f%%", fraction * 100);
}

int64_t amount_of(Armada__Resource *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i]->name, name))
			return list[i]->amount;
	return 0;
}

json_t *real_json(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *resources(Armada__Resource *const *list, size_t count)
{
	json_t *object = json_object();

	for (size_t i = 0; i < count; i++)
		json_object_set_new(object, list[i]->name, json_integer(list[i]->amount));
	return object;
}

static void add_resources(Armada__Resource *const *list, size_t count, struct buf *out)
{
	char text[32];

	for (size_t i = 0; i < count; i++) {
		format_amount(list[i]->name, list[i]->amount, text, sizeof(text));
		buf_addf(out, "%s%s=%s", i ? "," : "", list[i]->name, text);
	}
}

/* "32/80": allocated of wanted. */
static void of_wanted(const void *row, const char *name, struct buf *out)
{
	const Armada__QueueShare *s = SHARE(row);
	char used[32], wanted[32];

	format_amount(name, amount_of(s->allocated, s->n_allocated, name), used, sizeof(used));
	format_amount(name, amount_of(s->demand, s->n_demand, name), wanted, sizeof(wanted));
	buf_addf(out, "%s/%s", used, wanted);
}

#define OF_WANTED(fn, name)                                                                        \
	static void fn##_text(const void *row, struct buf *out)                                    \
	{                                                                                          \
		of_wanted(row, name, out);                                                         \
	}

#define NUMBER(fn, value)                                                                          \
	static void fn##_text(const void *row, struct buf *out)                                    \
	{                                                                                          \
		buf_addf(out, "%" PRIu64, (uint64_t)(value));                                      \
	}                                                                                          \
	static json_t *fn##_json(const void *row)                                                  \
	{                                                                                          \
		return json_integer((json_int_t)(value));                                          \
	}

#define TEXT(fn, value)                                                                            \
	static void fn##_text(const void *row, struct buf *out)                                    \
	{                                                                                          \
		buf_addstr(out, value);                                                            \
	}

#define RESOURCES(fn, field)                                                                       \
	static void fn##_text(const void *row, struct buf *out)                                    \
	{                                                                                          \
		add_resources(SHARE(row)->field, SHARE(row)->n_##field, out);                      \
	}                                                                                          \
	static json_t *fn##_json(const void *row)                                                  \
	{                                                                                          \
		return resources(SHARE(row)->field, SHARE(row)->n_##field);                        \
	}

OF_WANTED(cpus, "cpu")
OF_WANTED(memory, "memory")
OF_WANTED(gpus, "gpu")
TEXT(queue, SHARE(row)->queue)
PERCENT_COLUMN(fair, SHARE(row)->fair)
PERCENT_COLUMN(adjusted, SHARE(row)->capped)
PERCENT_COLUMN(cost, SHARE(row)->cost)
PERCENT_COLUMN(after, SHARE(row)->cost_after)
NUMBER(started, SHARE(row)->started)
NUMBER(preempted, SHARE(row)->preempted)
RESOURCES(demand, demand)
RESOURCES(allocated, allocated)

REAL_COLUMN(weight, SHARE(row)->weight)
REAL_COLUMN(factor, SHARE(row)->factor)

static void usage_text(const void *row, struct buf *out)
{
	if (SHARE(row)->remembers)
		buf_addf(out, "%.4g", SHARE(row)->memory);
	else
		buf_addstr(out, "-");
}

static json_t *usage_json(const void *row)
{
	return SHARE(row)->remembers ? real_json(SHARE(row)->memory) : json_null();
}

static double priority_of(const void *row)
{
	return SHARE(row)->weight > 0 ? 1 / SHARE(row)->weight : 0;
}

REAL_COLUMN(priority, priority_of(row))

/* Above what it is entitled to, or below it and not getting it. */
static const char *after_colour(const void *row)
{
	const Armada__QueueShare *s = SHARE(row);

	if (s->cost_after > s->capped * 1.01)
		return "yellow";
	return s->cost_after < s->capped * 0.99 ? "red" : "green";
}

/* clang-format off */
static const struct column share_columns[] = {
	{"queue", "QUEUE", 'P', false, false, queue_text, NULL, NULL, "Queue"},
	{"weight", "WEIGHT", 'w', true, false, weight_text, weight_json, NULL, "Weight: 1 / effective priority"},
	{"priority", "PRIORITY", 'p', true, false, priority_text, priority_json, NULL, "Effective priority: the priority factor, times the usage where that is remembered"},
	{"factor", "FACTOR", 'c', true, false, factor_text, factor_json, NULL, "Priority factor: lower means a larger share"},
	{"usage", "USAGE", 'r', true, false, usage_text, usage_json, NULL, "What is remembered of its use, with fairness/decay in cores; null in JSON with plugins that remember none"},
	{"fair", "FAIR", 'f', true, false, fair_text, fair_json, NULL, "Its share by weight; a fraction in JSON, as the next ones"},
	{"adjusted", "ADJUSTED", 'F', true, false, adjusted_text, adjusted_json, NULL, "The same once what others do not want is divided"},
	{"cost", "COST", 'u', true, false, cost_text, cost_json, NULL, "What it used when the round began"},
	{"after", "AFTER", 'U', true, false, after_text, after_json, after_colour, "What it uses once the round's decisions are carried out"},
	{"cpus", "CPUS", 'C', true, false, cpus_text, NULL, NULL, "Cpus: allocated/wanted"},
	{"memory", "MEMORY", 'm', true, false, memory_text, NULL, NULL, "Memory: allocated/wanted"},
	{"gpus", "GPUS", 'b', true, false, gpus_text, NULL, NULL, "Gpus: allocated/wanted"},
	{"allocated", "ALLOCATED", 0, false, true, allocated_text, allocated_json, NULL, "Every resource that is allocated; millicores and bytes in JSON"},
	{"demand", "DEMAND", 0, false, true, demand_text, demand_json, NULL, "Every resource that is wanted: allocated, and asked for by what waits"},
	{"started", "STARTED", 's', true, false, started_text, started_json, NULL, "Elements that were started"},
	{"preempted", "PREEMPTED", 'e', true, false, preempted_text, preempted_json, NULL, "Elements that were preempted"},
};
/* clang-format on */

const struct listing share_listing = {
	.key = "queues",
	.standard = "queue,weight,fair,adjusted,cost,after,cpus,memory,gpus,started,preempted",
	.columns = share_columns,
	.count = ARRAY_SIZE(share_columns),
};

static void id_text(const void *row, struct buf *out)
{
	element_id(DECISION(row)->job, DECISION(row)->is_array, DECISION(row)->element, out);
}

static void nodes_text(const void *row, struct buf *out)
{
	hostlist_compress((const char *const *)DECISION(row)->nodes, DECISION(row)->n_nodes, out);
}

static json_t *nodes_json(const void *row)
{
	json_t *list = json_array();

	for (size_t i = 0; i < DECISION(row)->n_nodes; i++)
		json_array_append_new(list, json_string(DECISION(row)->nodes[i]));
	return list;
}

static void for_text(const void *row, struct buf *out)
{
	const Armada__RoundDecision *d = DECISION(row);

	if (d->for_job)
		element_id(d->for_job, d->for_is_array, d->for_element, out);
}

NUMBER(job, DECISION(row)->job)
NUMBER(element, DECISION(row)->element)
TEXT(name, DECISION(row)->name)
TEXT(user, DECISION(row)->user)
TEXT(owner, DECISION(row)->queue)
TEXT(why, DECISION(row)->why)
TEXT(text, DECISION(row)->text)

/* clang-format off */
#define OF_BOTH \
	{"id", "JOBID", 0, true, false, id_text, NULL, NULL, "Id"}, \
	{"job", "JOB", 0, true, false, job_text, job_json, NULL, "Id of the job alone"}, \
	{"element", "ELEMENT", 0, true, false, element_text, element_json, NULL, "Index in its array"}, \
	{"queue", "QUEUE", 0, false, false, owner_text, NULL, NULL, "Queue"}, \
	{"name", "NAME", 0, false, true, name_text, NULL, NULL, "Name"}, \
	{"user", "USER", 0, false, false, user_text, NULL, NULL, "User"}

static const struct column started_columns[] = {
	OF_BOTH,
	{"nodes", "NODELIST", 0, false, true, nodes_text, nodes_json, NULL, "Nodes"},
};
static const struct column preempted_columns[] = {
	OF_BOTH,
	{"for", "FOR", 0, true, false, for_text, NULL, NULL, "Who has its room"},
	{"why", "WHY", 0, false, false, why_text, NULL, NULL, "fair-share or urgency"},
	{"text", "REASON", 0, false, true, text_text, NULL, NULL, "The whole of it"},
};
/* clang-format on */

const struct listing started_listing = {
	.key = "started",
	.standard = "id,queue,name,user,nodes",
	.columns = started_columns,
	.count = ARRAY_SIZE(started_columns),
};

const struct listing preempted_listing = {
	.key = "preempted",
	.standard = "id,queue,name,user,for,text",
	.columns = preempted_columns,
	.count = ARRAY_SIZE(preempted_columns),
};
