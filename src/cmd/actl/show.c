/*
 * actl show job, show node: everything about one job, or about nodes.
 *
 * The page of a job has its specification, the counts of its elements, and a line for each of the
 * running and the last ended elements; lines without a value are left out. A node is printed with
 * all columns of anode but those for programs.
 */
#include "cmd/actl/show.h"

#include "client/jobstate.h"
#include "client/known.h"
#include "client/spec/dependency.h"
#include "cmd/listing/job_rows.h"
#include "cmd/listing/job_tasks.h"
#include "cmd/listing/node_rows.h"
#include "cmd/listing/resources.h"
#include "proto/mail.h"
#include "proto/group_minimum.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/plural.h"
#include "util/signals.h"
#include "util/units.h"
#include "util/visible.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NODES_MAX = 65536 };

/* Prints "Key              value"; nothing if the value is empty. */
static void line(const char *key, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void line(const char *key, const char *fmt, ...)
{
	CLEANUP_BUF struct buf shown = {0};
	CLEANUP_FREE char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text || !*text)
		return;
	visible_add(&shown, text, true);
	printf("%-16s %s\n", key, (char *)shown.data);
}

static void line_words(const char *key, char *const *words, size_t count, const char *separator)
{
	CLEANUP_BUF struct buf text = {0};

	for (size_t i = 0; i < count; i++)
		buf_addf(&text, "%s%s", i ? separator : "", words[i]);
	if (count)
		line(key, "%s", (char *)text.data);
}

static void line_hosts(const char *key, char *const *names, size_t count)
{
	CLEANUP_BUF struct buf text = {0};

	hostlist_compress((const char *const *)names, count, &text);
	if (count)
		line(key, "%s", (char *)text.data);
}

/* The word of an enumerator; "" if this release has none. */
#define WORD(words, i) ((size_t)(i) < ARRAY_SIZE(words) && (words)[i] ? (words)[i] : "")

static const char *const bind_words[] = {
	[ARMADA__BIND__BIND_CPUS] = "its cpus",
	[ARMADA__BIND__BIND_SOCKETS] = "the sockets of its cpus",
	[ARMADA__BIND__BIND_NUMA] = "the NUMA nodes of its cpus",
	[ARMADA__BIND__BIND_NONE] = "nothing",
	[ARMADA__BIND__BIND_CORES] = "the cores of its cpus",
};

static void line_selectors(Armada__Selector *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		line(i ? "" : "Labels", "%s%s%s%s%s", list[i]->alternative ? "or " : "",
		     list[i]->negate ? "!" : "", list[i]->key, list[i]->value[0] ? "=" : "",
		     list[i]->value);
}

static void line_tolerations(Armada__Toleration *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		line(i ? "" : "Tolerates", "%s%s%s", list[i]->key[0] ? list[i]->key : "every taint",
		     strcmp(list[i]->operator_, "Exists") == 0 ? "" : "=", list[i]->value);
}

/* The settings of a group that only jobs with groups have. */
static void show_group(const Armada__TaskGroup *g)
{
	line("Script", "%s", g->n_argv ? "" : g->script_name);
	line_words("Arguments", g->args, g->n_args, " ");
	line_words("Environment", g->env, g->n_env, " ");
	line_selectors(g->selectors, g->n_selectors);
	line_tolerations(g->tolerations, g->n_tolerations);
	line("Service", "%s", g->service ? "yes: ended when the other groups have ended" : "");
	line("On failure", "%s", g->own_task_failure ? task_failure_word(g->on_task_failure) : "");
}

static void show_licenses(const Armada__JobSpec *s)
{
	CLEANUP_BUF struct buf text = {0};

	resources_add(s->licenses, s->n_licenses, ", ", &text);
	line("Licenses", "%s", text.len ? (const char *)text.data : "");
}

