/*
 * Durations, sizes, cpus and integers: accepted and refused texts, their values, and the printed
 * forms.
 */
#include "tap/tap.h"
#include "util/mem.h"
#include "util/plural.h"
#include "util/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define S INT64_C(1000000)
#define H (3600 * S)
#define D (24 * H)

typedef int parser(const char *text, int64_t *ret, struct err *err);

struct good {
	const char *text;
	int64_t value;
};

struct bad {
	const char *text, *says;
};

static const struct good sizes[] = {
	{"0", 0},
	{"1", 1},
	{"4096B", 4096},
	{"1K", 1024},
	{"1k", 1024},
	{"1Ki", 1024},
	{"1KB", 1024},
	{"1KiB", 1024},
	{"512M", INT64_C(512) << 20},
	{"16G", INT64_C(16) << 30},
	{"16GiB", INT64_C(16) << 30},
	{"1.5T", INT64_C(3) << 39},
	{"0.5G", INT64_C(1) << 29},
	{"2P", INT64_C(2) << 50},
	{"9223372036854775807", INT64_MAX},
};

static const struct bad bad_sizes[] = {
	{"", "not understood"},      {"G", "not understood"},
	{"-1G", "not understood"},   {"16 G", "not understood"},
	{"16X", "expected a size"},  {"16GG", "not understood"},
	{"1.G", "not understood"},   {".5G", "not understood"},
	{"16Gi ", "not understood"}, {"1e3", "not understood"},
	{"0x10", "not understood"},  {"1.0000000001G", "not understood"},
	{"8192P", "too large"},      {"9223372036854775808", "too large"},
};

static const struct good cpus[] = {
	{"0", 0}, {"2", 2000}, {"1.5", 1500}, {"500m", 500}, {"0.001", 1}, {"1.500000", 1500},
};

static const struct bad bad_cpus[] = {
	{"", "not understood"},
	{"m", "not understood"},
	{"1.5m", "not understood"},
	{"0.0001", "not understood"},
	{"2M", "expected a number"},
	{"-1", "not understood"},
	{"9223372036854775807", "too large"},
};

static const struct good durations[] = {
	{"0", 0},
	{"90", 90 * S},
	{"90s", 90 * S},
	{"20ms", 20000},
	{"5us", 5},
	{"30m", 30 * 60 * S},
	{"2h", 2 * H},
	{"1h30m", H + 1800 * S},
	{"1.5h", H + 1800 * S},
	{"1d", D},
	{"1w", 7 * D},
	{"05:30", 330 * S},
	{"90:00", 90 * 60 * S},
	{"1:02:03", H + 123 * S},
	{"1-12", D + 12 * H},
	{"1-12:30", D + 12 * H + 1800 * S},
	{"1-02:03:04", D + 2 * H + 184 * S},
	{"0-36:00:00", 36 * H},
};

static const struct bad bad_durations[] = {
	{"", "not understood"},
	{"h", "not understood"},
	{"1x", "expected a duration"},
	{"1h30", "not understood"},
	{"-5m", "not understood"},
	{"1:2:3:4", "not understood"},
	{"1-", "not understood"},
	{"1-2-3", "not understood"},
	{":30", "not understood"},
	{"30:", "not understood"},
	{"1-2:3:4:5", "not understood"},
	{"UNLIMITED", "not understood"},
	{"1h 30m", "not understood"},
	{"9223372036854775807", "too large"},
	{"99999999999999w", "too large"},
	{"9223372036854775807-00", "too large"},
	{"9000000000000000000us9000000000000000000us", "too large"},
};

static const struct good limits[] = {
	{"30", 1800 * S}, {"30s", 30 * S}, {"UNLIMITED", -1}, {"infinite", -1}, {"1-00", D},
};

static void check_good(const char *what, parser *parse, const struct good *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct err err = {0};
		int64_t v = -7;
		int rc = parse(rows[i].text, &v, &err);

		is_int(rc, 0, "%s '%s' is accepted%s%s", what, rows[i].text, rc ? ": " : "",
		       err.text);
		is_int(v, rows[i].value, "%s '%s' has its value", what, rows[i].text);
	}
}

static void check_bad(const char *what, parser *parse, const struct bad *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct err err = {0};
		int64_t v = -7;

		ok(parse(rows[i].text, &v, &err) < 0, "%s '%s' is refused", what, rows[i].text);
		has_str(err.text, rows[i].says, "%s '%s': the error says so", what, rows[i].text);
		is_int(v, -7, "%s '%s' leaves the output unchanged", what, rows[i].text);
	}
}

