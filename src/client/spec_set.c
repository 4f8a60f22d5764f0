#include "client/spec_set.h"

#include "client/spec.h"
#include "util/hostlist.h"
#include "util/indexlist.h"
#include "util/mem.h"
#include "util/signals.h"
#include "util/units.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum {
	TASKS_MAX = 1000000,
	NODES_MAX = 1000000,
	HOSTS_MAX = 65536,
	LABELS_MAX = 64,
};

/* Whether - or _ is between the parts of a word makes no difference. */
static bool words_alike(const char *a, const char *b)
{
	for (; *a && (*a == *b || (*a == '-' && *b == '_')); a++, b++)
		;
	return !*a && !*b;
}

static int set_text(struct spec *s, const char *value, char **field, struct err *err)
{
	if (!*value)
		return err_set(err, -EINVAL, "is empty");
	*field = arena_strdup(s->arena, value);
	return 0;
}

#define TEXT_SETTER(fn, field)                                                                     \
	int spec_##fn(void *target, const char *value, struct err *err)                            \
	{                                                                                          \
		struct spec *s = target;                                                           \
                                                                                                   \
		return set_text(s, value, &s->job.field, err);                                     \
	}

TEXT_SETTER(set_name, name)
TEXT_SETTER(set_queue, queue)
TEXT_SETTER(set_job_set, job_set)
TEXT_SETTER(set_comment, comment)
TEXT_SETTER(set_uniformity, uniformity)
TEXT_SETTER(set_gang_id, gang_id)
TEXT_SETTER(set_chdir, chdir)
TEXT_SETTER(set_output, output)
TEXT_SETTER(set_error, error)
TEXT_SETTER(set_input, input)

static int set_members(const char *value, uint32_t *field, struct err *err)
{
	int64_t n;
	int rc = parse_int(value, 1, TASKS_MAX, &n, err);

	if (rc < 0)
		return rc;
	*field = (uint32_t)n;
	return 0;
}

int spec_set_gang_cardinality(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	return set_members(value, &s->job.gang_cardinality, err);
}

int spec_set_gang_min(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	return set_members(value, &s->job.gang_min, err);
}

int spec_set_hold(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	(void)value, (void)err;
	s->job.hold = true;
	return 0;
}

static int set_requeue(struct spec *s, bool requeue)
{
	s->job.requeue_set = true;
	s->job.no_requeue = !requeue;
	return 0;
}

enum { REQUEUES_MAX = 1000000 };

int spec_set_requeue(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int64_t n = 0;
	int rc = value ? parse_int(value, 1, REQUEUES_MAX, &n, err) : 0;

	if (rc < 0)
		return rc;
	s->job.max_requeues = (uint32_t)n;
	return set_requeue(target, true);
}

int spec_set_lease(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int64_t us;
	int rc = parse_duration(value, &us, err);

	if (rc < 0)
		return rc;
	if (us < 1000000)
		return err_set(err, -EINVAL, "\"%s\": a lease is a second at least", value);
	if (s->job.no_fence)
		return err_set(err, -EINVAL, "--lease and --no-fence exclude one another");
	s->job.lease_s = us / 1000000;
	return 0;
}

int spec_set_no_fence(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	(void)value;
	if (s->job.lease_s)
		return err_set(err, -EINVAL, "--lease and --no-fence exclude one another");
	s->job.no_fence = true;
	return 0;
}

int spec_set_no_requeue(void *target, const char *value, struct err *err)
{
	(void)value, (void)err;
	return set_requeue(target, false);
}

int spec_set_exclusive(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	(void)value, (void)err;
	s->job.exclusive = true;
	return 0;
}

int spec_set_array(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	CLEANUP_FREE struct index_range *ranges = NULL;
	Armada__IndexRange **list;
	size_t count = 0;
	uint32_t throttle = 0;
	int rc = indexlist_parse(value, UINT32_MAX, &ranges, &count, &throttle, err);

	if (rc < 0)
		return rc;
	list = arena_zalloc(s->arena, count, sizeof(*list));
	for (size_t i = 0; i < count; i++) {
		list[i] = arena_alloc(s->arena, sizeof(**list));
		armada__index_range__init(list[i]);
		list[i]->first = ranges[i].first;
		list[i]->last = ranges[i].last;
		list[i]->step = ranges[i].step;
	}
	s->job.array = list;
	s->job.n_array = count;
	s->job.array_throttle = throttle;
	return 0;
}

int spec_set_tasks(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	return parse_int(value, 1, TASKS_MAX, &s->shape.tasks, err);
}

int spec_set_nodes(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	return parse_int(value, 1, NODES_MAX, &s->shape.nodes, err);
}