static void show_groups(const Armada__JobSpec *s)
{
	for (size_t i = 0; i < s->n_groups; i++) {
		const Armada__TaskGroup *g = s->groups[i];
		CLEANUP_BUF struct buf text = {0};
		uint32_t least;

		buf_addf(&text, "%" PRIu32 " task%s", g->replicas, plural(g->replicas, "", "s"));
		buf_addstr(&text, g->n_resources ? ", each with " : "");
		resources_add(g->resources, g->n_resources, ", ", &text);
		line(g->name[0] ? g->name : "Tasks", "%s", (char *)text.data);
		line_words("Command", g->argv, g->n_argv, " ");
		show_group(g);
		least = group_minimum_of(s, i);
		if (least)
			line("At least", "%" PRIu32 " task%s of the group", least,
			     plural(least, "", "s"));
	}
	show_licenses(s);
	if (s->min_available)
		line("At least", "%" PRIu32 " task%s", s->min_available,
		     plural(s->min_available, "", "s"));
	if (s->launch == ARMADA__LAUNCH__LAUNCH_FIRST)
		line("Launch", "the first task runs the program; the others stand by");
	if (s->on_task_failure)
		line("Task failure", "%s", task_failure_word(s->on_task_failure));
	if (s->nodes && s->tasks_per_node)
		line("Nodes", "%" PRIu32 ", %" PRIu32 " task%s on each", s->nodes,
		     s->tasks_per_node, plural(s->tasks_per_node, "", "s"));
	else if (s->nodes && s->n_groups)
		line("Nodes", "%" PRIu32 ", %" PRIu32 " or %" PRIu32 " tasks on each", s->nodes,
		     s->groups[0]->replicas / s->nodes, s->groups[0]->replicas / s->nodes + 1);
	line("Exclusive", "%s", s->exclusive ? "yes" : s->exclusive_user ? "for its user" : "");
	line("Memory", "%s", s->whole_memory ? "all of each node, which no other job uses" : "");
	line_hosts("Only on", s->nodes_include, s->n_nodes_include);
	line_hosts("Not on", s->nodes_exclude, s->n_nodes_exclude);
	line_selectors(s->selectors, s->n_selectors);
	line_tolerations(s->tolerations, s->n_tolerations);
	line("Uniformity", "%s", s->uniformity);
	line("Bound to", "%s", WORD(bind_words, s->bind));
	if (s->gang_id[0])
		line("Gang", "%s, %u %s, at least %u", s->gang_id, s->gang_cardinality,
		     plural(s->gang_cardinality, "job", "jobs"),
		     s->gang_min ? s->gang_min : s->gang_cardinality);
}

static const char *const dependency_states[] = {
	[ARMADA__DEPENDENCY_STATE__DEPENDENCY_MET] = " (satisfied)",
	[ARMADA__DEPENDENCY_STATE__DEPENDENCY_NEVER] = " (can never be satisfied)",
};

static void add_dependency(const Armada__Dependency *d, struct buf *out)
{
	buf_addstr(out, dependency_word(d->type));
	if (d->job)
		buf_addf(out, ":%" PRIu64, d->job);
	if (d->has_element)
		buf_addf(out, "_%" PRIu32, d->element);
	if (d->delay_s)
		buf_addf(out, "+%" PRId64, d->delay_s / 60);
	buf_addstr(out, WORD(dependency_states, d->state));
}

/* The dependencies with their states, and the begin time. */
static void show_dependencies(const Armada__JobSpec *s)
{
	CLEANUP_BUF struct buf text = {0};
	char when[48];

	for (size_t i = 0; i < s->n_dependencies; i++) {
		buf_addstr(&text, !i ? "" : s->dependency_any ? " or " : " and ");
		add_dependency(s->dependencies[i], &text);
	}
	if (text.len)
		line("Dependency", "%s%s", (char *)text.data,
		     s->keep_invalid_dependency ? "; stays pending if it can never be satisfied"
						: "");
	if (!s->begin_us)
		return;
	format_time(s->begin_us, when, sizeof(when));
	line("Begin", "not before %s", when);
}

