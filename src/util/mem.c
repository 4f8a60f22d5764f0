/*
 * Allocation that ends the process when no memory is left, growing arrays, and cleanup functions
 * (mem.h). xcalloc and others never return NULL. An array doubles until it has LARGE bytes; from
 * there on it grows by an eighth.
 */
#include "util/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 1 << 20 }; /* bytes */

static _Noreturn void out_of_memory(void)
{
	static const char text[] = "armada: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)n;
	abort();
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xrealloc(void *old, size_t size)
{
	void *p = realloc(old, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xreallocarray(void *old, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory();
	return xrealloc(old, bytes);
}

char *xstrdup(const char *s)
{
	return s ? xmemdup(s, strlen(s) + 1) : NULL;
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = xmalloc(len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

void *xmemdup(const void *p, size_t n)
{
	void *q = xmalloc(n);

	if (n)
		memcpy(q, p, n);
	return q;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		out_of_memory();
	return s;
}

/* The kernel moves large arrays by pages, so they can grow in small steps and waste little memory. */
static size_t step(size_t count, size_t size)
{
	return count > LARGE / size ? count / 8 : count;
}

void *grow(void *array, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap ? *cap : 8;

	if (need <= *cap && array)
		return array;
	while (want < need)
		if (__builtin_add_overflow(want, step(want, size), &want))
			out_of_memory();
	*cap = want;
	return xreallocarray(array, want, size);
}

void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

void close_directory(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}