int spec_set_tasks_per_node(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	return parse_int(value, 1, TASKS_MAX, &s->shape.tasks_per_node, err);
}

int spec_set_min_tasks(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	return parse_int(value, 1, TASKS_MAX, &s->shape.min_tasks, err);
}

int spec_set_mpi(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	if (strcmp(value, "auto") == 0)
		s->job.mpi = ARMADA__MPI__MPI_AUTO;
	else if (strcmp(value, "none") == 0)
		s->job.mpi = ARMADA__MPI__MPI_NONE;
	else
		return err_set(err, -EINVAL, "\"%s\" must be auto or none", value);
	return 0;
}

int spec_set_launch(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	if (strcmp(value, "all") == 0)
		s->job.launch = ARMADA__LAUNCH__LAUNCH_ALL;
	else if (strcmp(value, "first") == 0)
		s->job.launch = ARMADA__LAUNCH__LAUNCH_FIRST;
	else
		return err_set(err, -EINVAL, "\"%s\" must be all or first", value);
	s->launch_set = true;
	return 0;
}

int spec_set_on_task_failure(void *target, const char *value, struct err *err)
{
	static const char *const words[] = {
		[ARMADA__TASK_FAILURE__TASK_FAILURE_FAIL_JOB] = "fail_job",
		[ARMADA__TASK_FAILURE__TASK_FAILURE_RESTART_JOB] = "restart_job",
		[ARMADA__TASK_FAILURE__TASK_FAILURE_REPLACE_TASK] = "replace_task",
	};
	struct spec *s = target;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!words_alike(value, words[i]))
			continue;
		s->job.on_task_failure = (Armada__TaskFailure)i;
		return 0;
	}
	return err_set(err, -EINVAL, "\"%s\" must be fail_job, restart_job or replace_task", value);
}

int spec_set_cpus(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int64_t milli;
	int rc = parse_cpu(value, &milli, err);

	if (rc < 0)
		return rc;
	if (milli <= 0)
		return err_set(err, -EINVAL, "\"%s\": must be more than 0", value);
	s->shape.cpu_milli = milli;
	return 0;
}

/* As Slurm does, a bare number is in MiB. */
static int parse_memory(struct spec *s, const char *value, int64_t *ret_bytes, struct err *err)
{
	const char *text = value;
	int64_t bytes;
	int rc;

	if (*value && strspn(value, "0123456789") == strlen(value))
		text = arena_printf(s->arena, "%sM", value);
	rc = parse_size(text, &bytes, err);
	if (rc < 0)
		return rc;
	if (bytes <= 0)
		return err_set(err, -EINVAL, "\"%s\": must be more than 0, as in 500M or 4G",
			       value);
	*ret_bytes = bytes;
	return 0;
}

/* Two options for one thing: the later source wins, but one source may not say both. */
static int set_one_of(struct spec *s, int64_t value, enum spec_source *from, int64_t *this_one,
		      int64_t *other, const char *other_name, struct err *err)
{
	if (*other && *from == s->source)
		return err_set(err, -EINVAL, "cannot be given together with --%s", other_name);
	*this_one = value;
	*other = 0;
	*from = s->source;
	return 0;
}

int spec_set_memory(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	struct spec_shape *sh = &s->shape;
	int64_t bytes;
	int rc = parse_memory(s, value, &bytes, err);

	if (rc < 0)
		return rc;
	return set_one_of(s, bytes, &sh->memory_from, &sh->memory_bytes, &sh->memory_per_cpu_bytes,
			  "mem-per-cpu", err);
}

int spec_set_memory_per_cpu(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	struct spec_shape *sh = &s->shape;
	int64_t bytes;
	int rc = parse_memory(s, value, &bytes, err);

	if (rc < 0)
		return rc;
	return set_one_of(s, bytes, &sh->memory_from, &sh->memory_per_cpu_bytes, &sh->memory_bytes,
			  "memory", err);
}

int spec_set_gpus(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	struct spec_shape *sh = &s->shape;
	int64_t n;
	int rc = parse_int(value, 1, TASKS_MAX, &n, err);

	if (rc < 0)
		return rc;
	return set_one_of(s, n, &sh->gpus_from, &sh->gpus, &sh->gpus_per_task, "gpus-per-task",
			  err);
}

int spec_set_gpus_per_task(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	struct spec_shape *sh = &s->shape;
	int64_t n;
	int rc = parse_int(value, 1, TASKS_MAX, &n, err);

	if (rc < 0)
		return rc;
	return set_one_of(s, n, &sh->gpus_from, &sh->gpus_per_task, &sh->gpus, "gpus", err);
}

