/*
 * The values of --dependency and --begin: accepted values with their meaning, and refused values
 * with their errors. The time zone and the present time are fixed.
 */
#include "client/spec/dependency.h"
#include "client/spec/time_parse.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Saturday, 21 November 2026, 14:30:00 UTC */
#define NOW INT64_C(1795271400000000)

static void reads(int (*parse)(const char *, int64_t, int64_t *, struct err *), const char *text,
		  const char *want)
{
	struct err err = {""};
	int64_t us = 0;
	char got[64] = "";
	time_t t;
	struct tm tm;

	if (parse(text, NOW, &us, &err) == 0) {
		t = (time_t)(us / 1000000);
		strftime(got, sizeof(got), "%Y-%m-%d %H:%M:%S", localtime_r(&t, &tm));
	}
	is_str(got, want, "%s (%s)", text, err.text);
}

static void takes(const char *text, const char *want)
{
	reads(time_parse, text, want);
}

static void takes_past(const char *text, const char *want)
{
	reads(time_parse_past, text, want);
}

static void refuses(const char *text, const char *because)
{
	struct err err = {""};
	int64_t us = 4711;

	ok(time_parse(text, NOW, &us, &err) < 0 && us == 4711, "\"%s\" is refused", text);
	has_str(err.text, because, "the message has the reason");
}

static void test_when(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
	takes("now", "2026-11-21 14:30:00");
	takes("now+90", "2026-11-21 14:31:30");
	takes("now+10minutes", "2026-11-21 14:40:00");
	takes("now+1hour", "2026-11-21 15:30:00");
	takes("now+2days", "2026-11-23 14:30:00");
	takes("now+1week", "2026-11-28 14:30:00");
	takes("16:00", "2026-11-21 16:00:00");
	takes("14:29:59", "2026-11-22 14:29:59");
	takes("4:05pm", "2026-11-21 16:05:00");
	takes("12:10AM", "2026-11-22 00:10:00");
	takes("midnight", "2026-11-22 00:00:00");
	takes("noon", "2026-11-22 12:00:00");
	takes("teatime", "2026-11-21 16:00:00");
	takes("today", "2026-11-21 00:00:00");
	takes("tomorrow", "2026-11-22 00:00:00");
	takes("2027-01-31", "2027-01-31 00:00:00");
	takes("2027-01-31T08:15", "2027-01-31 08:15:00");
	takes("2027-01-31T08:15:20", "2027-01-31 08:15:20");
	takes("12/24", "2026-12-24 00:00:00");
	takes("12/24/27", "2027-12-24 00:00:00");
	takes("12/24/2027T06:00", "2027-12-24 06:00:00");
	takes("2028-02-29", "2028-02-29 00:00:00");
	refuses("", "is not a time");
	refuses("2027-02-29", "no such day");
	refuses("25:00", "is not a time");
	refuses("12:60", "is not a time");
	refuses("13:00pm", "is not a time");
	refuses("2027-13-01", "is not a time");
	refuses("2027-01-31T", "is not a time");
	refuses("2027-01-31 08:00", "is not a time");
	refuses("now+", "now must be followed by");
	refuses("now+1fortnight", "now must be followed by");
	refuses("now+999999999weeks", "100 years");
	refuses("now-1hour", "is not a time");
	/* the night that lacks an hour, and the night that has it twice */
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	takes("2027-03-28T02:30", "2027-03-28 03:30:00");
	takes("2027-03-28", "2027-03-28 00:00:00");
}

static struct arena *arena;

static void depends(const char *text, const char *want, bool want_any)
{
	static const char *const words[] = {"?",          "after",     "afterany", "afterok",
					    "afternotok", "aftercorr", "singleton"};
	struct buf got CLEANUP_BUF = {0};
	Armada__Dependency **list;
	struct err err = {""};
	size_t count = 0;
	bool any = false;

	if (dependency_parse(text, arena, &list, &count, &any, NULL, &err) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		buf_addf(&got, "%s%s", i ? " " : "", words[list[i]->type]);
		if (list[i]->job)
			buf_addf(&got, ":%llu", (unsigned long long)list[i]->job);
		if (list[i]->has_element)
			buf_addf(&got, "_%u", list[i]->element);
		if (list[i]->delay_s)
			buf_addf(&got, "+%llds", (long long)list[i]->delay_s);
	}
	is_str(got.len ? (char *)got.data : "", want, "%s (%s)", text, err.text);
	is_int(any, want_any, "any or all is right");
}

static void wrong(const char *text, const char *because)
{
	Armada__Dependency **list;
	struct err err = {""};
	size_t count;
	bool any;

	ok(dependency_parse(text, arena, &list, &count, &any, NULL, &err) < 0, "\"%s\" is refused",
	   text);
	has_str(err.text, because, "the message has the reason");
}

static void test_dependency(void)
{
	depends("afterok:12", "afterok:12", false);
	depends("afterok:12:14_3,afterany:15", "afterok:12 afterok:14_3 afterany:15", false);
	depends("afterok:1?afternotok:2", "afterok:1 afternotok:2", true);
	depends("after:7+10:8", "after:7+600s after:8", false);
	depends("afterstart:7", "after:7", false);
	depends("aftercorr:9,singleton", "aftercorr:9 singleton", false);
	depends("none", "", false);
	wrong("", "is not a dependency");
	wrong("afterok", "needs a job");
	wrong("afterok:", "is not a job");
	wrong("afterok:x", "is not a job");
	wrong("afterok:0", "is not a job");
	wrong("afterok:12x", "is not a job");
	wrong("afterok:99999999999999999999", "is not a job");
	wrong("afterok:1_", "not an element");
	wrong("afterok:1+5", "only after:JOB+MINUTES");
	wrong("after:1+x", "must be minutes");
	wrong("aftercorr:1_2", "a whole array");
	wrong("singleton:4", "takes no job");
	wrong("afterokay:1", "did you mean afterok");
	wrong("12", "afterok:12");
	wrong("afterok:1,", "is not a dependency");
	wrong("afterok:1,afterok:2?afterok:3", "cannot be mixed");
}

static void test_past(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
	takes_past("90s", "2026-11-21 14:28:30");
	takes_past("2d12h", "2026-11-19 02:30:00");
	takes_past("12:30", "2026-11-21 12:30:00");
	takes_past("16:00", "2026-11-20 16:00:00");
	takes_past("today", "2026-11-21 00:00:00");
	takes_past("Yesterday", "2026-11-20 00:00:00");
	takes_past("2026-11-01", "2026-11-01 00:00:00");
	takes_past("2026-11-01T08:15", "2026-11-01 08:15:00");
	takes_past("2027-01-31", "");
	takes_past("soon", "");
}

int main(void)
{
	arena = arena_new(0);
	test_when();
	test_past();
	test_dependency();
	arena_free(arena);
	return done();
}
