/*
 * A step: a command that arun runs in tasks of a running job.
 *
 * The job is either the one that arun is in (its environment names the tasks) or that of --job (the
 * controller lists it). Tasks join and leave an elastic job, so there the controller is asked which ones
 * run now, and their nodes are read from the file of hosts. The options of arun select tasks of the job,
 * and step_map() assigns the ranks. A task of the job can run one task of a step request, so several tasks
 * on one are sent as several requests ("layers"). Then the relay runs until all tasks of the step have
 * ended.
 */
#include "cmd/arun/step.h"

#include "client/environ.h"
#include "client/filter.h"
#include "cmd/arun/files.h"
#include "cmd/arun/mpi.h"
#include "cmd/arun/step_map.h"
#include "cmd/arun/payload.h"
#include "cmd/common/retry.h"
#include "util/indexlist.h"
#include "util/mem.h"
#include "util/names.h"
#include "util/units.h"
#include "util/visible.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CONNECT_TIMEOUT_MS = 60000, STEP_PAYLOAD_MAX = 256 << 10, TASKS_MAX = 1 << 20 };

struct step {
	struct arun *arun;
	struct connection *connection;
	struct arena *arena;
	struct spec spec;
	struct map_job job;
	uint32_t element, attempt;
	uint32_t group_first, group_size; /* ranks of the tasks in which steps run by default */
	bool other;                       /* the job of --job, not the one that arun is in */
	bool elastic; /* its variables name the tasks of its start, and others may run now */
	const bool *runs, *in_group; /* by rank; NULL: all; those from group_first on */
	struct map_task *tasks;
	uint32_t count, layers;
	uint32_t number; /* 1 + that of the step; 0: not known */
	const char *const *argv;
	size_t argc;
	uint8_t key[HELLO_KEY];
	struct listeners listeners;
	struct arun_files files;
};

bool arun_is_in_job(void)
{
	const char *id = getenv("ARMADA_JOB_ID");

	return id && *id;
}

static int env_number(const char *name, int64_t min, int64_t max, int64_t *ret, struct err *err)
{
	const char *text = getenv(name);

	if (!text)
		return err_set(err, -EBADE, "%s is not set; run this inside a job", name);
	return parse_int(text, min, max, ret, err) < 0 ? err_prefix(err, -EBADE, "%s", name) : 0;
}

/*
 * Reads the node of each task from ARMADA_NODE_RANKS. Without the list, every task counts as on its
 * own node.
 */
static void find_nodes(struct step *s)
{
	const char **nodes = arena_zalloc(s->arena, s->job.tasks + 1, sizeof(*nodes));
	const char *list = s->other ? NULL : getenv("ARMADA_NODE_RANKS");
	char *copy = arena_strdup(s->arena, list ? list : ""), *save = NULL;
	char *word = strtok_r(copy, ",", &save);

	for (uint32_t i = 0; i < s->job.tasks; i++) {
		nodes[i] = word ? word : arena_printf(s->arena, "#%u", i);
		word = word ? strtok_r(NULL, ",", &save) : NULL;
	}
	s->job.nodes = nodes;
}

/* Reads the node of each task from the file of hosts, a line for each rank. */
static void find_hosts(struct step *s)
{
	const char **nodes = arena_zalloc(s->arena, s->job.tasks + 1, sizeof(*nodes));
	const char *path = getenv("ARMADA_HOST_FILE");
	FILE *f = path ? fopen(path, "re") : NULL;
	char line[512] = "";

	for (uint32_t i = 0; i < s->job.tasks; i++) {
		bool has = f && fgets(line, sizeof(line), f) && line[0] != '#';

		line[strcspn(line, "\n")] = '\0';
		nodes[i] = has ? arena_strdup(s->arena, line) : arena_printf(s->arena, "#%u", i);
	}
	if (f)
		fclose(f);
	s->job.nodes = nodes;
}

/*
 * In a job with several groups of tasks, steps run in the tasks of the own group, whose ranks follow
 * each other. Otherwise they run in all tasks.
 */
