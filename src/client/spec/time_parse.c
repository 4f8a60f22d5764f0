/*
 * Parses a time that a user writes, for --begin and for --since of aqueue and ashare.
 *
 * A text is tried as now+COUNT, a word such as tomorrow or noon, a date with an optional time, and
 * a time of day. Missing parts are taken from now, in the time zone of the process. Days are added
 * with mktime(3), so that changes of summer time are respected.
 */
#include "client/spec/time_parse.h"

#include "util/mem.h"
#include "util/units.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define ACCEPTED                                                                                   \
	"write HH:MM[:SS], now+2hours, today, tomorrow, midnight, noon, MM/DD/YY or "              \
	"YYYY-MM-DD[THH:MM[:SS]]"

/* The units of now+COUNT. */
static const struct {
	const char *name;
	int64_t seconds;
} units[] = {
	{"", 1},        {"s", 1},         {"sec", 1},        {"second", 1},   {"seconds", 1},
	{"m", 60},      {"min", 60},      {"minute", 60},    {"minutes", 60}, {"h", 3600},
	{"hour", 3600}, {"hours", 3600},  {"d", 86400},      {"day", 86400},  {"days", 86400},
	{"w", 604800},  {"week", 604800}, {"weeks", 604800},
};

static const struct {
	const char *name;
	int hour;
} hours[] = {{"midnight", 0}, {"elevenses", 11}, {"noon", 12}, {"fika", 15}, {"teatime", 16}};

#define DAY_US         (INT64_C(86400) * 1000000)
#define DURATION_MAX_S (INT64_C(100) * 366 * 86400)

enum { YEAR_MIN = 1970, YEAR_MAX = 2999 };

static bool ends(const char *p)
{
	return *p == '\0';
}

/* Parses a number of min to max digits, and moves *p to its end. -1: another number of digits. */
static int64_t number(const char **p, int min, int max)
{
	int64_t n = 0;
	int digits = 0;

	while (isdigit((unsigned char)**p) && digits <= max) {
		n = n * 10 + (*(*p)++ - '0');
		digits++;
	}
	return digits < min || digits > max ? -1 : n;
}

