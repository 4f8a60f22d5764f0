#include "cmd/job_rows.h"
#include "cmd/job_tasks.h"

#include "client/jobstate.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROW(view) (((const struct job_view *)(view))->row)

static int64_t resource(const void *view, const char *name)
{
	return resource_of(ROW(view)->resources, ROW(view)->n_resources, name);
}

static void id_text(const void *view, struct buf *out)
{
	job_row_id(ROW(view), out);
}

static void elements_text(const void *view, struct buf *out)
{
	if (ROW(view)->is_array)
		job_row_elements(ROW(view), out);
}

#define NUMBER(fn, value)                                                                          \
	static void fn##_text(const void *view, struct buf *out)                                   \
	{                                                                                          \
		buf_addf(out, "%" PRId64, (int64_t)(value));                                       \
	}                                                                                          \
	static json_t *fn##_json(const void *view)                                                 \
	{                                                                                          \
		return json_integer(value);                                                        \
	}

/* A quantity that people read with a unit and programs as a number. */
#define QUANTITY(fn, value, format)                                                                \
	static void fn##_text(const void *view, struct buf *out)                                   \
	{                                                                                          \
		char text[48];                                                                     \
                                                                                                   \
		format(value, text, sizeof(text));                                                 \
		buf_addstr(out, text);                                                             \
	}                                                                                          \
	static json_t *fn##_json(const void *view)                                                 \
	{                                                                                          \
		return json_integer(value);                                                        \
	}

#define TEXT(fn, value)                                                                            \
	static void fn##_text(const void *view, struct buf *out)                                   \
	{                                                                                          \
		buf_addstr(out, value);                                                            \
	}

static int64_t elapsed_us(const void *view)
{
	const Armada__JobRow *r = ROW(view);
	int64_t end_us = r->end_us ? r->end_us : ((const struct job_view *)view)->now_us;

	return r->start_us && end_us > r->start_us ? end_us - r->start_us : 0;
}

/* A start that was expected by now is not known any more. */
static int64_t expected_us(const void *view)
{
	int64_t at = ROW(view)->expected_us;

	return at > ((const struct job_view *)view)->now_us ? at : 0;
}

static int64_t left_us(const void *view)
{
	int64_t left = ROW(view)->time_limit_s * INT64_C(1000000) - elapsed_us(view);

	return left > 0 && ROW(view)->start_us && !ROW(view)->end_us ? left : 0;
}

static void format_limit(int64_t seconds, char *out, size_t size)
{
	if (seconds > 0)
		format_duration(seconds * 1000000, out, size);
	else
		snprintf(out, size, "UNLIMITED");
}

static size_t node_count(const void *view)
{
	const Armada__JobRow *r = ROW(view);
	size_t count = 0;

	/* by rank: the tasks of one node need not stand side by side */
	for (size_t i = 0; i < r->n_nodes; i++) {
		size_t j = 0;

		while (j < i && strcmp(r->nodes[i], r->nodes[j]) != 0)
			j++;
		count += j == i;
	}
	return count;
}

static void nodes_text(const void *view, struct buf *out)
{
	const Armada__JobRow *r = ROW(view);
	CLEANUP_FREE const char **names = xcalloc(r->n_nodes + 1, sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; i < r->n_nodes; i++) {
		size_t j = 0;

		while (j < count && strcmp(r->nodes[i], names[j]) != 0)
			j++;
		if (j == count)
			names[count++] = r->nodes[i];
	}
	hostlist_compress(names, count, out);
}

static json_t *nodes_json(const void *view)
{
	const Armada__JobRow *r = ROW(view);
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_nodes; i++)
		json_array_append_new(list, json_string(r->nodes[i]));
	return list;
}

/* A controller of an older release sends no word. */
static const char *waiting_word(const Armada__JobRow *r)
{
	if (r->reason_word[0])
		return r->reason_word;
	return r->reason[0] ? r->reason : r->held ? "Held" : "Priority";
}

static void why_text(const void *view, struct buf *out)
{
	const Armada__JobRow *r = ROW(view);

	if (r->state == ARMADA__JOB_STATE__JOB_PENDING)
		buf_addf(out, "(%s)", waiting_word(r));
	else if (r->n_nodes)
		nodes_text(view, out);
	if (r->reason[0] && r->state != ARMADA__JOB_STATE__JOB_PENDING &&
	    (!r->n_nodes || job_state(r->state)->ended))
		buf_addf(out, "%s(%s)", r->n_nodes ? " " : "", r->reason);
}