static int find_group(struct step *s, uint32_t tasks, struct err *err)
{
	int64_t rank, in_group, size;
	int rc = 0;

	s->group_size = tasks;
	if (!getenv("ARMADA_GROUP_SIZE"))
		return 0;
	rc = env_number("ARMADA_TASK_RANK", 0, TASKS_MAX, &rank, err);
	if (rc == 0)
		rc = env_number("ARMADA_GROUP_RANK", 0, rank, &in_group, err);
	if (rc == 0)
		rc = env_number("ARMADA_GROUP_SIZE", 1, (int64_t)tasks - (rank - in_group), &size,
				err);
	if (rc < 0)
		return rc;
	s->group_first = (uint32_t)(rank - in_group);
	s->group_size = (uint32_t)size;
	return 0;
}

/* In each task of the job this would start the same step. */
static int check_launch(const struct step *s, int64_t job, int64_t tasks, struct err *err)
{
	const char *launch = getenv("ARMADA_LAUNCH");

	if ((s->group_size < 2 && !s->elastic) || !launch || strcmp(launch, "all") != 0)
		return 0;
	return err_set(err, -EBADE,
		       "job %" PRId64 " runs its program in each of its %s%" PRId64
		       " tasks, so each of them would start this; submit it with "
		       "--launch=first to run steps in its tasks from the first task",
		       job, s->elastic ? "up to " : "", tasks);
}

/* Reads the job that arun is in from the environment. */
static int find_own_job(struct step *s, struct err *err)
{
	int64_t job, tasks, attempt, element = 0;
	const char *cpus = getenv("ARMADA_CPUS");
	int rc = env_number("ARMADA_JOB_ID", 1, INT64_MAX, &job, err);

	if (rc == 0)
		rc = env_number("ARMADA_TASK_COUNT", 1, TASKS_MAX, &tasks, err);
	if (rc == 0)
		rc = env_number("ARMADA_ATTEMPT", 0, UINT32_MAX, &attempt, err);
	if (rc == 0 && getenv("ARMADA_ARRAY_TASK_ID"))
		rc = env_number("ARMADA_ARRAY_TASK_ID", 0, UINT32_MAX, &element, err);
	s->elastic = getenv("ARMADA_TASK_MAX") != NULL;
	if (rc == 0 && s->elastic)
		rc = env_number("ARMADA_TASK_MAX", 1, TASKS_MAX, &tasks, err);
	if (rc < 0)
		return rc;
	rc = find_group(s, (uint32_t)tasks, err);
	if (rc == 0)
		rc = check_launch(s, job, tasks, err);
	if (rc < 0)
		return rc;
	s->job.id = (uint64_t)job;
	s->job.tasks = (uint32_t)tasks;
	s->element = (uint32_t)element;
	s->attempt = (uint32_t)attempt;
	if (cpus && parse_cpu(cpus, &s->job.cpu_milli, NULL) < 0)
		s->job.cpu_milli = 0;
	find_nodes(s);
	return 0;
}

/* Asks the controller for the row of a running job; the error tells why there is none. */
static int ask_row(struct step *s, const char *id, const struct filter *f,
		   const Armada__JobRow **ret_row, struct err *err)
{
	Armada__ListJobsRequest request = ARMADA__LIST_JOBS_REQUEST__INIT;
	const struct retry retry = {s->arun->self, s->arun->retry_ms, s->arun->quiet, NULL};
	const Armada__ListJobsReply *reply;
	int rc;

	request.filter = (Armada__JobFilter *)(uintptr_t)&f->message;
	rc = retry_ask(&retry, s->connection, MSG_LIST_JOBS, &request, MSG_LIST_JOBS_REPLY,
		       s->arena, 0, &reply, err);
	if (rc < 0)
		return rc;
	if (reply->n_rows == 0)
		return err_set(err, -ENOENT, "job %s is neither pending nor running", id);
	if (reply->n_rows > 1)
		return err_set(err, -EBADE, "job %s has several elements; name one of them: %s_N",
			       id, id);
	if (reply->rows[0]->state != ARMADA__JOB_STATE__JOB_RUNNING)
		return err_set(err, -EBADE, "job %s is not running: %s", id,
			       reply->rows[0]->reason[0] ? reply->rows[0]->reason
							 : "it has not started");
	*ret_row = reply->rows[0];
	return 0;
}