/* One "key", "key=value", "!key" or "!key=value" of n bytes. */
static int add_selector(struct spec *s, const char *text, size_t n, Armada__Selector **ret_sel,
			struct err *err)
{
	Armada__Selector *sel = arena_alloc(s->arena, sizeof(*sel));
	char *word = arena_memdup(s->arena, text, n + 1);
	char *equals;

	word[n] = '\0';
	armada__selector__init(sel);
	if (word[0] == '!') {
		sel->negate = true;
		word++;
	}
	equals = strchr(word, '=');
	if (equals) {
		*equals = '\0';
		sel->value = equals + 1;
	}
	if (!*word || strpbrk(word, " !|()[]*") || (equals && !equals[1]))
		return err_set(err, -EINVAL,
			       "\"%.*s\" is not a label; write key=value or key, "
			       "with ! before it for not, joined by &",
			       (int)n, text);
	sel->key = word;
	*ret_sel = sel;
	return 0;
}

int spec_set_labels(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	Armada__Selector **list = arena_zalloc(s->arena, LABELS_MAX, sizeof(*list));
	size_t count = 0;

	for (const char *at = value;; at++) {
		size_t n = strcspn(at, "&,");
		int rc;

		if (count == LABELS_MAX)
			return err_set(err, -EINVAL, "more than %d labels", LABELS_MAX);
		rc = add_selector(s, at, n, &list[count], err);
		if (rc < 0)
			return rc;
		count++;
		at += n;
		if (!*at)
			break;
	}
	s->job.selectors = list;
	s->job.n_selectors = count;
	return 0;
}

static int set_hosts(struct spec *s, const char *value, char ***field, size_t *field_count,
		     struct err *err)
{
	char **names = NULL, **list;
	size_t count = 0;
	int rc = hostlist_expand(value, HOSTS_MAX, &names, &count, err);

	if (rc < 0)
		return rc;
	list = arena_zalloc(s->arena, count, sizeof(*list));
	for (size_t i = 0; i < count; i++)
		list[i] = arena_strdup(s->arena, names[i]);
	hostlist_free(names, count);
	*field = list;
	*field_count = count;
	return 0;
}

int spec_set_nodelist(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	return set_hosts(s, value, &s->job.nodes_include, &s->job.n_nodes_include, err);
}

int spec_set_exclude(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	return set_hosts(s, value, &s->job.nodes_exclude, &s->job.n_nodes_exclude, err);
}

int spec_set_time(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int64_t us;
	int rc = parse_time_limit(value, &us, err);

	if (rc < 0)
		return rc;
	if (us == 0)
		return err_set(err, -EINVAL, "\"%s\": must be more than 0; UNLIMITED is none",
			       value);
	s->job.time_limit_s = us < 0 ? -1 : us / 1000000 + (us % 1000000 != 0);
	return 0;
}

int spec_set_grace(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int64_t us;
	int rc = parse_duration(value, &us, err);

	if (rc < 0)
		return rc;
	if (us < 0 || (us > 0 && us < 1000000))
		return err_set(err, -EINVAL,
			       "\"%s\": must be at least 1s, as in 30s; 0 is taken for 1s", value);
	s->job.grace_ms = us ? us / 1000 : 1000;
	return 0;
}

int spec_set_signal(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	struct signal_wish wish;
	int rc = signal_parse_wish(value, &wish, err);

	if (rc < 0)
		return rc;
	s->job.signal = wish.signal;
	s->job.signal_before_s = wish.before_s;
	s->job.signal_script = wish.script_only;
	return 0;
}

int spec_set_open_mode(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	if (strcmp(value, "append") != 0 && strcmp(value, "truncate") != 0)
		return err_set(err, -EINVAL, "\"%s\" must be append or truncate", value);
	s->job.open_append = value[0] == 'a';
	return 0;
}

int spec_set_umask(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	size_t len = strlen(value);

	if (!len || len > 4 || strspn(value, "01234567") != len || strtol(value, NULL, 8) > 0777)
		return err_set(err, -EINVAL, "\"%s\" is not a mask; write it in octal: 022, 077",
			       value);
	s->job.umask = (uint32_t)strtol(value, NULL, 8);
	s->umask_set = true;
	return 0;
}

static bool is_name(const char *text, size_t len)
{
	if (!len || isdigit((unsigned char)text[0]))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	}
	return true;
}

int spec_set_export(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	for (const char *at = value;; at++) {
		size_t n = strcspn(at, ",");
		size_t name = strcspn(at, "=,");

		if (!is_name(at, name))
			return err_set(err, -EINVAL,
				       "\"%.*s\" is not a variable; write ALL, NONE or "
				       "NAME,NAME=value,...",
				       (int)n, at);
		at += n;
		if (!*at)
			break;
	}
	s->export = arena_strdup(s->arena, value);
	return 0;
}