/* Of what waits again, also how it came to that. */
static void reason_text(const void *view, struct buf *out)
{
	const Armada__JobRow *r = ROW(view);

	buf_addstr(out, r->reason);
	if (r->state == ARMADA__JOB_STATE__JOB_PENDING && r->last_end[0] &&
	    strcmp(r->reason, r->last_end) != 0)
		buf_addf(out, "%s%s", r->reason[0] ? "; " : "", r->last_end);
}

static json_t *reason_json(const void *view)
{
	return json_string(ROW(view)->reason);
}

static void exit_text(const void *view, struct buf *out)
{
	if (job_state(ROW(view)->state)->ended)
		buf_addf(out, "%" PRId32 ":%" PRId32, ROW(view)->exit_code, ROW(view)->exit_signal);
}

static json_t *held_json(const void *view)
{
	return json_boolean(ROW(view)->held);
}

static const char *state_colour(const void *view)
{
	switch (ROW(view)->state) {
	case ARMADA__JOB_STATE__JOB_RUNNING:
	case ARMADA__JOB_STATE__JOB_COMPLETED:
		return "green";
	case ARMADA__JOB_STATE__JOB_PENDING:
		return "yellow";
	case ARMADA__JOB_STATE__JOB_FAILED:
	case ARMADA__JOB_STATE__JOB_TIMEOUT:
	case ARMADA__JOB_STATE__JOB_NODE_FAIL:
	case ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY:
	case ARMADA__JOB_STATE__JOB_UNKNOWN:
		return "red";
	default:
		return NULL;
	}
}

static void gang_cardinality_text(const void *view, struct buf *out)
{
	if (ROW(view)->gang_id[0])
		buf_addf(out, "%" PRIu32, ROW(view)->gang_cardinality);
}

static json_t *gang_cardinality_json(const void *view)
{
	return json_integer(ROW(view)->gang_cardinality);
}

static struct task_counts counts(const void *view)
{
	struct task_counts c;

	job_row_counts(ROW(view), &c);
	return c;
}

static void groups_text(const void *view, struct buf *out)
{
	job_row_tasks(ROW(view), out);
}

static json_t *groups_json(const void *view)
{
	const Armada__JobRow *r = ROW(view);
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_groups; i++) {
		const Armada__GroupCount *g = r->groups[i];
		json_t *one = json_object();

		json_object_set_new(one, "name", json_string(g->name));
		json_object_set_new(one, "replicas", json_integer(g->replicas));
		json_object_set_new(one, "pending", json_integer(g->pending));
		json_object_set_new(one, "running", json_integer(g->running));
		json_object_set_new(one, "succeeded", json_integer(g->succeeded));
		json_object_set_new(one, "failed", json_integer(g->failed));
		json_array_append_new(list, one);
	}
	return list;
}