static int find_row(struct step *s, const char *id, const Armada__JobRow **ret_row, struct err *err)
{
	struct filter f;
	int rc;

	filter_init(&f);
	rc = filter_add(&f, FILTER_IDS, id, err);
	if (rc < 0)
		err_prefix(err, rc, "--job");
	if (rc == 0)
		rc = ask_row(s, id, &f, ret_row, err);
	filter_done(&f);
	return rc;
}

static void mark_ranks(const struct step *s, const Armada__GroupCount *g, bool *marks)
{
	for (size_t i = 0; i < g->n_ranks; i++)
		for (uint32_t r = g->ranks[i]->first; r <= g->ranks[i]->last && r < s->job.tasks;
		     r++)
			marks[r] = true;
}

/* The ranks that run, of all groups and of the own one; a row without ranks means that all run. */
static void find_running(struct step *s, const Armada__JobRow *row)
{
	bool *runs = arena_zalloc(s->arena, s->job.tasks + 1, sizeof(*runs));
	bool *in_group = arena_zalloc(s->arena, s->job.tasks + 1, sizeof(*in_group));
	const char *own = s->other ? NULL : getenv("ARMADA_GROUP_NAME");
	bool named = false;

	for (size_t i = 0; i < row->n_groups; i++) {
		const Armada__GroupCount *g = row->groups[i];

		named |= g->n_ranks > 0;
		mark_ranks(s, g, runs);
		if (!own || strcmp(own, g->name) == 0)
			mark_ranks(s, g, in_group);
	}
	if (!named)
		return;
	s->runs = runs;
	s->in_group = in_group;
}

/* The id of the job, or of the element of an array. */
static const char *job_text(const struct step *s)
{
	if (s->other)
		return s->arun->job;
	return getenv("ARMADA_ARRAY_TASK_ID")
		       ? arena_printf(s->arena, "%" PRIu64 "_%u", s->job.id, s->element)
		       : arena_printf(s->arena, "%" PRIu64, s->job.id);
}

/* The tasks of the elastic job that arun is in, as they are now. */
static int find_tasks_now(struct step *s, struct err *err)
{
	const char *id = job_text(s);
	const Armada__JobRow *row = NULL;
	int rc = find_row(s, id, &row, err);

	if (rc < 0)
		return rc;
	s->job.tasks = row->tasks;
	find_running(s, row);
	find_hosts(s);
	return 0;
}

static int find_other_job(struct step *s, struct err *err)
{
	const Armada__JobRow *row = NULL;
	int rc = find_row(s, s->arun->job, &row, err);

	if (rc < 0)
		return rc;
	s->other = true;
	s->job.id = row->job;
	s->job.tasks = s->group_size = row->tasks;
	s->element = row->n_elements ? row->elements[0]->first : 0;
	s->attempt = row->attempt;
	s->job.cpu_milli = row->cpus_per_task_milli;
	find_running(s, row);
	find_nodes(s);
	return 0;
}

static bool listed(char *const *list, size_t count, const char *name)
{
	return names_have((const char *const *)list, count, name);
}

static int read_ranks(const struct step *s, const char *text, bool *usable, struct err *err)
{
	CLEANUP_FREE struct index_range *ranges = NULL;
	uint32_t throttle;
	size_t count;
	int rc = indexlist_parse(text, s->job.tasks, &ranges, &count, &throttle, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].last >= s->job.tasks)
			return err_set(err, -EINVAL, "job %" PRIu64 " has tasks 0 to %u", s->job.id,
				       s->job.tasks - 1);
		for (uint32_t r = ranges[i].first; r <= ranges[i].last; r += ranges[i].step) {
			if (s->runs && !s->runs[r])
				return err_set(err, -EBADE,
					       "task %u of job %" PRIu64 " does not run now", r,
					       s->job.id);
			usable[r] = true;
		}
	}
	return 0;
}

