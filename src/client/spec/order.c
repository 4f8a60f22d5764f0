/*
 * Which job comes first: priority, nice, priority class, and words of other systems that are taken for them.
 *
 * Three things are called priority, and do not all point the same way (armada(7)). Who gives the one
 * where another is meant is told which.
 */
#include "client/spec/order.h"

#include "client/spec/spec.h"
#include "util/units.h"

#include <errno.h>

/* As Slurm's --nice without a number. */
enum { NICE_DEFAULT = 100 };

static int set_number(const char *value, const char *example, int64_t *ret_n, struct err *err)
{
	int rc = parse_int(value, INT32_MIN, INT32_MAX, ret_n, err);

	if (rc != -EINVAL)
		return rc;
	return err_set(
		err, -EINVAL,
		"'%.40s' is not a whole number, as in %s (in a queue the lower priority runs "
		"first); how urgent a job is, its priority class says: "
		"--priority-class=NAME",
		value, example);
}

int spec_set_priority(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int64_t n;
	int rc = set_number(value, "--priority=-10", &n, err);

	if (rc == 0)
		s->job.priority = (int32_t)n;
	return rc;
}

int spec_set_nice(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	int64_t n = NICE_DEFAULT;
	int rc = value ? set_number(value, "--nice=100", &n, err) : 0;

	if (rc == 0)
		s->nice = n;
	return rc;
}

int spec_finish_order(struct spec *s, struct err *err)
{
	int64_t sum = s->job.priority + s->nice;

	if (sum < INT32_MIN || sum > INT32_MAX)
		return err_set(err, -EINVAL,
			       "--nice: the priority would be %lld: expected %d to %d",
			       (long long)sum, INT32_MIN, INT32_MAX);
	s->job.priority = (int32_t)sum;
	s->nice = 0;
	return 0;
}

int spec_set_priority_class(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	struct err none;
	int64_t n;

	if (!*value)
		return err_set(err, -EINVAL, "is empty");
	if (parse_int(value, INT64_MIN, INT64_MAX, &n, &none) != -EINVAL)
		return err_set(err, -EINVAL,
			       "%.40s is a number, and priority classes have names, as "
			       "armada-preemptible; the order of jobs in their queue is "
			       "--priority=%.40s, and the lower priority runs first",
			       value, value);
	s->job.priority_class = arena_strdup(s->arena, value);
	return 0;
}

int spec_refuse_qos(void *target, const char *value, struct err *err)
{
	(void)target;
	return err_set(err, -EINVAL,
		       "there is no such thing here: --queue=%.40s says whose share a job uses and "
		       "what limits it has, --priority-class=%.40s how urgent it is (armada(7) has "
		       "the words of other systems)",
		       value, value);
}