static void check_ints(void)
{
	struct err err;
	int64_t v = 0;

	ok(parse_int("42", 0, 100, &v, &err) == 0 && v == 42, "an int");
	ok(parse_int("-42", -100, 100, &v, &err) == 0 && v == -42, "a negative int");
	ok(parse_int("101", 0, 100, &v, &err) == -ERANGE, "an int above the range is refused");
	has_str(err.text, "expected 0 to 100", "the error gives the range");
	ok(parse_int("-1", 0, 100, &v, &err) == -ERANGE, "an int below the range is refused");
	ok(parse_int("99999999999999999999", 0, 100, &v, &err) == -ERANGE,
	   "an int far above the range is refused");
	ok(parse_int("", 0, 100, &v, &err) == -EINVAL, "an empty int is refused");
	ok(parse_int("1.5", 0, 100, &v, &err) == -EINVAL, "a fraction is refused");
	ok(parse_int(" 1", 0, 100, &v, &err) == -EINVAL, "white space is refused");
	is_int(v, -42, "a refused text leaves the output unchanged");
}

/* Forms for sentences. */
static void check_words(void)
{
	static const struct good word_rows[] = {
		{"no limit", -1},
		{"0 s", 0},
		{"1 us", 1},
		{"999 us", 999},
		{"1 ms", 1000},
		{"999 ms", S - 1},
		{"1 s", S},
		{"1 s", S + S / 20},
		{"1.5 s", S + S / 2},
		{"59.9 s", 60 * S - 1},
		{"1 min", 60 * S},
		{"1 min", 60 * S + S / 2},
		{"1 min 1 s", 61 * S},
		{"2 h 5 min", 2 * H + 300 * S},
		{"1 day", D},
		{"1 day 1 s", D + S},
		{"2 days 3 h 4 min 5 s", 2 * D + 3 * H + 245 * S},
		{"106751991 days 4 h 54 s", INT64_MAX},
	};

	for (size_t i = 0; i < ARRAY_SIZE(word_rows); i++)
		is_str(duration_words(word_rows[i].value).text, word_rows[i].text,
		       "%s in a sentence", word_rows[i].text);
	is_str(plural(0, "job", "jobs"), "jobs", "0 jobs");
	is_str(plural(1, "job", "jobs"), "job", "1 job");
	is_str(plural(UINT64_MAX, "job", "jobs"), "jobs", "many jobs");
}

static void check_formats(void)
{
	static const struct good size_rows[] = {
		{"0", 0},
		{"1000", 1000},
		{"16G", INT64_C(16) << 30},
		{"1536M", INT64_C(1536) << 20},
		{"2P", INT64_C(2) << 50},
	};
	static const struct good cpu_rows[] = {
		{"0", 0}, {"2", 2000}, {"0.5", 500}, {"10", 10000}, {"1.001", 1001},
	};
	static const struct good duration_rows[] = {
		{"00:00:00", 0},           {"00:00:05", 5 * S},
		{"00:03:04", 184 * S},     {"02:03:04", 2 * H + 184 * S},
		{"UNLIMITED", -1},         {"1-02:03:04", D + 2 * H + 184 * S},
		{"100-00:00:00", 100 * D},
	};
	char text[64];
	int64_t read;

	for (size_t i = 0; i < ARRAY_SIZE(size_rows); i++) {
		format_size(size_rows[i].value, text, sizeof(text));
		is_str(text, size_rows[i].text, "size %s is printed", size_rows[i].text);
	}
	format_size((INT64_C(16) << 30) + 1, text, sizeof(text));
	is_str(text, "16.0G", "an inexact size has one decimal");
	for (size_t i = 0; i < ARRAY_SIZE(cpu_rows); i++) {
		format_cpu(cpu_rows[i].value, text, sizeof(text));
		is_str(text, cpu_rows[i].text, "cpu %s is printed", cpu_rows[i].text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(duration_rows); i++) {
		format_duration(duration_rows[i].value, text, sizeof(text));
		is_str(text, duration_rows[i].text, "duration %s is printed",
		       duration_rows[i].text);
		if (duration_rows[i].value < 0)
			continue;
		ok(parse_duration(text, &read, NULL) == 0 && read == duration_rows[i].value,
		   "duration %s is read back", text);
		ok(parse_time_limit(text, &read, NULL) == 0 && read == duration_rows[i].value,
		   "time limit %s is read back", text);
	}
	setenv("TZ", "UTC", 1);
	tzset();
	format_time(INT64_C(1795239000) * S, text, sizeof(text));
	is_str(text, "2026-11-21T05:30:00", "a time is printed");
	format_time(0, text, sizeof(text));
	is_str(text, "-", "a missing time is a dash");
}

int main(void)
{
	check_good("size", parse_size, sizes, ARRAY_SIZE(sizes));
	check_bad("size", parse_size, bad_sizes, ARRAY_SIZE(bad_sizes));
	check_good("cpu", parse_cpu, cpus, ARRAY_SIZE(cpus));
	check_bad("cpu", parse_cpu, bad_cpus, ARRAY_SIZE(bad_cpus));
	check_good("duration", parse_duration, durations, ARRAY_SIZE(durations));
	check_bad("duration", parse_duration, bad_durations, ARRAY_SIZE(bad_durations));
	check_good("time limit", parse_time_limit, limits, ARRAY_SIZE(limits));
	check_ints();
	check_formats();
	check_words();
	return done();
}