/* The tasks in which steps run by default. */
static void mark_default(const struct step *s, bool *usable)
{
	if (s->in_group)
		memcpy(usable, s->in_group, s->job.tasks * sizeof(*usable));
	for (uint32_t i = 0; !s->in_group && i < s->group_size; i++)
		usable[s->group_first + i] = true;
}

/* A node of --nodelist on which no task of the job runs may have left the job meanwhile. */
static int check_hosts(const struct step *s, struct err *err)
{
	const Armada__JobSpec *spec = &s->spec.job;

	for (size_t i = 0; s->elastic && i < spec->n_nodes_include; i++) {
		bool found = false;

		for (uint32_t r = 0; r < s->job.tasks && !found; r++)
			found = (!s->runs || s->runs[r]) &&
				strcmp(s->job.nodes[r], spec->nodes_include[i]) == 0;
		if (!found)
			return err_set(err, -EBADE,
				       "--nodelist: no task of job %" PRIu64 " runs on %s now",
				       s->job.id, spec->nodes_include[i]);
	}
	return 0;
}

/* Marks the tasks that --ranks, --nodelist and --exclude allow. */
static int choose_usable(struct step *s, struct err *err)
{
	const Armada__JobSpec *spec = &s->spec.job;
	const char *ranks = s->arun->ranks ? s->arun->ranks : s->other ? "0" : NULL;
	bool *usable = arena_zalloc(s->arena, s->job.tasks + 1, sizeof(*usable));
	int rc = 0;

	if (ranks && !(s->other && !s->arun->ranks && s->spec.shape.tasks)) {
		rc = read_ranks(s, ranks, usable, err);
	} else {
		mark_default(s, usable);
	}
	if (rc < 0)
		return err_prefix(err, rc, "--ranks");
	rc = check_hosts(s, err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < s->job.tasks; i++) {
		const char *node = s->job.nodes[i];

		if ((spec->n_nodes_include &&
		     !listed(spec->nodes_include, spec->n_nodes_include, node)) ||
		    listed(spec->nodes_exclude, spec->n_nodes_exclude, node))
			usable[i] = false;
	}
	s->job.usable = usable;
	return 0;
}

/* Warns about options that have an effect only on a job of its own. */
static void warn_of_unused(const struct step *s)
{
	static const char *const used[] = {"ntasks", "nodes",    "ntasks-per-node", "cpus", "chdir",
					   "export", "nodelist", "exclude",         "name"};
	const struct deferred_options *l = &s->arun->line;

	for (size_t i = 0; i < l->count && !s->arun->quiet; i++) {
		bool has_effect = false;

		for (size_t k = 0; k < ARRAY_SIZE(used); k++)
			has_effect |= strcmp(used[k], l->list[i].o->name) == 0;
		if (!has_effect)
			command_warn(s->arun->self, "%s has no effect inside job %" PRIu64,
				     l->list[i].shown, s->job.id);
	}
}

static int choose_tasks(struct step *s, struct err *err)
{
	const struct spec_shape *sh = &s->spec.shape;
	struct map_want want = {.overcommit = s->arun->overcommit, .cyclic = s->arun->cyclic};
	int rc = deferred_options_apply(&s->arun->line, &s->spec, err);

	if (rc == 0)
		rc = choose_usable(s, err);
	if (rc < 0)
		return rc;
	warn_of_unused(s);
	want.tasks = (uint32_t)sh->tasks;
	want.nodes = (uint32_t)sh->nodes;
	want.tasks_per_node = (uint32_t)sh->tasks_per_node;
	want.cpu_milli = sh->cpu_milli;
	if (s->arun->pty && !want.tasks && !want.nodes)
		want.tasks = 1;
	return step_map(&s->job, &want, s->arena, &s->tasks, &s->count, err);
}

/* What the payloads of all layers share. */
struct common {
	struct buf env, command;
	char *here;
	Armada__StubTask *tasks;
	Armada__IndexRange *ranges, **list;
};

/*
 * The command as one line for listings, which the controller cuts. Blanks replace what does not show,
 * such as the line feeds of a program.
 */
