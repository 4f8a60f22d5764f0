/*
 * The columns of jobs: of aqueue, and of the member "row" of aexplain --json.
 *
 * A row is a struct job_view: a message of the controller, and the time of the listing for values
 * such as the elapsed time. The table at the end names the columns; the functions before it compute
 * the values that are not plain fields.
 */
#include "client/jobstate.h"
#include "cmd/listing/job_progress.h"
#include "cmd/listing/job_rows.h"
#include "cmd/listing/job_tasks.h"
#include "cmd/listing/resources.h"
#include "util/mem.h"
#include "util/units.h"

#include <ctype.h>
#include <grp.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROW(view) (((const struct job_view *)(view))->row)

static void id_text(const void *view, struct buf *out)
{
	if (job_view_is_brief(view))
		buf_addf(out, "%" PRIu64, ROW(view)->job);
	else
		job_row_id(ROW(view), out);
}

static void elements_text(const void *view, struct buf *out)
{
	if (ROW(view)->is_array)
		job_row_elements(ROW(view), out);
}

static int64_t elapsed_us(const void *view, const void *unused)
{
	const Armada__JobRow *r = ROW(view);
	int64_t end_us = r->end_us ? r->end_us : ((const struct job_view *)view)->now_us;

	(void)unused;
	return r->start_us && end_us > r->start_us ? end_us - r->start_us : 0;
}

/* An expected start that is in the past is no longer valid. */
static int64_t expected_us(const void *view, const void *unused)
{
	int64_t at = ROW(view)->expected_us;

	(void)unused;
	return at > ((const struct job_view *)view)->now_us ? at : 0;
}

/* Of a pending job its whole limit. Not known for an ended job, and for one without a limit. */
static int64_t left_us(const void *view, const void *unused)
{
	const Armada__JobRow *r = ROW(view);
	int64_t left = r->time_limit_s * INT64_C(1000000) - elapsed_us(view, unused);

	if (r->time_limit_s <= 0 || job_state(r->state)->ended)
		return CELL_UNKNOWN;
	return left > 0 ? left : 0;
}

static void left_text(const void *view, struct buf *out)
{
	int64_t left = left_us(view, NULL);
	char text[48];

	if (left != CELL_UNKNOWN) {
		format_duration(left, text, sizeof(text));
		buf_addstr(out, text);
	} else {
		buf_addstr(out, job_state(ROW(view)->state)->ended ? "-" : "UNLIMITED");
	}
}

static void format_least(int64_t seconds, char *out, size_t size)
{
	if (seconds > 0)
		format_duration(seconds * 1000000, out, size);
	else
		snprintf(out, size, "-");
}

static void format_limit(int64_t seconds, char *out, size_t size)
{
	if (seconds > 0)
		format_duration(seconds * 1000000, out, size);
	else
		snprintf(out, size, "UNLIMITED");
}

static int64_t node_count(const void *view, const void *unused)
{
	(void)unused;
	if (!ROW(view)->n_nodes && ROW(view)->state == ARMADA__JOB_STATE__JOB_PENDING)
		return ROW(view)->least_nodes ? ROW(view)->least_nodes : CELL_UNKNOWN;
	return (int64_t)job_row_nodes(ROW(view), NULL);
}

static void nodes_text(const void *view, struct buf *out)
{
	job_row_nodes(ROW(view), out);
}

static json_t *nodes_json(const void *view)
{
	return column_strings_json((const char *const *)ROW(view)->nodes, ROW(view)->n_nodes);
}

static void labels_text(const void *view, struct buf *out)
{
	const Armada__JobRow *r = ROW(view);

	for (size_t i = 0; i < r->n_labels; i++)
		buf_addf(out, "%s%s%s%s", i ? "," : "", r->labels[i]->key,
			 r->labels[i]->value[0] ? "=" : "", r->labels[i]->value);
}

