/*
 * Parses and prints sizes, cpus, durations and times (units.h). Input: a text, which is accepted or
 * refused as a whole. Output: an integer (bytes, millicores, microseconds), or -EINVAL or -ERANGE
 * with the accepted form. A fraction that is not exact is rounded down, except for cpus, where it
 * is refused.
 */
#include "util/units.h"
#include "util/mem.h"
#include "util/plural.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { FRACTION_DIGITS = 9 };

#define US_PER_S INT64_C(1000000)

/* A decimal number as written: whole + fraction / 10^digits. */
struct decimal {
	int64_t whole;
	int64_t fraction, scale;
};

struct unit {
	const char *name;
	int64_t factor;
};

static const struct unit sizes[] = {
	{"", 1},
	{"K", INT64_C(1) << 10},
	{"M", INT64_C(1) << 20},
	{"G", INT64_C(1) << 30},
	{"T", INT64_C(1) << 40},
	{"P", INT64_C(1) << 50},
};

static const struct unit durations[] = {
	{"us", 1},
	{"ms", 1000},
	{"s", US_PER_S},
	{"m", 60 * US_PER_S},
	{"min", 60 * US_PER_S},
	{"h", 3600 * US_PER_S},
	{"d", 86400 * US_PER_S},
	{"w", 7 * 86400 * US_PER_S},
	{"y", 365 * 86400 * US_PER_S},
};

static const char size_help[] = "expected a size such as 512M, 16G or 1.5T";
static const char cpu_help[] = "expected a number of cpus such as 2, 1.5 or 500m";
static const char duration_help[] =
	"expected a duration such as 90s, 30m, 1h30m, 2d, MM:SS, HH:MM:SS, D-HH or D-HH:MM:SS";
static const char limit_help[] =
	"expected a time such as 30 (minutes), 90s, 1h30m, 2d, MM:SS, HH:MM:SS, D-HH, D-HH:MM:SS or "
	"UNLIMITED";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads digits at *p and moves it. -ERANGE: the number does not fit; -EINVAL: no digits. */
static int take_digits(const char **p, int64_t *ret)
{
	int64_t n = 0;

	if (!is_digit(**p))
		return -EINVAL;
	for (; is_digit(**p); (*p)++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, **p - '0', &n))
			return -ERANGE;
	*ret = n;
	return 0;
}

/* "12" or "1.25" at *p. */
static int take_decimal(const char **p, struct decimal *ret)
{
	struct decimal d = {.scale = 1};
	const char *start;
	int rc = take_digits(p, &d.whole);

	if (rc < 0 || **p != '.') {
		*ret = d;
		return rc;
	}
	start = ++*p;
	rc = take_digits(p, &d.fraction);
	if (rc < 0 || *p - start > FRACTION_DIGITS)
		return -EINVAL;
	for (; start < *p; start++)
		d.scale *= 10;
	*ret = d;
	return 0;
}

/* The decimal times factor. A fraction that is not exact is rounded down. */
static int scaled(struct decimal d, int64_t factor, int64_t *ret)
{
	__int128 v = (__int128)d.whole * factor + (__int128)d.fraction * factor / d.scale;

	if (v > INT64_MAX)
		return -ERANGE;
	*ret = (int64_t)v;
	return 0;
}

static int refuse(int rc, const char *text, const char *help, struct err *err)
{
	if (rc == -ERANGE)
		return err_set(err, rc, "'%.64s' is too large", text);
	return err_set(err, rc, "'%.64s' is not understood: %s", text, help);
}

/* The unit "K" is written K, Ki, KB or KiB, in any case; bytes also B. */
static bool is_size_unit(const char *text, const struct unit *u)
{
	if (*u->name) {
		if (strncasecmp(text, u->name, 1) != 0)
			return false;
		text++;
		if (*text == 'i')
			text++;
	}
	return *text == '\0' || strcasecmp(text, "B") == 0;
}

static int size_of(const char *text, int64_t *ret)
{
	const char *p = text;
	struct decimal d;
	int rc = take_decimal(&p, &d);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (is_size_unit(p, &sizes[i]))
			return scaled(d, sizes[i].factor, ret);
	return -EINVAL;
}