static void make_command(const struct step *s, struct buf *out)
{
	enum { COMMAND_MAX = 1000 };

	for (size_t i = 0; i < s->argc && out->len < COMMAND_MAX; i++) {
		const char *p = s->argv[i];

		if (i)
			buf_addc(out, ' ');
		for (size_t n; *p && out->len < COMMAND_MAX; p += n ? n : 1) {
			n = visible_char(p);
			buf_add(out, n ? p : " ", n ? n : 1);
		}
	}
	buf_reserve(out, 1);
}

static int gather(struct step *s, struct common *p, struct err *err)
{
	const char *export = s->spec.export ? s->spec.export : s->other ? "TERM" : NULL;
	int rc = environ_capture(environ, export, STEP_PAYLOAD_MAX, &p->env, err);

	if (rc < 0)
		return rc;
	make_command(s, &p->command);
	p->tasks = arena_zalloc(s->arena, s->count, sizeof(*p->tasks));
	p->ranges = arena_zalloc(s->arena, s->count, sizeof(*p->ranges));
	p->list = arena_zalloc(s->arena, s->count, sizeof(*p->list));
	p->here = s->spec.job.chdir[0] ? s->spec.job.chdir : NULL;
	if (!p->here && !s->other) {
		CLEANUP_FREE char *here = get_current_dir_name();

		p->here = here ? arena_strdup(s->arena, here) : NULL;
	}
	for (uint32_t i = 0; i < s->count; i++)
		if (s->tasks[i].layer >= s->layers)
			s->layers = s->tasks[i].layer + 1;
	return 0;
}

/* Lists the tasks of one layer; a task of the job has at most one of them. */
static size_t tasks_of_layer(const struct step *s, struct common *p, uint32_t layer)
{
	size_t n = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		if (s->tasks[i].layer != layer)
			continue;
		armada__stub_task__init(&p->tasks[n]);
		p->tasks[n].rank = s->tasks[i].rank;
		p->tasks[n].step_rank = i;
		p->tasks[n].local_rank = s->tasks[i].local_rank;
		p->tasks[n].local_size = s->tasks[i].local_size;
		armada__index_range__init(&p->ranges[n]);
		p->ranges[n].first = p->ranges[n].last = s->tasks[i].rank;
		p->list[n] = &p->ranges[n];
		n++;
	}
	return n;
}

static int send_layer(struct step *s, struct common *p, uint32_t layer, struct err *err)
{
	const struct retry retry = {s->arun->self, s->arun->retry_ms, s->arun->quiet, NULL};
	CLEANUP_BUF struct buf payload = {0};
	Armada__StepRequest request = ARMADA__STEP_REQUEST__INIT;
	const Armada__StepReply *reply;
	int rc;
	size_t n = tasks_of_layer(s, p, layer);
	const struct payload_plan plan = {
		.listeners = &s->listeners,
		.key = s->key,
		.argv = s->argv,
		.argc = s->argc,
		.env = &p->env,
		.chdir = p->here,
		.pty = s->arun->pty,
		.step = true,
		.size = s->count,
		.tasks = p->tasks,
		.task_count = n,
		.mpi = s->arun->mpi_plugin,
		.mpi_step = s->arun->mpi_step,
	};

	arun_payload(&plan, &payload);
	if (payload.len > STEP_PAYLOAD_MAX)
		return err_set(err, -E2BIG,
			       "command and environment have %zu bytes; a step may have %d; "
			       "select variables with --export",
			       payload.len, STEP_PAYLOAD_MAX);
	request.job = s->job.id;
	request.element = s->element;
	request.attempt = s->attempt;
	request.ranks = p->list;
	request.n_ranks = n;
	request.payload.data = payload.data;
	request.payload.len = payload.len;
	request.command = (char *)p->command.data;
	request.step = s->number;
	request.layer = layer;
	rc = retry_ask(&retry, s->connection, MSG_STEP, &request, MSG_STEP_REPLY, s->arena, 0,
		       &reply, err);
	if (rc == 0)
		s->number = reply->step;
	return rc;
}