NUMBER(job, (json_int_t)ROW(view)->job)
NUMBER(count, (json_int_t)(ROW(view)->count ? ROW(view)->count : 1))
NUMBER(uid, ROW(view)->uid)
NUMBER(priority, ROW(view)->priority)
NUMBER(tasks, ROW(view)->tasks)
NUMBER(pending, counts(view).pending)
NUMBER(running, counts(view).running)
NUMBER(succeeded, counts(view).succeeded)
NUMBER(failed, counts(view).failed)
NUMBER(min_available, job_row_least(ROW(view)))
NUMBER(gpus, resource(view, "gpu"))
NUMBER(node_count, (json_int_t)node_count(view))
NUMBER(attempt, ROW(view)->attempt)
NUMBER(exit_code, ROW(view)->exit_code)
NUMBER(exit_signal, ROW(view)->exit_signal)
QUANTITY(cpus, resource(view, "cpu"), format_cpu)
QUANTITY(memory, resource(view, "memory"), format_size)
QUANTITY(submit, ROW(view)->submit_us, format_time)
QUANTITY(start, ROW(view)->start_us, format_time)
QUANTITY(expected, expected_us(view), format_time)
QUANTITY(begin, ROW(view)->begin_us, format_time)
QUANTITY(end, ROW(view)->end_us, format_time)
QUANTITY(elapsed, elapsed_us(view), format_duration)
QUANTITY(limit, ROW(view)->time_limit_s, format_limit)
QUANTITY(left, left_us(view), format_duration)
QUANTITY(cpu_time, ROW(view)->usage ? ROW(view)->usage->cpu_us : 0, format_duration)
QUANTITY(max_rss, ROW(view)->usage ? ROW(view)->usage->max_rss_bytes : 0, format_size)
QUANTITY(read, ROW(view)->usage ? ROW(view)->usage->read_bytes : 0, format_size)
QUANTITY(written, ROW(view)->usage ? ROW(view)->usage->written_bytes : 0, format_size)
TEXT(name, ROW(view)->name)
TEXT(user, ROW(view)->user)
TEXT(queue, ROW(view)->queue)
TEXT(job_set, ROW(view)->job_set)
TEXT(gang, ROW(view)->gang_id)
TEXT(class, ROW(view)->priority_class)
TEXT(state, job_state(ROW(view)->state)->name)
TEXT(st, job_state(ROW(view)->state)->code)
TEXT(last_end, ROW(view)->last_end)
TEXT(word, ROW(view)->reason_word)
TEXT(dependency, ROW(view)->dependency)
TEXT(held, ROW(view)->held ? "yes" : "no")
TEXT(on_task_failure, task_failure_word(ROW(view)->on_task_failure))
TEXT(chdir, ROW(view)->chdir)
TEXT(output, ROW(view)->output)
TEXT(error, ROW(view)->error)
TEXT(host, ROW(view)->submit_host)

