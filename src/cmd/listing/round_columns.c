/*
 * The columns of a scheduling round: queues, started elements and preempted elements.
 *
 * The rows are messages of the controller. ashare prints all three tables; aexplain prints the
 * queue of a job.
 */
#include "cmd/listing/resources.h"
#include "cmd/listing/round_rows.h"
#include "util/hostlist.h"
#include "util/mem.h"

#include <inttypes.h>

#define SHARE(row)    ((const Armada__QueueShare *)(row))
#define DECISION(row) ((const Armada__RoundDecision *)(row))

void round_element_id(uint64_t job, bool is_array, uint32_t element, struct buf *out)
{
	buf_addf(out, "%" PRIu64, job);
	if (is_array)
		buf_addf(out, "_%" PRIu32, element);
}

/* "32/80": allocated/requested. */
static void of_wanted(const void *row, const void *name, struct buf *out)
{
	const Armada__QueueShare *s = SHARE(row);

	resources_add_part(name, resources_amount(s->allocated, s->n_allocated, name),
			   resources_amount(s->demand, s->n_demand, name), out);
}

static void usage_text(const void *row, struct buf *out)
{
	if (SHARE(row)->remembers)
		buf_addf(out, "%.4g", SHARE(row)->memory);
	else
		buf_addstr(out, "-");
}

static json_t *usage_json(const void *row)
{
	return SHARE(row)->remembers ? column_real_json(SHARE(row)->memory) : json_null();
}

static double priority_of(const void *row)
{
	return SHARE(row)->weight > 0 ? 1 / SHARE(row)->weight : 0;
}

/* Yellow: the queue uses more than its adjusted share; red: less; 1 % is tolerated. */
static const char *after_colour(const void *row)
{
	const Armada__QueueShare *s = SHARE(row);

	if (s->cost_after > s->capped * 1.01)
		return "yellow";
	return s->cost_after < s->capped * 0.99 ? "red" : "green";
}

/* clang-format off */
#define QUEUE Armada__QueueShare
static const struct column share_columns[] = {
	{"queue", "QUEUE", 'P', false, false, CELL_TEXT(QUEUE, queue), NULL, "Queue"},
	{"weight", "WEIGHT", 'w', true, false, CELL_REAL(QUEUE, weight), NULL, "Weight: 1 / effective priority"},
	{"priority", "PRIORITY", 'p', true, false, CELL_REAL_OF(priority_of), NULL, "Effective priority: the priority factor, multiplied by the usage if the fairness plugin remembers usage"},
	{"factor", "FACTOR", 'c', true, false, CELL_REAL(QUEUE, factor), NULL, "Priority factor: lower means a larger share"},
	{"usage", "USAGE", 'r', true, false, CELL(usage_text, usage_json), NULL, "Remembered usage of the queue, with fairness/decay in cores; null in JSON if the fairness plugin remembers none"},
	{"fair", "FAIR", 'f', true, false, CELL_PERCENT(QUEUE, fair), NULL, "Share by weight; a fraction in JSON, like the next three columns"},
	{"adjusted", "ADJUSTED", 'F', true, false, CELL_PERCENT(QUEUE, capped), NULL, "Adjusted share: at most the demand; the rest is divided among the other queues"},
	{"cost", "COST", 'u', true, false, CELL_PERCENT(QUEUE, cost), NULL, "Cost of the queue when the round began"},
	{"after", "AFTER", 'U', true, false, CELL_PERCENT(QUEUE, cost_after), after_colour, "Cost of the queue after the decisions of the round"},
	{"cpus", "CPUS", 'C', true, false, CELL_CUSTOM(of_wanted, NULL, "cpu"), NULL, "Cpus: allocated/requested"},
	{"memory", "MEMORY", 'm', true, false, CELL_CUSTOM(of_wanted, NULL, "memory"), NULL, "Memory: allocated/requested"},
	{"gpus", "GPUS", 'b', true, false, CELL_CUSTOM(of_wanted, NULL, "gpu"), NULL, "Gpus: allocated/requested"},
	{"allocated", "ALLOCATED", 0, false, true, CELL_RESOURCES(QUEUE, allocated), NULL, "Every allocated resource; millicores and bytes in JSON"},
	{"demand", "DEMAND", 0, false, true, CELL_RESOURCES(QUEUE, demand), NULL, "Every requested resource: allocated, plus the requests of pending jobs"},
	{"started", "STARTED", 's', true, false, CELL_INT(QUEUE, started), NULL, "Number of elements that the round started"},
	{"preempted", "PREEMPTED", 'e', true, false, CELL_INT(QUEUE, preempted), NULL, "Number of elements that the round preempted"},
};
/* clang-format on */

const struct listing share_listing =
	LISTING("queues",
		"queue,weight,fair,adjusted,cost,after,cpus,memory,gpus,started,preempted",
		share_columns);

static void id_text(const void *row, struct buf *out)
{
	round_element_id(DECISION(row)->job, DECISION(row)->is_array, DECISION(row)->element, out);
}

static void nodes_text(const void *row, struct buf *out)
{
	hostlist_compress((const char *const *)DECISION(row)->nodes, DECISION(row)->n_nodes, out);
}

static json_t *nodes_json(const void *row)
{
	return column_strings_json((const char *const *)DECISION(row)->nodes,
				   DECISION(row)->n_nodes);
}

static void for_text(const void *row, struct buf *out)
{
	const Armada__RoundDecision *d = DECISION(row);

	if (d->for_job)
		round_element_id(d->for_job, d->for_is_array, d->for_element, out);
}

/* clang-format off */
#define CHOICE Armada__RoundDecision
#define OF_BOTH \
	{"id", "JOBID", 0, true, false, CELL(id_text, NULL), NULL, "Id"}, \
	{"job", "JOB", 0, true, false, CELL_INT(CHOICE, job), NULL, "Id of the job alone"}, \
	{"element", "ELEMENT", 0, true, false, CELL_INT(CHOICE, element), NULL, "Index in its array"}, \
	{"queue", "QUEUE", 0, false, false, CELL_TEXT(CHOICE, queue), NULL, "Queue"}, \
	{"name", "NAME", 0, false, true, CELL_TEXT(CHOICE, name), NULL, "Name"}, \
	{"user", "USER", 0, false, false, CELL_TEXT(CHOICE, user), NULL, "User"}

static const struct column started_columns[] = {
	OF_BOTH,
	{"nodelist", "NODELIST", 0, false, true, CELL(nodes_text, nodes_json), NULL, "Nodes"},
};
static const struct column preempted_columns[] = {
	OF_BOTH,
	{"for", "FOR", 0, true, false, CELL(for_text, NULL), NULL, "Job that gets its resources"},
	{"why", "WHY", 0, false, false, CELL_TEXT(CHOICE, why), NULL, "fair-share, urgency or scavenging"},
	{"text", "REASON", 0, false, true, CELL_TEXT(CHOICE, text), NULL, "The whole reason"},
};
/* clang-format on */

const struct listing started_listing =
	LISTING("started", "id,queue,name,user,nodelist", started_columns);

const struct listing preempted_listing =
	LISTING("preempted", "id,queue,name,user,for,text", preempted_columns);
