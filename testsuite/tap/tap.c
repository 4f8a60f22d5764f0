/*
 * Prints the results of a C test in the Test Anything Protocol. A failed test prints its file
 * and line, and the expected and the actual value. A child that a test forks prints no plan.
 */
#include "tap/tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count, failed;

__attribute__((format(printf, 4, 0))) static bool result(bool good, const char *file, int line,
							 const char *fmt, va_list ap)
{
	printf("%sok %d - ", good ? "" : "not ", ++count);
	vprintf(fmt, ap);
	putchar('\n');
	if (!good) {
		failed++;
		printf("# failed at %s:%d\n", file, line);
	}
	fflush(stdout);
	return good;
}

bool tap_ok(bool good, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	result(good, file, line, fmt, ap);
	va_end(ap);
	return good;
}

bool tap_is_int(long long got, long long want, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	result(got == want, file, line, fmt, ap);
	va_end(ap);
	if (got != want)
		diag("got %lld, expected %lld", got, want);
	return got == want;
}

bool tap_is_str(const char *got, const char *want, const char *file, int line, const char *fmt, ...)
{
	bool good = got && want ? strcmp(got, want) == 0 : got == want;
	va_list ap;

	va_start(ap, fmt);
	result(good, file, line, fmt, ap);
	va_end(ap);
	if (!good)
		diag("got '%s', expected '%s'", got ? got : "(null)", want ? want : "(null)");
	return good;
}

bool tap_has_str(const char *got, const char *part, const char *file, int line, const char *fmt,
		 ...)
{
	bool good = got && part && strstr(got, part);
	va_list ap;

	va_start(ap, fmt);
	result(good, file, line, fmt, ap);
	va_end(ap);
	if (!good)
		diag("'%s' does not contain '%s'", got ? got : "(null)", part ? part : "(null)");
	return good;
}

void diag(const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		printf("# %s\n", line);
	fflush(stdout);
}

void skip(const char *fmt, ...)
{
	va_list ap;

	printf("ok %d # SKIP ", ++count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout); /* a forked child must not print it again */
}

void bail(const char *fmt, ...)
{
	va_list ap;

	printf("Bail out! ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}

int done(void)
{
	printf("1..%d\n", count);
	return failed || !count ? 1 : 0;
}
