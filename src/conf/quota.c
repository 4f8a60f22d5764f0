/*
 * Parses, prints and checks absolute limits, by the rows of QUOTA_TABLE (quota.h). Input: texts
 * such as "10", "2.5", "16G" or "100/h". Output: integers in the unit of the row (count,
 * millicores, bytes, jobs per hour), or an error with the accepted range.
 */
#include "conf/quota.h"
#include "conf/conf.h"
#include "conf/quantity.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROW(k, n, u, type, most, ...)                                                              \
	{.kind = k, .unit = u, .name = #n, .greatest = (int64_t)(most)},
const struct quota_row quota_rows[QUOTA_ROWS] = {QUOTA_TABLE(ROW)};
#undef ROW

static const struct {
	const char *name;
	int64_t hourly;
} rates[] = {{"s", 3600}, {"m", 60}, {"h", 1}};

const struct quota_row *quota_of_kind(int kind)
{
	return kind > 0 && kind < QUOTA_KINDS ? &quota_rows[kind - 1] : NULL;
}

_Static_assert(QUOTA_MEMORY == QUOTA_CPU + 1 && QUOTA_GPU == QUOTA_CPU + 2 && QUOTA_ALL <= 32,
	       "the limits with names have the order of the table of resources; a bit for each");

enum quota_kind quota_of_resource(const char *resource, size_t index)
{
	int own = resource_index(resource);

	return own >= 0 && !resource_is_added((size_t)own)
		       ? (enum quota_kind)(QUOTA_CPU + own)
		       : (enum quota_kind)(QUOTA_KINDS + (int)index);
}

const char *quota_name(enum quota_kind kind)
{
	const struct quota_row *row = quota_of_kind((int)kind);

	return row ? row->name : "max_resources";
}

const struct quota_row *quota_of_name(const char *name)
{
	for (size_t i = 0; i < QUOTA_ROWS; i++)
		if (strcmp(quota_rows[i].name, name) == 0)
			return &quota_rows[i];
	return NULL;
}

static int refuse_rate(const char *text, struct err *err)
{
	return err_set(err, -EINVAL,
		       "'%.64s' is not a rate: expected jobs by time such as 100/h, 10/m or 2/s",
		       text);
}

static int parse_rate(const char *text, int64_t *ret_hourly, struct err *err)
{
	const char *slash = strchr(text, '/');
	char number[24];
	int64_t n;

	if (!slash || (size_t)(slash - text) >= sizeof(number))
		return refuse_rate(text, err);
	memcpy(number, text, (size_t)(slash - text));
	number[slash - text] = '\0';
	/* the largest rate in any unit is far below INT64_MAX: no product overflows */
	if (parse_int(number, 0, INT64_C(1000000000), &n, NULL) < 0)
		return refuse_rate(text, err);
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		if (strcmp(slash + 1, rates[i].name) == 0) {
			*ret_hourly = n * rates[i].hourly;
			return 0;
		}
	return refuse_rate(text, err);
}

static int parse_unit(enum quota_unit unit, const char *text, int64_t *ret, struct err *err)
{
	switch (unit) {
	case QUOTA_MILLI:
		return parse_cpu(text, ret, err);
	case QUOTA_BYTES:
		return parse_size(text, ret, err);
	case QUOTA_HOURLY:
		return parse_rate(text, ret, err);
	default:
		return parse_int(text, INT64_MIN, INT64_MAX, ret, err);
	}
}

int quota_parse(const struct quota_row *row, const char *text, int64_t *ret_value, struct err *err)
{
	int64_t value;
	int rc = parse_unit(row->unit, text, &value, err);

	if (!rc)
		rc = quota_check(row, value, err);
	if (!rc)
		*ret_value = value;
	return rc;
}

static void print_rate(int64_t hourly, char *out, size_t size)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(rates) && (!hourly || hourly % rates[i].hourly))
		i++;
	snprintf(out, size, "%" PRId64 "/%s", hourly / rates[i].hourly, rates[i].name);
}

void quota_print(const struct quota_row *row, int64_t value, char *out, size_t size)
{
	switch (row->unit) {
	case QUOTA_MILLI:
		format_cpu(value, out, size);
		break;
	case QUOTA_BYTES:
		size_print(value, out, size);
		break;
	case QUOTA_HOURLY:
		print_rate(value, out, size);
		break;
	default:
		snprintf(out, size, "%" PRId64, value);
	}
}

int quota_check(const struct quota_row *row, int64_t value, struct err *err)
{
	char text[32], most[32], least[32];

	if (value >= 0 && value <= row->greatest)
		return 0;
	if (value < 0)
		snprintf(text, sizeof(text), "%" PRId64, value);
	else
		quota_print(row, value, text, sizeof(text));
	quota_print(row, 0, least, sizeof(least));
	quota_print(row, row->greatest, most, sizeof(most));
	return err_set(err, -ERANGE, "%s is out of range: expected %s to %s", text, least, most);
}

bool quota_equal(const struct quota *a, const struct quota *b)
{
	if (a->set != b->set)
		return false;
	for (int k = 1; k < QUOTA_ALL; k++)
		if (quota_get(a, k) != quota_get(b, k))
			return false;
	return true;
}

int64_t quota_burst(const struct quota *m)
{
	return quota_has(m, QUOTA_SUBMIT_BURST) ? m->of[QUOTA_SUBMIT_BURST]
						: quota_get(m, QUOTA_SUBMIT_RATE);
}

void conf_quota_take(const struct conf_quota *from, struct quota *ret)
{
	*ret = (struct quota){0};
	for (int k = 1; k < QUOTA_KINDS; k++) {
		const struct armada_option_value *v = &from->of[k];
		int64_t value = v->i;

		if (v->set && (k != QUOTA_SUBMIT_RATE ||
			       quota_parse(quota_of_kind(k), v->s, &value, NULL) == 0))
			quota_put(ret, (enum quota_kind)k, value);
	}
	for (size_t i = 0; i < from->resource_count; i++) {
		struct amount a;

		if (amount_parse(from->resources[i], &a, NULL) == 0)
			quota_lower(ret,
				    quota_of_resource(resource_name((size_t)a.resource),
						      (size_t)a.resource),
				    a.amount);
	}
}