/* clang-format off */
static const struct column columns[] = {
	{"id", "JOBID", 'i', true, false, id_text, NULL, NULL, "Id, with the elements of an array"},
	{"job", "JOB", 'A', true, false, job_text, job_json, NULL, "Id of the job alone"},
	{"elements", "ELEMENTS", 'K', false, false, elements_text, NULL, NULL, "Indices of the array this line is about"},
	{"count", "COUNT", 0, true, false, count_text, count_json, NULL, "Elements this line is about"},
	{"name", "NAME", 'j', false, true, name_text, NULL, NULL, "Name"},
	{"user", "USER", 'u', false, false, user_text, NULL, NULL, "User"},
	{"uid", "UID", 'U', true, false, uid_text, uid_json, NULL, "User number"},
	{"queue", "QUEUE", 'P', false, false, queue_text, NULL, NULL, "Queue"},
	{"job_set", "JOBSET", 0, false, true, job_set_text, NULL, NULL, "Job set"},
	{"gang", "GANG", 0, false, true, gang_text, NULL, NULL, "The gang of jobs that it is a member of"},
	{"gang_cardinality", "MEMBERS", 0, true, false, gang_cardinality_text, gang_cardinality_json, NULL, "Members that the gang has"},
	{"priority", "PRIO", 'Q', true, false, priority_text, priority_json, NULL, "Priority in its queue: lower runs first"},
	{"class", "CLASS", 'q', false, false, class_text, NULL, NULL, "Priority class: higher is more urgent"},
	{"st", "ST", 't', false, false, st_text, NULL, state_colour, "State, short"},
	{"state", "STATE", 'T', false, false, state_text, NULL, state_colour, "State"},
	{"held", "HELD", 0, false, false, held_text, held_json, NULL, "Held: not to start before actl release"},
	{"reason", "REASON", 'r', false, true, reason_text, reason_json, NULL, "Why it waits, or why it ended so; of what waits again, also how its last attempt ended"},
	{"last_end", "LAST_END", 0, false, true, last_end_text, NULL, NULL, "How its attempt before this one ended"},
	{"why", "WHY", 0, false, false, word_text, NULL, NULL, "Why it waits, in a word of aexplain(1)"},
	{"dependency", "DEPENDENCY", 'E', false, true, dependency_text, NULL, NULL, "Jobs that it waits for"},
	{"begin", "BEGIN", 0, false, false, begin_text, begin_json, NULL, "When it may begin, where it waits for a time"},
	{"attempt", "TRY", 0, true, false, attempt_text, attempt_json, NULL, "Which try this is"},
	{"exit", "EXIT", 0, true, false, exit_text, NULL, NULL, "Exit code and signal, as 0:9"},
	{"exit_code", "CODE", 0, true, false, exit_code_text, exit_code_json, NULL, "Exit code"},
	{"exit_signal", "SIGNAL", 0, true, false, exit_signal_text, exit_signal_json, NULL, "Signal that ended it"},
	{"tasks", "TASKS", 0, true, false, tasks_text, tasks_json, NULL, "Tasks of an element"},
	{"pending", "PENDING", 0, true, false, pending_text, pending_json, NULL, "Of its tasks, those without a node"},
	{"running", "RUNNING", 0, true, false, running_text, running_json, NULL, "Of its tasks, those that run, or are being started or ended"},
	{"succeeded", "SUCCEEDED", 0, true, false, succeeded_text, succeeded_json, NULL, "Of its tasks, those that ended well"},
	{"failed", "FAILED", 0, true, false, failed_text, failed_json, NULL, "Of its tasks, those that ended otherwise"},
	{"min_available", "LEAST", 0, true, false, min_available_text, min_available_json, NULL, "How many of its tasks must start together, and run on"},
	{"groups", "TASKS", 0, false, true, groups_text, groups_json, NULL, "What its tasks are doing, by group; a list of objects in JSON"},
	{"on_task_failure", "ON_FAILURE", 0, false, false, on_task_failure_text, NULL, NULL, "What follows when one of its tasks fails"},
	{"cpus", "CPUS", 'C', true, false, cpus_text, cpus_json, NULL, "Cpus of all tasks; millicores in JSON"},
	{"memory", "MEMORY", 'm', true, false, memory_text, memory_json, NULL, "Memory of all tasks; bytes in JSON"},
	{"gpus", "GPUS", 'b', true, false, gpus_text, gpus_json, NULL, "Gpus of all tasks"},
	{"node_count", "NODES", 'D', true, false, node_count_text, node_count_json, NULL, "Number of nodes"},
	{"nodes", "NODELIST", 'N', false, true, nodes_text, nodes_json, NULL, "Nodes; by rank in JSON"},
	{"where", "NODELIST(REASON)", 'R', false, true, why_text, NULL, NULL, "Nodes; in brackets why it waits, or ended so"},
	{"elapsed", "TIME", 'M', true, false, elapsed_text, elapsed_json, NULL, "How long it has run; microseconds in JSON"},
	{"time_limit", "TIME_LIMIT", 'l', true, false, limit_text, limit_json, NULL, "Time limit; seconds in JSON, -1 for none"},
	{"time_left", "TIME_LEFT", 'L', true, false, left_text, left_json, NULL, "What is left of it; microseconds in JSON"},
	{"submit_time", "SUBMIT_TIME", 'V', false, false, submit_text, submit_json, NULL, "When it was submitted; microseconds since 1970 in JSON"},
	{"start_time", "START_TIME", 'S', false, false, start_text, start_json, NULL, "When it was started"},
	{"expected", "EXPECTED", 0, false, false, expected_text, expected_json, NULL, "When it starts at the latest, as far as is known"},
	{"end_time", "END_TIME", 'e', false, false, end_text, end_json, NULL, "When it ended"},
	{"cpu_time", "CPU_TIME", 0, true, false, cpu_time_text, cpu_time_json, NULL, "Processor time used; microseconds in JSON"},
	{"max_rss", "MAX_RSS", 0, true, false, max_rss_text, max_rss_json, NULL, "Most memory a task used; bytes in JSON"},
	{"read_bytes", "READ", 0, true, false, read_text, read_json, NULL, "What was read from disks, where the kernel tells; bytes in JSON"},
	{"written_bytes", "WRITTEN", 0, true, false, written_text, written_json, NULL, "What was written to disks, where the kernel tells; bytes in JSON"},
	{"chdir", "WORK_DIR", 'Z', false, true, chdir_text, NULL, NULL, "Working directory"},
	{"output", "OUTPUT", 0, false, true, output_text, NULL, NULL, "Output file, as a pattern"},
	{"error", "ERROR", 0, false, true, error_text, NULL, NULL, "Error file, as a pattern"},
	{"submit_host", "HOST", 0, false, false, host_text, NULL, NULL, "Host it was submitted from"},
};
/* clang-format on */

const struct listing job_listing = {
	.key = "jobs",
	.standard = "id,queue,name,user,st,elapsed,node_count,where",
	.columns = columns,
	.count = ARRAY_SIZE(columns),
};