int parse_size(const char *text, int64_t *ret_bytes, struct err *err)
{
	int rc = size_of(text, ret_bytes);

	return rc < 0 ? refuse(rc, text, size_help, err) : 0;
}

static int cpu_of(const char *text, int64_t *ret)
{
	const char *p = text;
	struct decimal d;
	int rc = take_decimal(&p, &d);

	if (rc < 0)
		return rc;
	if (strcmp(p, "m") == 0 && d.scale == 1) {
		*ret = d.whole;
		return 0;
	}
	/* Parts of a thousandth of a cpu cannot be stored, so they are refused. */
	if (*p || (__int128)d.fraction * 1000 % d.scale)
		return -EINVAL;
	return scaled(d, 1000, ret);
}

int parse_cpu(const char *text, int64_t *ret_milli, struct err *err)
{
	int rc = cpu_of(text, ret_milli);

	return rc < 0 ? refuse(rc, text, cpu_help, err) : 0;
}

/* "1h30m", "90s", "1.5h": each number has a unit; the units may have any order. */
static int units_sum(const char *p, int64_t *ret)
{
	int64_t sum = 0;

	while (*p) {
		struct decimal d;
		int64_t part;
		size_t len, i;
		int rc = take_decimal(&p, &d);

		if (rc < 0)
			return rc;
		len = strcspn(p, "0123456789.");
		for (i = 0; i < ARRAY_SIZE(durations); i++)
			if (len == strlen(durations[i].name) &&
			    strncasecmp(p, durations[i].name, len) == 0)
				break;
		if (i == ARRAY_SIZE(durations))
			return -EINVAL;
		rc = scaled(d, durations[i].factor, &part);
		if (rc < 0)
			return rc;
		if (__builtin_add_overflow(sum, part, &sum))
			return -ERANGE;
		p += len;
	}
	*ret = sum;
	return 0;
}

/* The sum of fields in seconds; *ret in microseconds. */
static int clock_sum(const int64_t *fields, const int64_t *seconds, int n, int64_t *ret)
{
	__int128 sum = 0;

	for (int i = 0; i < n; i++)
		sum += (__int128)fields[i] * seconds[i];
	sum *= US_PER_S;
	if (sum > INT64_MAX)
		return -ERANGE;
	*ret = (int64_t)sum;
	return 0;
}

/* Slurm's clock: [D-]HH[:MM[:SS]], or without days MM:SS and HH:MM:SS. */
static int clock_of(const char *p, int64_t *ret)
{
	static const int64_t with_days[] = {86400, 3600, 60, 1}, three[] = {3600, 60, 1},
			     two[] = {60, 1};
	int64_t field[4];
	int n = 0, rc;
	bool days = strchr(p, '-') != NULL;

	for (;;) {
		if (n == 4)
			return -EINVAL;
		rc = take_digits(&p, &field[n++]);
		if (rc < 0)
			return rc;
		if (!*p)
			break;
		if (*p++ != (days && n == 1 ? '-' : ':'))
			return -EINVAL;
	}
	if (days)
		return n < 2 ? -EINVAL : clock_sum(field, with_days, n, ret);
	if (n == 4)
		return -EINVAL;
	return clock_sum(field, n == 3 ? three : two, n, ret);
}

/* bare_s: the unit, in seconds, of a number without a unit. */
static int duration_of(const char *text, int64_t bare_s, int64_t *ret)
{
	if (!*text)
		return -EINVAL;
	if (strspn(text, "0123456789") == strlen(text)) {
		int64_t n;
		int rc = take_digits(&text, &n);

		return rc < 0 ? rc : clock_sum(&n, &bare_s, 1, ret);
	}
	if (strpbrk(text, ":-"))
		return clock_of(text, ret);
	return units_sum(text, ret);
}

int parse_duration(const char *text, int64_t *ret_us, struct err *err)
{
	int rc = duration_of(text, 1, ret_us);

	return rc < 0 ? refuse(rc, text, duration_help, err) : 0;
}