static json_t *labels_json(const void *view)
{
	const Armada__JobRow *r = ROW(view);
	json_t *all = json_object();

	for (size_t i = 0; i < r->n_labels; i++)
		json_object_set_new(all, r->labels[i]->key, json_string(r->labels[i]->value));
	return all;
}

/* The word for the reason. A controller of an older release does not send one. */
static const char *pending_word(const Armada__JobRow *r)
{
	if (r->reason_word[0])
		return r->reason_word;
	return r->reason[0] ? r->reason : r->held ? "Held" : "Priority";
}

/* Whether the row is for an array of which elements are in several states, or of several elements. */
static bool shows_progress(const Armada__JobRow *r)
{
	return r->merged || job_progress_states(r) > 1;
}

/* "29 done, 1 running on n1", "7500 done, 128 running, 12000 waiting (Resources)" */
static void progress_text(const void *view, struct buf *out)
{
	const Armada__JobRow *r = ROW(view);

	job_progress_text(r, out);
	if (r->reason_word[0])
		buf_addf(out, " (%s)", r->reason_word);
	if (!r->merged && r->n_nodes && !job_state(r->state)->ended) {
		buf_addstr(out, " on ");
		nodes_text(view, out);
	}
}

static void why_text(const void *view, struct buf *out)
{
	const Armada__JobRow *r = ROW(view);

	if (job_view_is_brief(view) ||
	    (((const struct job_view *)view)->whole && shows_progress(r))) {
		progress_text(view, out);
		return;
	}
	if (r->state == ARMADA__JOB_STATE__JOB_PENDING)
		buf_addf(out, "(%s)", pending_word(r));
	else if (r->n_nodes)
		nodes_text(view, out);
	if (r->reason[0] && r->state != ARMADA__JOB_STATE__JOB_PENDING &&
	    (!r->n_nodes || job_state(r->state)->ended ||
	     r->state == ARMADA__JOB_STATE__JOB_UNKNOWN))
		buf_addf(out, "%s(%s)", r->n_nodes ? " " : "", r->reason);
}

/* For a job that is pending again, also how its last attempt ended. */
static void reason_text(const void *view, struct buf *out)
{
	const Armada__JobRow *r = ROW(view);

	buf_addstr(out, r->reason);
	if (r->state == ARMADA__JOB_STATE__JOB_PENDING && r->last_end[0] &&
	    strcmp(r->reason, r->last_end) != 0)
		buf_addf(out, "%s%s", r->reason[0] ? "; " : "", r->last_end);
}

static int64_t exit_code(const void *view, const void *unused)
{
	const Armada__JobRow *r = ROW(view);

	(void)unused;
	return job_state(r->state)->ended && job_row_has_exit(r) ? r->exit_code : CELL_UNKNOWN;
}

static int64_t exit_signal(const void *view, const void *unused)
{
	const Armada__JobRow *r = ROW(view);

	(void)unused;
	return job_state(r->state)->ended && job_row_has_exit(r) ? r->exit_signal : CELL_UNKNOWN;
}