static void show_array(const Armada__JobSpec *s)
{
	Armada__JobRow row = ARMADA__JOB_ROW__INIT;
	CLEANUP_BUF struct buf text = {0};

	if (!s->n_array)
		return;
	row.elements = s->array;
	row.n_elements = s->n_array;
	job_row_elements(&row, &text);
	if (s->array_throttle)
		buf_addf(&text, ", at most %" PRIu32 " at once", s->array_throttle);
	line("Array", "%s", (char *)text.data);
}

static const char *const limit_words[] = {
	[ARMADA__LIMIT_BY__LIMIT_BY_JOB] = " (--time)",
	[ARMADA__LIMIT_BY__LIMIT_BY_QUEUE] = " (default of its queue)",
	[ARMADA__LIMIT_BY__LIMIT_BY_CLASS] = " (default of its class)",
	[ARMADA__LIMIT_BY__LIMIT_BY_CLUSTER] = " (default of the cluster)",
	[ARMADA__LIMIT_BY__LIMIT_BY_QUEUE_MAX] = " (maximum of its queue)",
	[ARMADA__LIMIT_BY__LIMIT_BY_CLASS_MAX] = " (maximum of its class)",
	[ARMADA__LIMIT_BY__LIMIT_BY_CLUSTER_MAX] = " (maximum of the cluster)",
};

static void show_signal(const Armada__JobSpec *s)
{
	char name[SIGNAL_NAME];

	signal_format(s->signal, name);
	if (s->signal)
		line("Signal", "%s %s before its time limit%s", name,
		     duration_words(s->signal_before_s * 1000000).text,
		     s->signal_script ? ", to the script only" : "");
	else if (s->signal_script)
		line("Signal", "SIGTERM to the script only");
}

static void show_labels(const char *title, Armada__Label *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		line(i ? "" : title, "%s%s%s", list[i]->key, list[i]->value[0] ? "=" : "",
		     list[i]->value);
}

static void show_spec(const Armada__ShowJobReply *j, uint64_t id)
{
	const Armada__JobSpec *s = j->spec;
	char text[48];

	line("Job", "%" PRIu64, id);
	line("Name", "%s", s->name);
	line("User", "%s (uid %" PRIu32 ", gid %" PRIu32 ")", j->user, j->uid, j->gid);
	line("Queue", "%s", s->queue);
	line("Job set", "%s", s->job_set);
	line("Account", "%s", s->account);
	line("Priority", "%" PRId32 " (lower runs first)", s->priority);
	line("Priority class", "%s", s->priority_class);
	line("Scavenges", "%s",
	     s->scavenge ? "yes: it makes room for every job that does not" : "");
	show_labels("Labels", s->labels, s->n_labels);
	show_labels("Annotations", s->annotations, s->n_annotations);
	line("Comment", "%s", s->comment);
	if (s->mail_types)
		line("Mail", "%s to %s", mail_types_text(s->mail_types, text, sizeof(text)),
		     s->mail_user);
	format_time(j->submit_us, text, sizeof(text));
	line("Submitted", "%s%s%s", text, s->submit_host[0] ? " from " : "", s->submit_host);
	show_array(s);
	show_groups(s);
	if (s->time_limit_s > 0)
		format_duration(s->time_limit_s * 1000000, text, sizeof(text));
	line("Time limit", "%s%s", s->time_limit_s > 0 ? text : "none",
	     WORD(limit_words, s->time_limit_by));
	format_duration(s->time_min_s * 1000000, text, sizeof(text));
	line("Least limit", "%s", s->time_min_s ? text : "");
	format_time(s->deadline_us, text, sizeof(text));
	line("Deadline", "%s", s->deadline_us ? text : "");
	show_signal(s);
	format_duration(s->grace_ms * 1000, text, sizeof(text));
	line("Grace period", "%s", s->grace_ms ? text : "");
	if (s->max_requeues)
		line("Requeue", "after at most %" PRIu32 " failures", s->max_requeues);
	else
		line("Requeue", "%s", s->no_requeue ? "no" : "yes");
	format_duration(s->lease_s * 1000000, text, sizeof(text));
	line("Lease", "%s", s->no_fence ? "none (--no-fence)" : s->lease_s ? text : "");
	line("Held", "%s", s->hold ? "yes" : "");
	show_dependencies(s);
	line("Script", "%s",
	     s->n_groups > 1 || (s->n_groups && s->groups[0]->n_argv) ? "" : s->script_name);
	line_words("Arguments", s->args, s->n_args, " ");
	line("Directory", "%s", s->chdir);
	line("Output", "%s%s", s->output, s->open_append ? " (appended to)" : "");
	line("Error", "%s", s->error[0] ? s->error : "with the output");
	line("Input", "%s", s->input);
	line("Umask", "%04o", s->umask);
}

