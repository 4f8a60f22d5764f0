/*
 * Options for how tasks run and end: restarts, leases, time limits, signals, files, environment.
 *
 * The texts of options become fields of the job's specification. Options that are one plain value
 * have no function here; their row in table.c is enough.
 */
#include "client/spec/run.h"

#include "client/spec/spec.h"
#include "util/mem.h"
#include "util/names.h"
#include "util/signals.h"
#include "util/units.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { REQUEUES_MAX = 1000000 };

static int set_requeue(struct spec *s, bool requeue)
{
	s->job.requeue_set = true;
	s->job.no_requeue = !requeue;
	return 0;
}

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

int spec_set_no_requeue(void *target, const char *value, struct err *err)
{
	(void)value, (void)err;
	return set_requeue(target, false);
}

int spec_set_scavenge(void *target, const char *value, struct err *err)
{
	/* the words of ASUBMIT_SCAVENGE */
	static const char *const no[] = {"no", "false", "0"}, *const yes[] = {"", "yes", "true",
									      "1"};
	struct spec *s = target;
	bool off = value && names_have(no, ARRAY_SIZE(no), value);

	if (value && !off && !names_have(yes, ARRAY_SIZE(yes), value))
		return err_set(err, -EINVAL, "'%s': expected yes or no", value);
	s->job.scavenge = !off;
	return 0;
}

int spec_set_lease(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int64_t us;
	int rc = parse_duration(value, &us, err);

	if (rc < 0)
		return rc;
	if (us < 1000000)
		return err_set(err, -EINVAL, "'%s': a lease must be at least 1s", value);
	if (s->job.no_fence)
		return err_set(err, -EINVAL, "--lease and --no-fence exclude each other");
	s->job.lease_s = us / 1000000;
	return 0;
}

int spec_set_no_fence(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	(void)value;
	if (s->job.lease_s)
		return err_set(err, -EINVAL, "--lease and --no-fence exclude each other");
	s->job.no_fence = true;
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
		return err_set(err, -EINVAL, "'%s' must be all or first", value);
	s->launch_set = true;
	return 0;
}

int spec_set_elastic(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	if (!value || !*value || strcmp(value, "yes") == 0)
		s->job.elastic = ARMADA__ELASTIC__ELASTIC_YES;
	else if (strcmp(value, "no") == 0)
		s->job.elastic = ARMADA__ELASTIC__ELASTIC_NO;
	else
		return err_set(err, -EINVAL, "'%s' must be yes or no", value);
	return 0;
}

int spec_set_elastic_signal(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int sig, rc = signal_parse(value, &sig, err);

	if (rc == 0)
		s->job.elastic_signal = sig;
	return rc;
}

/* Compares words; - and _ are equal. */
static bool words_alike(const char *a, const char *b)
{
	for (; *a && (*a == *b || (*a == '-' && *b == '_')); a++, b++)
		;
	return !*a && !*b;
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
		s->on_task_failure_set = true;
		return 0;
	}
	return err_set(err, -EINVAL, "'%s' must be fail_job, restart_job or replace_task", value);
}

int spec_set_time(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int64_t us;
	int rc = parse_time_limit(value, &us, err);

	if (rc < 0)
		return rc;
	/* 0 means no limit, as in Slurm */
	s->job.time_limit_s = us <= 0 ? -1 : us / 1000000 + (us % 1000000 != 0);
	return 0;
}

int spec_set_time_min(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int64_t us;
	int rc = parse_time_limit(value, &us, err);

	if (rc < 0)
		return rc;
	if (us <= 0)
		return err_set(err, -EINVAL, "'%s': expected a time, as in 30m", value);
	s->job.time_min_s = us / 1000000 + (us % 1000000 != 0);
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
		return err_set(err, -EINVAL, "'%s': must be at least 1s, as in 30s; 0 means 1s",
			       value);
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
		return err_set(err, -EINVAL, "'%s' must be append or truncate", value);
	s->job.open_append = value[0] == 'a';
	return 0;
}

int spec_set_umask(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	size_t len = strlen(value);

	if (!len || len > 4 || strspn(value, "01234567") != len || strtol(value, NULL, 8) > 0777)
		return err_set(err, -EINVAL, "'%s' is not a mask; write it in octal: 022, 077",
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
				       "'%.*s' is not a variable; write ALL, NONE or "
				       "NAME,NAME=value,...",
				       (int)n, at);
		at += n;
		if (!*at)
			break;
	}
	s->export = arena_strdup(s->arena, value);
	return 0;
}

/* The value is Slurm's time limit for the login shell; the time here is fixed. */
int spec_set_login_env(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	(void)value, (void)err;
	s->login_env = true;
	return 0;
}

int spec_accept(void *target, const char *value, struct err *err)
{
	(void)target, (void)value, (void)err;
	return 0;
}

int spec_accept_wait_all_nodes(void *target, const char *value, struct err *err)
{
	(void)target;
	if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
		return err_set(err, -EINVAL,
			       "'%s' must be 0 or 1; a job always waits for all its nodes", value);
	return 0;
}