static int send_all(struct step *s, struct err *err)
{
	struct common p = {{0}, {0}, NULL, NULL, NULL, NULL};
	int rc = gather(s, &p, err);

	for (uint32_t i = 0; rc == 0 && i < s->layers; i++)
		rc = send_layer(s, &p, i, err);
	buf_done(&p.env);
	buf_done(&p.command);
	if (rc == 0 && s->number && s->arun->verbose)
		fprintf(stderr, "%s: step %s.%u\n", s->arun->self->name, job_text(s),
			s->number - 1);
	return rc;
}

static int run_attached(struct step *s, struct err *err)
{
	struct run_plan plan = arun_plan(s->arun, &s->files, &s->listeners, s->key);

	plan.tasks = s->count;
	plan.job = s->job.id;
	plan.connect_timeout_ms = CONNECT_TIMEOUT_MS;
	return arun_relay(&plan, err);
}

/* Sends the step and runs the relay; the job and the tasks are known. */
static int launch(struct step *s, struct err *err)
{
	int rc = listeners_open(&s->listeners, connection_conf(s->connection), err);

	if (rc < 0)
		return rc;
	randombytes_buf(s->key, sizeof(s->key));
	rc = send_all(s, err);
	if (rc == 0)
		rc = run_attached(s, err);
	listeners_close(&s->listeners);
	sodium_memzero(s->key, sizeof(s->key));
	return rc;
}

/* Where a path of the program begins, if it is not absolute; NULL: the working directory. */
static const char *step_directory(const struct step *s)
{
	return s->spec.job.chdir[0] ? s->spec.job.chdir : NULL;
}

static void step_init(struct step *s, struct arun *a, struct connection *c)
{
	*s = (struct step){.arun = a,
			   .connection = c,
			   .arena = arena_new(0),
			   .argv = a->line.operands,
			   .argc = a->line.operand_count};
	spec_init(&s->spec);
}

static void step_done(struct step *s)
{
	spec_done(&s->spec);
	arena_free(s->arena);
}

int arun_step(struct arun *a, struct connection *c, struct err *err)
{
	struct step s;
	int rc;

	if (a->line.operand_count == 0)
		return err_set(err, -EINVAL, "nothing to run; give a command");
	step_init(&s, a, c);
	rc = a->job ? find_other_job(&s, err) : find_own_job(&s, err);
	if (rc == 0 && s.elastic)
		rc = find_tasks_now(&s, err);
	if (rc == 0)
		rc = choose_tasks(&s, err);
	if (rc == 0 && a->pty && s.count > 1)
		rc = err_set(err, -EINVAL, "--pty is for one task; give -n 1, or --ranks=N");
	if (rc == 0)
		rc = arun_open_files(a, &s.files, err);
	if (rc == 0)
		rc = arun_check_input(&s.files, s.count, err);
	if (rc == 0)
		rc = arun_mpi_choose(a, connection_conf(c), s.argv[0], step_directory(&s), err);
	if (rc == 0)
		arun_mpi_warn(a, s.argv[0], step_directory(&s), s.count);
	if (rc == 0)
		rc = launch(&s, err);
	step_done(&s);
	return rc;
}

int arun_in_task(struct arun *a, struct connection *c, uint32_t rank, const char *const *argv,
		 size_t argc, struct err *err)
{
	struct map_task only = {.rank = rank, .local_size = 1};
	struct step s;
	int rc;

	step_init(&s, a, c);
	rc = find_own_job(&s, err);
	if (rc == 0 && !s.elastic && rank >= s.group_size)
		rc = err_set(err, -EBADE, "job %" PRIu64 " has no task %u", s.job.id, rank);
	/* the file of hosts of an elastic job has the tasks of all groups */
	only.rank += s.elastic ? 0 : s.group_first;
	s.argv = argv;
	s.argc = argc;
	s.tasks = &only;
	s.count = 1;
	if (rc == 0)
		rc = arun_open_files(a, &s.files, err);
	if (rc == 0)
		rc = launch(&s, err);
	step_done(&s);
	return rc;
}