int parse_time_limit(const char *text, int64_t *ret_us, struct err *err)
{
	int rc;

	if (strcasecmp(text, "UNLIMITED") == 0 || strcasecmp(text, "INFINITE") == 0) {
		*ret_us = -1;
		return 0;
	}
	rc = duration_of(text, 60, ret_us);
	return rc < 0 ? refuse(rc, text, limit_help, err) : 0;
}

int parse_int(const char *text, int64_t min, int64_t max, int64_t *ret_value, struct err *err)
{
	const char *p = text;
	bool negative = *p == '-';
	int64_t n = 0;
	int rc;

	p += negative;
	rc = take_digits(&p, &n);
	if (rc == -EINVAL || p[strspn(p, "0123456789")])
		return err_set(err, -EINVAL, "'%.64s' is not a whole number", text);
	if (negative)
		n = -n;
	if (rc < 0 || n < min || n > max)
		return err_set(err, -ERANGE, "%.64s is out of range: expected %lld to %lld", text,
			       (long long)min, (long long)max);
	*ret_value = n;
	return 0;
}

void format_size(int64_t bytes, char *out, size_t size)
{
	size_t exact = 0, near = 0;

	for (size_t i = 1; i < ARRAY_SIZE(sizes); i++) {
		if (bytes && bytes % sizes[i].factor == 0)
			exact = i;
		if (bytes >= sizes[i].factor)
			near = i;
	}
	if (bytes / sizes[exact].factor < 10000)
		snprintf(out, size, "%lld%s", (long long)(bytes / sizes[exact].factor),
			 sizes[exact].name);
	else
		snprintf(out, size, "%.1f%s", (double)bytes / sizes[near].factor, sizes[near].name);
}

void format_cpu(int64_t milli, char *out, size_t size)
{
	int n = snprintf(out, size, "%lld.%03d", (long long)(milli / 1000), (int)(milli % 1000));

	if (n <= 0 || (size_t)n >= size)
		return;
	while (out[n - 1] == '0')
		out[--n] = '\0';
	if (out[n - 1] == '.')
		out[n - 1] = '\0';
}

void format_duration(int64_t us, char *out, size_t size)
{
	long long s = us / US_PER_S, days = s / 86400;
	int hours = s / 3600 % 24, minutes = s / 60 % 60, seconds = s % 60;

	if (us < 0)
		snprintf(out, size, "UNLIMITED");
	else if (days)
		snprintf(out, size, "%lld-%02d:%02d:%02d", days, hours, minutes, seconds);
	else
		snprintf(out, size, "%02d:%02d:%02d", hours, minutes, seconds);
}

/* "1.5 s", "20 ms": less than a minute, with one decimal; less than a second. */
static void add_short(int64_t us, char *out, size_t size)
{
	int tenths = (int)(us / (US_PER_S / 10) % 10);

	if (us >= US_PER_S && tenths)
		snprintf(out, size, "%d.%d s", (int)(us / US_PER_S), tenths);
	else if (us >= US_PER_S || !us)
		snprintf(out, size, "%d s", (int)(us / US_PER_S));
	else if (us >= 1000)
		snprintf(out, size, "%d ms", (int)(us / 1000));
	else
		snprintf(out, size, "%d us", (int)us);
}

struct duration_words duration_words(int64_t us)
{
	static const struct {
		const char *one, *several;
		int64_t seconds;
	} units[] = {{"day", "days", 86400}, {"h", "h", 3600}, {"min", "min", 60}, {"s", "s", 1}};
	struct duration_words ret = {"no limit"};
	int64_t left = us / US_PER_S;
	size_t len = 0;

	if (us < 0)
		return ret;
	if (left < 60) {
		add_short(us, ret.text, sizeof(ret.text));
		return ret;
	}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		int64_t n = left / units[i].seconds;

		left %= units[i].seconds;
		if (n)
			len += (size_t)snprintf(
				ret.text + len, sizeof(ret.text) - len, "%s%lld %s", len ? " " : "",
				(long long)n, plural((uint64_t)n, units[i].one, units[i].several));
	}
	return ret;
}

void format_time(int64_t wall_us, char *out, size_t size)
{
	time_t t = wall_us / US_PER_S;
	struct tm tm;

	if (!wall_us || !localtime_r(&t, &tm) || !strftime(out, size, "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(out, size, "-");
}