static void show_usage(const Armada__Usage *u)
{
	char cpu[48], memory[48], all[48], read[48], written[48];

	format_duration(u->cpu_us, cpu, sizeof(cpu));
	format_size(u->max_rss_bytes, memory, sizeof(memory));
	format_size(u->read_bytes, read, sizeof(read));
	format_size(u->written_bytes, written, sizeof(written));
	format_size(u->group_peak_bytes, all, sizeof(all));
	printf(" used cpu %s, memory %s", cpu, memory);
	if (u->group_peak_bytes)
		printf(" (%s with the page cache)", all);
	printf(", read %s, written %s", read, written);
}

static void show_row(const Armada__JobRow *r)
{
	CLEANUP_BUF struct buf id = {0}, nodes = {0}, tasks = {0}, ended = {0};
	char start[48], end[48];

	job_row_id(r, &id);
	hostlist_compress((const char *const *)r->nodes, r->n_nodes, &nodes);
	format_time(r->start_us, start, sizeof(start));
	format_time(r->end_us, end, sizeof(end));
	printf("  %-14s %-12s", (char *)id.data, job_state(r->state)->name);
	if (r->attempt)
		printf(" attempt %" PRIu32, r->attempt);
	if (r->n_nodes)
		printf(" on %s", (char *)nodes.data);
	if (r->start_us)
		printf(" from %s", start);
	if (r->end_us)
		printf(" to %s", end);
	job_row_exit(r, &ended);
	if (job_state(r->state)->ended && job_row_has_exit(r))
		printf(" exit %s", (char *)ended.data);
	if (r->usage && r->start_us)
		show_usage(r->usage);
	job_row_tasks(r, &tasks);
	if (tasks.len)
		printf(", tasks: %s", (char *)tasks.data);
	if (r->reason[0])
		printf(" (%s%s%s)", r->reason_word, r->reason_word[0] ? ": " : "", r->reason);
	if (r->last_end[0] && strcmp(r->last_end, r->reason) != 0)
		printf("\n  %-14s before: %s", "", r->last_end);
	putchar('\n');
}

static void show_progress(const Armada__ShowJobReply *j)
{
	if (j->waiting)
		line("Pending", "%" PRIu64, j->waiting);
	for (size_t i = 0; i < j->n_ended; i++)
		line(i ? "" : "Ended", "%" PRIu64 " %s", j->ended[i]->count,
		     job_state(j->ended[i]->state)->name);
	if (j->n_rows)
		printf("Elements\n");
	for (size_t i = 0; i < j->n_rows; i++)
		show_row(j->rows[i]);
}

/* Prints the bytes as they are; on a terminal only what can be shown. */
static void show_bytes(const uint8_t *bytes, size_t len)
{
	CLEANUP_BUF struct buf shown = {0};

	if (isatty(STDOUT_FILENO))
		visible_add_bytes(&shown, bytes, len, true);
	else
		buf_add(&shown, bytes, len);
	fwrite(shown.data, 1, shown.len, stdout);
}

/* Prints NUL-terminated strings, one on each line. */
static void show_env(const ProtobufCBinaryData *env)
{
	printf("\nEnvironment:\n");
	for (size_t i = 0, n; i < env->len; i += n + 1) {
		n = strnlen((const char *)env->data + i, env->len - i);
		show_bytes(env->data + i, n);
		putchar('\n');
	}
}

