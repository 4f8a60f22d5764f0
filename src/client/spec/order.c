/*
 * The order of jobs: priority, nice, priority class; the account; and options of other systems that
 * are mistaken for them.
 *
 * Three things are called priority, and a higher value does not mean the same for all of them
 * (armada(7)). A message for a wrong value names the option that was probably meant.
 */
#include "client/spec/order.h"

#include "client/spec/spec.h"
#include "conf/syntax_checks.h"
#include "proto/mail.h"
#include "util/units.h"

#include <errno.h>

/* The value of --nice without a number, as in Slurm. */
enum { NICE_DEFAULT = 100 };

static int set_number(const char *value, const char *example, int64_t *ret_n, struct err *err)
{
	int rc = parse_int(value, INT32_MIN, INT32_MAX, ret_n, err);

	if (rc != -EINVAL)
		return rc;
	return err_set(
		err, -EINVAL,
		"'%.40s' is not a whole number, as in %s (in a queue the lower priority runs "
		"first); for the urgency of a job, use its priority class: "
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
			       "%.40s is a number, but priority classes have names, such as "
			       "armada-preemptible; for the order of jobs in their queue, use "
			       "--priority=%.40s (the lower priority runs first)",
			       value, value);
	s->job.priority_class = arena_strdup(s->arena, value);
	return 0;
}

int spec_read_account(void *field, const void *unused, const char *value, struct err *err)
{
	int rc = check_account(value, err);

	(void)unused;
	if (rc == 0)
		*(char **)field = (char *)value;
	return rc;
}

int spec_read_mail_types(void *field, const void *unused, const char *value, struct err *err)
{
	(void)unused;
	return mail_types_parse(value, field, err);
}

int spec_read_mail_user(void *field, const void *unused, const char *value, struct err *err)
{
	int rc = mail_check_user(value, err);

	(void)unused;
	if (rc == 0)
		*(char **)field = (char *)value;
	return rc;
}

int spec_refuse_qos(void *target, const char *value, struct err *err)
{
	(void)target;
	return err_set(err, -EINVAL,
		       "there is no such option here; --queue=%.40s determines the share and the "
		       "limits of a job, --priority-class=%.40s its urgency (armada(7) has a table "
		       "of the words of other systems)",
		       value, value);
}