static void exit_text(const void *view, struct buf *out)
{
	if (job_state(ROW(view)->state)->ended)
		job_row_exit(ROW(view), out);
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

/* A member of struct task_counts, by its offset. */
static int64_t task_count(const void *view, const void *member)
{
	struct task_counts c;

	job_row_counts(ROW(view), &c);
	return *(const uint32_t *)((const char *)&c + (uintptr_t)member);
}

/* A member of Armada__Usage, by its offset. Pending jobs have none, nor do nodes report it at once. */
static int64_t usage(const void *view, const void *member)
{
	const Armada__Usage *u = ROW(view)->usage;

	return u ? *(const int64_t *)((const char *)u + (uintptr_t)member) : CELL_UNKNOWN;
}

/* Nodes with contain/rlimit, and older records, have no such figure. */
static int64_t group_peak(const void *view, const void *unused)
{
	const Armada__Usage *u = ROW(view)->usage;

	(void)unused;
	return u && u->group_peak_bytes ? u->group_peak_bytes : CELL_UNKNOWN;
}

static int64_t elements(const void *view, const void *unused)
{
	(void)unused;
	return ROW(view)->count ? (int64_t)ROW(view)->count : 1;
}

static int64_t min_available(const void *view, const void *unused)
{
	(void)unused;
	return job_row_min_available(ROW(view));
}

static int64_t resource(const void *view, const void *name)
{
	return resources_amount(ROW(view)->resources, ROW(view)->n_resources, name);
}

static void resources_text(const void *view, struct buf *out)
{
	resources_add(ROW(view)->resources, ROW(view)->n_resources, ",", out);
}

static json_t *requests_json(const void *view)
{
	return resources_json(ROW(view)->resources, ROW(view)->n_resources);
}

static void state_text(const void *view, struct buf *out)
{
	buf_addstr(out, job_state(ROW(view)->state)->name);
}

static void st_text(const void *view, struct buf *out)
{
	buf_addstr(out, job_state(ROW(view)->state)->code);
}

static void on_task_failure_text(const void *view, struct buf *out)
{
	buf_addstr(out, task_failure_word(ROW(view)->on_task_failure));
}

static void counts_text(const void *view, struct buf *out)
{
	job_progress_text(ROW(view), out);
}

/* {"running": 128, "pending": 12000} */
static json_t *counts_json(const void *view)
{
	const Armada__JobRow *r = ROW(view);
	json_t *o = r->is_array ? json_object() : json_null();

	for (size_t i = 0; r->is_array && i < r->n_progress; i++) {
		const char *name = job_state(r->progress[i]->state)->name;
		char key[32];
		size_t n = 0;

		for (; name[n] && n < sizeof(key) - 1; n++)
			key[n] = (char)tolower((unsigned char)name[n]);
		key[n] = '\0';
		if (r->progress[i]->count)
			json_object_set_new(o, key,
					    json_integer((json_int_t)r->progress[i]->count));
	}
	return o;
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

		json_array_append_new(
			list,
			json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:o}", "name", g->name,
				  "replicas", (json_int_t)g->replicas, "pending",
				  (json_int_t)g->pending, "running", (json_int_t)g->running,
				  "unknown", (json_int_t)g->unknown, "succeeded",
				  (json_int_t)g->succeeded, "failed", (json_int_t)g->failed,
				  "on_task_failure", task_failure_word(g->on_task_failure),
				  "min_available",
				  g->min_available ? json_integer(g->min_available) : json_null()));
	}
	return list;
}

/* The parts of the processor time. Nodes of earlier releases do not report them. */
static int64_t cpu_part(const void *view, const void *member)
{
	const Armada__Usage *u = ROW(view)->usage;

	if (u && u->cpu_us && !u->user_us && !u->system_us)
		return CELL_UNKNOWN;
	return usage(view, member);
}

static int64_t elapsed_s(const void *view, const void *unused)
{
	return elapsed_us(view, unused) / 1000000;
}

/* The cpus that the attempt held on average. */
static int64_t charged_cpu(const void *view)
{
	const Armada__JobRow *r = ROW(view);

	return r->n_charged ? resources_amount(r->charged, r->n_charged, "cpu")
			    : resource(view, "cpu");
}

static int64_t reserved_us(const void *view, const void *unused)
{
	double us = (double)elapsed_us(view, unused) * (double)charged_cpu(view) / 1000;

	return us < 9e18 ? (int64_t)us : INT64_MAX;
}

static int64_t reserved_s(const void *view, const void *unused)
{
	return reserved_us(view, unused) / 1000000;
}

static int64_t wait_us(const void *view, const void *unused)
{
	const Armada__JobRow *r = ROW(view);
	int64_t until_us = r->start_us ? r->start_us
			   : r->end_us ? r->end_us
				       : ((const struct job_view *)view)->now_us;

	(void)unused;
	if (!r->eligible_us)
		return CELL_UNKNOWN;
	return until_us > r->eligible_us ? until_us - r->eligible_us : 0;
}