static bool take(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

/* HH:MM[:SS][AM|PM] */
static bool time_of_day(const char **p, struct tm *tm)
{
	int64_t h = number(p, 1, 2), m, s = 0;

	if (h < 0 || !take(p, ':'))
		return false;
	m = number(p, 2, 2);
	if (m < 0 || m > 59 || (take(p, ':') && ((s = number(p, 2, 2)) < 0 || s > 59)))
		return false;
	if (!strncasecmp(*p, "am", 2) || !strncasecmp(*p, "pm", 2)) {
		if (h < 1 || h > 12)
			return false;
		h = h % 12 + (tolower((unsigned char)**p) == 'p' ? 12 : 0);
		*p += 2;
	}
	tm->tm_hour = (int)h;
	tm->tm_min = (int)m;
	tm->tm_sec = (int)s;
	return h < 24;
}

/* YYYY-MM-DD, MM/DD[/[YY]YY] */
static bool date(const char **p, struct tm *tm)
{
	const char *at = *p;
	int64_t y = number(&at, 4, 4), m, d;

	if (y >= 0 && take(&at, '-')) {
		m = number(&at, 1, 2);
		if (m < 0 || !take(&at, '-'))
			return false;
		d = number(&at, 1, 2);
	} else {
		at = *p;
		y = tm->tm_year + 1900;
		m = number(&at, 1, 2);
		if (m < 0 || !take(&at, '/'))
			return false;
		d = number(&at, 1, 2);
		if (take(&at, '/')) {
			const char *from = at;

			y = number(&at, 2, 4);
			y = at - from == 2 ? y + 2000 : at - from == 4 ? y : -1;
		}
	}
	if (y < YEAR_MIN || y > YEAR_MAX || m < 1 || m > 12 || d < 1 || d > 31)
		return false;
	tm->tm_year = (int)y - 1900;
	tm->tm_mon = (int)m - 1;
	tm->tm_mday = (int)d;
	*p = at;
	return true;
}

static int not_a_time(const char *text, struct err *err)
{
	return err_set(err, -EINVAL, "'%.60s' is not a time; " ACCEPTED, text);
}

/*
 * Converts to a time. A day that the calendar does not have is an error. An hour that the clock
 * skips (summer time) is not.
 */
static int moment(const char *text, struct tm *tm, int64_t *ret_us, struct err *err)
{
	int mday = tm->tm_mday;
	time_t t;

	tm->tm_isdst = -1;
	t = mktime(tm);
	if (t == (time_t)-1)
		return not_a_time(text, err);
	if (tm->tm_mday != mday)
		return err_set(err, -EINVAL, "'%.60s': the calendar has no such day", text);
	*ret_us = (int64_t)t * 1000000;
	return 0;
}

static int after_now(const char *text, const char *rest, int64_t now_us, int64_t *ret_us,
		     struct err *err)
{
	const char *p = rest;
	int64_t count;

	if (ends(p)) {
		*ret_us = now_us;
		return 0;
	}
	if (!take(&p, '+'))
		return not_a_time(text, err);
	count = number(&p, 1, 9);
	for (size_t i = 0; count >= 0 && i < ARRAY_SIZE(units); i++) {
		if (strcasecmp(p, units[i].name) != 0)
			continue;
		if (count > DURATION_MAX_S / units[i].seconds)
			return err_set(err, -EINVAL, "'%.60s': at most 100 years from now", text);
		*ret_us = now_us + count * units[i].seconds * 1000000;
		return 0;
	}
	return err_set(err, -EINVAL,
		       "'%.60s': now must be followed by a count such as +30, +10minutes, +2hours, "
		       "+1day or +1week",
		       text);
}

static void start_of_day(struct tm *tm, int days)
{
	tm->tm_hour = tm->tm_min = tm->tm_sec = 0;
	tm->tm_mday += days;
	if (days) {
		/* noon exists on every day, unlike midnight where summer time begins then */
		tm->tm_hour = 12;
		tm->tm_isdst = -1;
		mktime(tm);
		tm->tm_hour = 0;
	}
}

/* A time of day of today, or of tomorrow if it is over today. */
static int next_time(const char *text, struct tm *tm, int64_t now_us, int64_t *ret_us,
		     struct err *err)
{
	struct tm today = *tm;
	int hour = tm->tm_hour, min = tm->tm_min, sec = tm->tm_sec;
	int rc = moment(text, &today, ret_us, err);

	if (rc < 0 || *ret_us >= now_us)
		return rc;
	start_of_day(tm, 1);
	tm->tm_hour = hour;
	tm->tm_min = min;
	tm->tm_sec = sec;
	return moment(text, tm, ret_us, err);
}

static bool word(const char *text, struct tm *tm, bool *ret_day)
{
	for (size_t i = 0; i < ARRAY_SIZE(hours); i++) {
		if (strcasecmp(text, hours[i].name) != 0)
			continue;
		tm->tm_hour = hours[i].hour;
		tm->tm_min = tm->tm_sec = 0;
		*ret_day = false;
		return true;
	}
	*ret_day = true;
	if (strcasecmp(text, "today") == 0)
		start_of_day(tm, 0);
	else if (strcasecmp(text, "tomorrow") == 0)
		start_of_day(tm, 1);
	else
		return false;
	return true;
}

int time_parse(const char *text, int64_t now_us, int64_t *ret_us, struct err *err)
{
	time_t now = (time_t)(now_us / 1000000);
	const char *p = text;
	bool day;
	struct tm tm;

	if (!localtime_r(&now, &tm))
		return not_a_time(text, err);
	if (strncasecmp(text, "now", 3) == 0)
		return after_now(text, text + 3, now_us, ret_us, err);
	if (word(text, &tm, &day))
		return day ? moment(text, &tm, ret_us, err)
			   : next_time(text, &tm, now_us, ret_us, err);
	if (date(&p, &tm)) {
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		if (ends(p) || (take(&p, 'T') && time_of_day(&p, &tm) && ends(p)))
			return moment(text, &tm, ret_us, err);
		return not_a_time(text, err);
	}
	p = text;
	if (time_of_day(&p, &tm) && ends(p))
		return next_time(text, &tm, now_us, ret_us, err);
	return not_a_time(text, err);
}

int time_parse_past(const char *text, int64_t now_us, int64_t *ret_us, struct err *err)
{
	bool yesterday = strcasecmp(text, "yesterday") == 0;
	time_t now = (time_t)(now_us / 1000000);
	int64_t us;
	struct tm tm;

	if (yesterday || strcasecmp(text, "today") == 0) {
		localtime_r(&now, &tm);
		start_of_day(&tm, yesterday ? -1 : 0);
		return moment(text, &tm, ret_us, err);
	}
	/* 12:30 is a time of day here, although it would be a duration elsewhere */
	if (!strchr(text, ':') && parse_duration(text, &us, err) == 0 && us > 0) {
		*ret_us = now_us > us ? now_us - us : 0;
		return 0;
	}
	if (time_parse(text, now_us, &us, err) == 0 && (us <= now_us || us - DAY_US <= now_us)) {
		*ret_us = us <= now_us ? us : us - DAY_US;
		return 0;
	}
	return err_set(
		err, -EINVAL,
		"'%.40s' is not a time in the past; write 30m, 1d or 2d12h ago, 12:30, today, "
		"yesterday, 2027-01-31 or 2027-01-31T08:00",
		text);
}
