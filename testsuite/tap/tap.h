/*
 * The C side of the Test Anything Protocol.
 *
 *	int main(void)
 *	{
 *		ok(1 + 1 == 2, "addition works");
 *		is_int(2 + 2, 4, "so do fours");
 *		is_str("a", "a", "and strings");
 *		return done();
 *	}
 *
 * No plan is needed: done() prints it and returns the exit status. bail() ends the whole run.
 */
#pragma once

#include <stdbool.h>

bool tap_ok(bool good, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
bool tap_is_int(long long got, long long want, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
bool tap_is_str(const char *got, const char *want, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
bool tap_has_str(const char *got, const char *part, const char *file, int line, const char *fmt,
		 ...) __attribute__((format(printf, 5, 6)));

#define ok(cond, ...)          tap_ok((cond), __FILE__, __LINE__, __VA_ARGS__)
#define is_int(got, want, ...) tap_is_int((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...) tap_is_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)
/* got contains part. */
#define has_str(got, part, ...) tap_has_str((got), (part), __FILE__, __LINE__, __VA_ARGS__)

void diag(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Reports one skipped test. */
void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void bail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints the plan; returns 0 if every test has passed, 1 otherwise. */
int done(void);