/* NAN: not known. */
static double cpu_efficiency(const void *view)
{
	const Armada__Usage *u = ROW(view)->usage;
	double reserved = (double)reserved_us(view, NULL);

	return u && reserved > 0 ? (double)u->cpu_us / reserved : NAN;
}

static double memory_efficiency(const void *view)
{
	const Armada__JobRow *r = ROW(view);
	double memory = (double)resource(view, "memory") / (r->tasks ? r->tasks : 1);

	return r->usage && r->start_us && memory > 0 ? (double)r->usage->max_rss_bytes / memory
						     : NAN;
}

static void cpu_efficiency_text(const void *view, struct buf *out)
{
	column_fraction(cpu_efficiency(view), out);
}

static json_t *cpu_efficiency_json(const void *view)
{
	return column_real_json(cpu_efficiency(view));
}

static void memory_efficiency_text(const void *view, struct buf *out)
{
	column_fraction(memory_efficiency(view), out);
}

static json_t *memory_efficiency_json(const void *view)
{
	return column_real_json(memory_efficiency(view));
}

/* getgrgid() has one buffer for all threads, and armrestd makes rows in several. */
static void group_text(const void *view, struct buf *out)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	const struct group *g;

	pthread_mutex_lock(&mutex);
	g = getgrgid(ROW(view)->gid);
	if (g)
		buf_addstr(out, g->gr_name);
	else
		buf_addf(out, "%" PRIu32, ROW(view)->gid);
	pthread_mutex_unlock(&mutex);
}

static void for_job_text(const void *view, struct buf *out)
{
	if (ROW(view)->for_job)
		buf_addf(out, "%" PRIu64, ROW(view)->for_job);
}

static json_t *for_job_json(const void *view)
{
	return ROW(view)->for_job ? json_integer((json_int_t)ROW(view)->for_job) : json_null();
}

static void lost_text(const void *view, struct buf *out)
{
	static const char *const words[] = {"", "preemption", "node", "requeue"};
	unsigned lost = (unsigned)ROW(view)->lost;

	buf_addstr(out, lost < ARRAY_SIZE(words) ? words[lost] : "other");
}