/* The attempts after which elements waited again; the first ATTEMPTS_SHOWN of them. */
static int show_attempts(struct actl *a, uint64_t job, struct err *err)
{
	enum { ATTEMPTS_SHOWN = 100 };
	Armada__HistoryRequest q = ARMADA__HISTORY_REQUEST__INIT;
	Armada__JobFilter f = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges = &range;
	const Armada__ListJobsReply *reply;
	int rc;

	range.first = range.last = job;
	f.ids = &ranges;
	f.n_ids = 1;
	q.filter = &f;
	q.attempts = true;
	q.limit = ATTEMPTS_SHOWN;
	rc = connection_ask(a->c, MSG_HISTORY, &q, MSG_LIST_JOBS_REPLY, a->arena, 0, &reply, err);
	if (rc < 0 || !reply->n_rows)
		return rc;
	printf("Earlier attempts\n");
	for (size_t i = 0; i < reply->n_rows; i++)
		show_row(reply->rows[i]);
	if (reply->more)
		printf("  more of them: aqueue --attempts %" PRIu64 "\n", job);
	return 0;
}

static int show_one_job(struct actl *a, const char *id, struct err *err)
{
	Armada__ShowJobRequest q = ARMADA__SHOW_JOB_REQUEST__INIT;
	const Armada__ShowJobReply *j;
	bool has_element;
	uint32_t element;
	int rc = job_id_parse(id, &q.job, &has_element, &element, err);

	q.with_script = a->with_script;
	q.with_env = a->with_env;
	if (rc == 0)
		rc = connection_ask(a->c, MSG_SHOW_JOB, &q, MSG_SHOW_JOB_REPLY, a->arena, 0, &j,
				    err);
	if (rc < 0)
		return rc;
	if (!j->spec)
		return err_set(err, -EBADE, "the reply of the controller lacks the job");
	show_spec(j, q.job);
	show_progress(j);
	rc = show_attempts(a, q.job, err);
	if (rc < 0)
		return rc;
	if (a->with_script && j->script.len) {
		printf("\nScript:\n");
		show_bytes(j->script.data, j->script.len);
	}
	if (a->with_env)
		show_env(&j->env);
	return 0;
}

int actl_show_job(struct actl *a, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < a->count; i++) {
		if (i)
			putchar('\n');
		rc = show_one_job(a, a->args[i], err);
	}
	return rc;
}

/* Whether a column repeats another one as a plain number, for programs. */
static bool for_programs(const char *column)
{
	static const char *const names[] = {"cpu_total", "cpu_free", "memory_total", "memory_free"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], column) == 0)
			return true;
	return false;
}

static void show_node(const Armada__NodeRow *n)
{
	for (size_t i = 0; i < node_listing.count; i++) {
		const struct column *c = &node_listing.columns[i];
		CLEANUP_BUF struct buf value = {0};

		buf_reserve(&value, 1);
		column_text(c, n, &value);
		if (!for_programs(c->name) && strcmp((char *)value.data, "-") != 0)
			line(c->name, "%s", (char *)value.data);
	}
}

int actl_show_node(struct actl *a, struct err *err)
{
	Armada__ListNodesRequest q = ARMADA__LIST_NODES_REQUEST__INIT;
	const Armada__ListNodesReply *nodes;
	CLEANUP_BUF struct buf joined = {0};

	for (size_t i = 0; i < a->count; i++)
		buf_addf(&joined, "%s%s", i ? "," : "", a->args[i]);
	if (a->count &&
	    hostlist_expand((char *)joined.data, NODES_MAX, &q.names, &q.n_names, err) < 0)
		return -EINVAL;
	int rc = connection_ask(a->c, MSG_LIST_NODES, &q, MSG_LIST_NODES_REPLY, a->arena, 0, &nodes,
				err);
	hostlist_free(q.names, q.n_names);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < nodes->n_nodes; i++) {
		if (i)
			putchar('\n');
		show_node(nodes->nodes[i]);
	}
	return nodes->n_missing ? known_no_node(a->c, nodes->missing[0], err) : 0;
}
