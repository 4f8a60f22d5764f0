/*
 * Times of the past (period.h). Days are counted by mktime(3), so a day with a change of summer time has
 * 23 or 25 hours.
 */
#include "cmd/aacct/period.h"

#include "client/spec/time_parse.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>

int64_t period_day(int64_t us, int days)
{
	time_t t = (time_t)(us / 1000000);
	struct tm tm;

	localtime_r(&t, &tm);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday += days;
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm) * 1000000;
}

int64_t period_month(int64_t us)
{
	time_t t = (time_t)(us / 1000000);
	struct tm tm;

	localtime_r(&t, &tm);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday = 1;
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm) * 1000000;
}

/* "now-7days" as "now+7days", on the other side. */
static int parse_ago(const char *text, int64_t now_us, int64_t *ret_us)
{
	CLEANUP_FREE char *forward = xasprintf("now+%s", text + strlen("now-"));
	struct err ignored;
	int64_t us;
	int rc = time_parse(forward, now_us, &us, &ignored);

	if (rc == 0)
		*ret_us = us - now_us < now_us ? now_us - (us - now_us) : 0;
	return rc;
}

int period_parse(const char *text, int64_t now_us, int64_t *ret_us, struct err *err)
{
	struct err ignored;
	int64_t us;

	if (strcasecmp(text, "yesterday") == 0) {
		*ret_us = period_day(now_us, -1);
		return 0;
	}
	if (strncasecmp(text, "now-", strlen("now-")) == 0 && parse_ago(text, now_us, ret_us) == 0)
		return 0;
	/* a bare number is no duration here, because no unit is obvious */
	if (strspn(text, "0123456789") < strlen(text) && !strchr(text, ':') && !strchr(text, '-') &&
	    parse_duration(text, &us, &ignored) == 0 && us > 0) {
		*ret_us = us < now_us ? now_us - us : 0;
		return 0;
	}
	if (time_parse(text, now_us, &us, &ignored) == 0) {
		/* a time of day is the next one */
		if (us > now_us && strchr(text, ':') && !strpbrk(text, "-/+"))
			us = period_day(us, -1) + (us - period_day(us, 0));
		*ret_us = us;
		return 0;
	}
	return err_set(err, -EINVAL,
		       "'%.60s' is not a time; write 2027-01-31, 2027-01-31T08:00, 08:00, today, "
		       "yesterday, now-7days, or 7d (ago)",
		       text);
}