/* clang-format off */
#define TEXT(f)           CELL_TEXT(Armada__JobRow, f, .through = true)
#define INT(f)            CELL_INT(Armada__JobRow, f, .through = true)
#define QUANTITY(f, how)  CELL_QUANTITY(Armada__JobRow, f, how, .through = true)
#define BOOL(f)          CELL_BOOL(Armada__JobRow, f, .through = true)
#define COUNT(f)          CELL_NUMBER(task_count, (const void *)offsetof(struct task_counts, f), NULL)
#define USAGE(f, how)     CELL_NUMBER(usage, (const void *)offsetof(Armada__Usage, f), how)
const struct column job_columns[JOB_COLUMNS] = {
	{"id", "JOBID", 'i', true, false, CELL(id_text, NULL), NULL, "Id of the job, with the elements of an array"},
	{"job", "JOB", 'A', true, false, INT(job), NULL, "Id of the job alone"},
	{"elements", "ELEMENTS", 'K', false, false, CELL(elements_text, NULL), NULL, "Indices of the array elements on this line"},
	{"count", "COUNT", 0, true, false, CELL_NUMBER(elements, NULL, NULL), NULL, "Number of elements on this line"},
	{"progress", "PROGRESS", 0, false, true, CELL(counts_text, counts_json), NULL, "Elements of the whole array by state; an object in JSON, null for other jobs"},
	{"name", "NAME", 'j', false, true, TEXT(name), NULL, "Name"},
	{"user", "USER", 'u', false, false, TEXT(user), NULL, "User"},
	{"uid", "UID", 'U', true, false, INT(uid), NULL, "User id"},
	{"queue", "QUEUE", 'P', false, false, TEXT(queue), NULL, "Queue"},
	{"group", "GROUP", 0, false, false, CELL(group_text, NULL), NULL, "Primary group of the user"},
	{"gid", "GID", 0, true, false, INT(gid), NULL, "Number of that group"},
	{"job_set", "JOBSET", 0, false, true, TEXT(job_set), NULL, "Job set"},
	{"account", "ACCOUNT", 'a', false, true, TEXT(account), NULL, "Account that the use of the job is counted for"},
	{"labels", "LABELS", 0, false, true, CELL(labels_text, labels_json), NULL, "Labels of the job"},
	{"gang", "GANG", 0, false, true, TEXT(gang_id), NULL, "Gang of jobs that the job belongs to"},
	{"gang_cardinality", "MEMBERS", 0, true, false, CELL_INT(Armada__JobRow, gang_cardinality, .through = true, .text = gang_cardinality_text), NULL, "Number of jobs in the gang"},
	{"priority", "PRIO", 'Q', true, false, INT(priority), NULL, "Priority in its queue: lower runs first"},
	{"class", "CLASS", 'q', false, false, TEXT(priority_class), NULL, "Priority class: higher is more urgent"},
	{"st", "ST", 't', false, false, CELL(st_text, NULL), state_colour, "State, as a short code"},
	{"state", "STATE", 'T', false, false, CELL(state_text, NULL), state_colour, "State"},
	{"held", "HELD", 0, false, false, BOOL(held), NULL, "Whether the job is held until actl release"},
	{"reason", "REASON", 'r', false, true, CELL_TEXT(Armada__JobRow, reason, .through = true, .text = reason_text), NULL, "Why the job is pending, or why it ended in its state; for a requeued job also how the previous attempt ended"},
	{"last_end", "LAST_END", 0, false, true, TEXT(last_end), NULL, "How the previous attempt ended"},
	{"why", "WHY", 0, false, false, TEXT(reason_word), NULL, "Why the job is pending, as one word from aexplain(1)"},
	{"dependency", "DEPENDENCY", 'E', false, true, TEXT(dependency), NULL, "Jobs that the job waits for"},
	{"begin", "BEGIN", 0, false, false, QUANTITY(begin_us, format_time), NULL, "Earliest start time, if the job waits for it"},
	{"deadline", "DEADLINE", 0, false, false, QUANTITY(deadline_us, format_time), NULL, "Time before which the job must be able to end; it is cancelled while it waits otherwise"},
	{"attempt", "TRY", 0, true, false, INT(attempt), NULL, "Number of the attempt"},
	{"requeued", "REQUEUED", 0, false, false, BOOL(requeued), NULL, "Whether the job waited again after this attempt, which is not its end"},
	{"by", "BY", 0, false, false, TEXT(by), NULL, "User whose request ended the attempt"},
	{"for_job", "FOR_JOB", 0, true, false, CELL(for_job_text, for_job_json), NULL, "Job that the attempt was preempted for; null in JSON if for none"},
	{"for_queue", "FOR_QUEUE", 0, false, false, TEXT(for_queue), NULL, "Queue of that job"},
	{"lost", "LOST", 0, false, false, CELL(lost_text, NULL), NULL, "Why the time of the attempt was lost: preemption, node or requeue"},
	{"exit", "EXIT", 0, true, false, CELL(exit_text, NULL), NULL, "Exit code and signal, such as 0:9; - if no program ended"},
	{"exit_code", "CODE", 0, true, false, CELL_NUMBER(exit_code, NULL, NULL), NULL, "Exit code; null in JSON if no program has ended"},
	{"exit_signal", "SIGNAL", 0, true, false, CELL_NUMBER(exit_signal, NULL, NULL), NULL, "Signal that ended the job"},
	{"tasks", "TASKS", 0, true, false, INT(tasks), NULL, "Number of tasks of an element"},
	{"pending", "PENDING", 0, true, false, COUNT(pending), NULL, "Number of its tasks without a node"},
	{"running", "RUNNING", 0, true, false, COUNT(running), NULL, "Number of its tasks that run, or are being started or ended"},
	{"unknown", "UNKNOWN", 0, true, false, COUNT(unknown), NULL, "Number of its tasks on nodes that are silent"},
	{"succeeded", "SUCCEEDED", 0, true, false, COUNT(succeeded), NULL, "Number of its tasks that succeeded"},
	{"failed", "FAILED", 0, true, false, COUNT(failed), NULL, "Number of its tasks that failed"},
	{"min_available", "LEAST", 0, true, false, CELL_NUMBER(min_available, NULL, NULL), NULL, "Minimum number of its tasks that must start together and keep running"},
	{"groups", "TASKS", 0, false, true, CELL(groups_text, groups_json), NULL, "State of its tasks by group; a list of objects in JSON"},
	{"on_task_failure", "ON_FAILURE", 0, false, false, CELL(on_task_failure_text, NULL), NULL, "What happens when one of its tasks fails"},
	{"cpus", "CPUS", 'C', true, false, CELL_NUMBER(resource, "cpu", format_cpu), NULL, "Cpus of all tasks; millicores in JSON"},
	{"memory", "MEMORY", 'm', true, false, CELL_NUMBER(resource, "memory", format_size), NULL, "Memory of all tasks; bytes in JSON"},
	{"gpus", "GPUS", 'b', true, false, CELL_NUMBER(resource, "gpu", NULL), NULL, "Gpus of all tasks"},
	{"resources", "RESOURCES", 0, false, true, CELL(resources_text, requests_json), NULL, "Every resource of all tasks; an object in JSON"},
	{"nodes", "NODES", 'D', true, false, CELL_NUMBER(node_count, NULL, NULL), NULL, "Number of nodes; of a pending job, the fewest that it can start on"},
	{"nodelist", "NODELIST", 'N', false, true, CELL(nodes_text, nodes_json), NULL, "Nodes; by rank in JSON"},
	{"where", "NODELIST(REASON)", 'R', false, true, CELL(why_text, NULL), NULL, "Nodes; for pending, unknown and ended jobs, the reason in parentheses"},
	{"elapsed", "TIME", 'M', true, false, CELL_NUMBER(elapsed_us, NULL, format_duration), NULL, "Run time; microseconds in JSON"},
	{"elapsed_seconds", "SECONDS", 0, true, false, CELL_NUMBER(elapsed_s, NULL, NULL), NULL, "Run time in seconds"},
	{"reserved_time", "CPU_RESERVED", 0, true, false, CELL_NUMBER(reserved_us, NULL, format_duration), NULL, "Run time multiplied by the cpus; microseconds in JSON"},
	{"reserved_seconds", "CPU_SECONDS", 0, true, false, CELL_NUMBER(reserved_s, NULL, NULL), NULL, "The same in seconds"},
	{"wait_time", "WAITED", 0, true, false, CELL_NUMBER(wait_us, NULL, format_duration), NULL, "Time from when it could start until it started; microseconds in JSON"},
	{"time_limit", "TIME_LIMIT", 'l', true, false, QUANTITY(time_limit_s, format_limit), NULL, "Time limit; seconds in JSON, -1 for none"},
	{"time_min", "TIME_MIN", 0, true, false, QUANTITY(time_min_s, format_least), NULL, "Least time limit with which the job may start; seconds in JSON"},
	{"scavenge", "SCAVENGE", 0, false, false, BOOL(scavenge), NULL, "Whether the job runs only in resources that nobody else uses"},
	{"time_left", "TIME_LEFT", 'L', true, false, {.type = CELL_TYPE_NUMBER, .number = left_us, .text = left_text}, NULL, "Time left until the time limit; microseconds in JSON, null without a limit"},
	{"submit_time", "SUBMIT_TIME", 'V', false, false, QUANTITY(submit_us, format_time), NULL, "Time of submission; microseconds since 1970 in JSON"},
	{"eligible_time", "ELIGIBLE", 0, false, false, QUANTITY(eligible_us, format_time), NULL, "Time from when on the attempt waited for room only"},
	{"start_time", "START_TIME", 'S', false, false, QUANTITY(start_us, format_time), NULL, "Time of the start"},
	{"expected", "EXPECTED", 0, false, false, CELL_NUMBER(expected_us, NULL, format_time), NULL, "Latest start time, if it is known"},
	{"end_time", "END_TIME", 'e', false, false, QUANTITY(end_us, format_time), NULL, "Time of the end"},
	{"cpu_time", "CPU_TIME", 0, true, false, USAGE(cpu_us, format_duration), NULL, "Processor time used, also by running jobs; microseconds in JSON"},
	{"user_time", "USER_TIME", 0, true, false, CELL_NUMBER(cpu_part, (const void *)offsetof(Armada__Usage, user_us), format_duration), NULL, "The part of it in user mode"},
	{"system_time", "SYSTEM_TIME", 0, true, false, CELL_NUMBER(cpu_part, (const void *)offsetof(Armada__Usage, system_us), format_duration), NULL, "The part of it in the kernel"},
	{"cpu_efficiency", "CPU_EFF", 0, true, false, CELL(cpu_efficiency_text, cpu_efficiency_json), NULL, "Used part of the reserved cpus"},
	{"memory_efficiency", "MEM_EFF", 0, true, false, CELL(memory_efficiency_text, memory_efficiency_json), NULL, "Peak memory of the largest task, as a part of the reserved memory of a task"},
	{"max_rss", "MAX_RSS", 0, true, false, USAGE(max_rss_bytes, format_size), NULL, "Peak memory of a task, without the page cache; bytes in JSON"},
	{"max_with_cache", "MAX_WITH_CACHE", 0, true, false, CELL_NUMBER(group_peak, NULL, format_size), NULL, "Peak of what counts against the memory limit of a task, with the page cache; bytes in JSON"},
	{"read_bytes", "READ", 0, true, false, USAGE(read_bytes, format_size), NULL, "Bytes read from disks, if the kernel reports them; bytes in JSON"},
	{"written_bytes", "WRITTEN", 0, true, false, USAGE(written_bytes, format_size), NULL, "Bytes written to disks, if the kernel reports them; bytes in JSON"},
	{"chdir", "WORK_DIR", 'Z', false, true, TEXT(chdir), NULL, "Working directory"},
	{"output", "OUTPUT", 0, false, true, TEXT(output), NULL, "Output file, as a pattern"},
	{"error", "ERROR", 0, false, true, TEXT(error), NULL, "Error file, as a pattern"},
	{"submit_host", "HOST", 0, false, false, TEXT(submit_host), NULL, "Host that the job was submitted from"},
};
/* clang-format on */

/* Names of squeue --Format and sacct that mean the same: a column and its other names. */
static const char *const aliases[] = {
	"job ArrayJobID JobIDRaw",
	"elements ArrayTaskID",
	"user UserName",
	"uid UserID",
	"queue Partition",
	"class QOS PriorityClass",
	"st StateCompact",
	"begin Eligible EligibleTime",
	"tasks NumTasks NTasks",
	"cpus NumCPUs NCPUS AllocCPUS ReqCPUS",
	"nodes node_count NumNodes NNodes",
	"where ReasonList",
	"elapsed TimeUsed Elapsed",
	"submit_time Submit",
	"start_time Start",
	"end_time End",
	"cpu_time TotalCPU",
	"read_bytes DiskRead",
	"written_bytes DiskWrite",
	"output StdOut",
	"error StdErr",
	NULL,
};

const struct listing job_listing = LISTING("jobs", "id,queue,name,user,st,elapsed,nodes,where",
					   job_columns, .aliases = aliases);
