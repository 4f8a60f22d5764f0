#include "conf/most.h"
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
const struct most_row most_rows[MOST_ROWS] = {MOST_TABLE(ROW)};
#undef ROW

static const struct {
	const char *name;
	int64_t hourly;
} rates[] = {{"s", 3600}, {"m", 60}, {"h", 1}};

const struct most_row *most_of_kind(int kind)
{
	return kind > 0 && kind < MOST_KINDS ? &most_rows[kind - 1] : NULL;
}

const struct most_row *most_of_name(const char *name)
{
	for (size_t i = 0; i < MOST_ROWS; i++)
		if (strcmp(most_rows[i].name, name) == 0)
			return &most_rows[i];
	return NULL;
}

static int refuse_rate(const char *text, struct err *err)
{
	return err_set(err, -EINVAL,
		       "'%.64s' is no rate: expected jobs by time such as 100/h, 10/m or 2/s",
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

static int parse_unit(enum most_unit unit, const char *text, int64_t *ret, struct err *err)
{
	switch (unit) {
	case MOST_MILLI:
		return parse_cpu(text, ret, err);
	case MOST_BYTES:
		return parse_size(text, ret, err);
	case MOST_HOURLY:
		return parse_rate(text, ret, err);
	default:
		return parse_int(text, INT64_MIN, INT64_MAX, ret, err);
	}
}

int most_parse(const struct most_row *row, const char *text, int64_t *ret_value, struct err *err)
{
	int64_t value;
	int rc = parse_unit(row->unit, text, &value, err);

	if (!rc)
		rc = most_check(row, value, err);
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

void most_print(const struct most_row *row, int64_t value, char *out, size_t size)
{
	switch (row->unit) {
	case MOST_MILLI:
		format_cpu(value, out, size);
		break;
	case MOST_BYTES:
		size_print(value, out, size);
		break;
	case MOST_HOURLY:
		print_rate(value, out, size);
		break;
	default:
		snprintf(out, size, "%" PRId64, value);
	}
}

int most_check(const struct most_row *row, int64_t value, struct err *err)
{
	char text[32], most[32], least[32];

	if (value >= 0 && value <= row->greatest)
		return 0;
	if (value < 0)
		snprintf(text, sizeof(text), "%" PRId64, value);
	else
		most_print(row, value, text, sizeof(text));
	most_print(row, 0, least, sizeof(least));
	most_print(row, row->greatest, most, sizeof(most));
	return err_set(err, -ERANGE, "%s is out of range: expected %s to %s", text, least, most);
}

bool most_equal(const struct most *a, const struct most *b)
{
	if (a->set != b->set)
		return false;
	for (int k = 1; k < MOST_KINDS; k++)
		if (most_get(a, k) != most_get(b, k))
			return false;
	return true;
}

int64_t most_burst(const struct most *m)
{
	return most_has(m, MOST_SUBMIT_BURST) ? m->of[MOST_SUBMIT_BURST]
					      : most_get(m, MOST_SUBMIT_RATE);
}

void conf_most_take(const struct conf_most *from, struct most *ret)
{
	*ret = (struct most){0};
	for (int k = 1; k < MOST_KINDS; k++) {
		const struct armada_option_value *v = &from->of[k];
		int64_t value = v->i;

		if (v->set &&
		    (k != MOST_SUBMIT_RATE || most_parse(most_of_kind(k), v->s, &value, NULL) == 0))
			most_put(ret, (enum most_kind)k, value);
	}
}
