/*
 * Expands the patterns of file names (task_file.h). Input: a pattern, and what its letters stand for.
 * Output: a file name in the arena. A number after the % is the least width of a number, with zeros
 * before it.
 */
#include "core/lifecycle/task_file.h"

#include "util/buf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A name in a file name: a slash becomes _, so that a name cannot lead to another directory. */
static void add_name(struct buf *out, const char *name)
{
	for (; *name; name++)
		buf_addc(out, *name == '/' ? '_' : *name);
}

/* Expands one letter of a pattern; false: the letter is unknown. */
static bool expand_letter(struct buf *out, char letter, int width, const struct task_names *n)
{
	char host[64];

	switch (letter) {
	case 'j':
		buf_addf(out, "%0*" PRIu64, width, n->job);
		if (n->is_array)
			buf_addf(out, "_%u", n->element);
		break;
	case 'A':
		buf_addf(out, "%0*" PRIu64, width, n->job);
		break;
	case 'a':
		buf_addf(out, "%0*u", width, n->element);
		break;
	case 't':
		buf_addf(out, "%0*u", width, n->rank);
		break;
	case 'i':
		buf_addf(out, "%0*u", width, n->attempt);
		break;
	case 'g':
		add_name(out, n->group);
		break;
	case 'N':
		snprintf(host, sizeof(host), "%s", n->node);
		host[strcspn(host, ".")] = '\0';
		add_name(out, host);
		break;
	case 'x':
		add_name(out, n->name);
		break;
	case 's':
		add_name(out, n->job_set);
		break;
	case 'u':
		add_name(out, n->user);
		break;
	case '%':
		buf_addc(out, '%');
		break;
	default:
		return false;
	}
	return true;
}

char *task_file_name(const char *pattern, const struct task_names *n, struct arena *arena)
{
	struct buf out CLEANUP_BUF = {0};

	for (const char *p = pattern; *p; p++) {
		const char *q = p + 1;
		int width = 0;

		if (*p != '%') {
			buf_addc(&out, *p);
			continue;
		}
		while (*q >= '0' && *q <= '9' && width < 10)
			width = width * 10 + (*q++ - '0');
		if (*q && expand_letter(&out, *q, width > 10 ? 10 : width, n))
			p = q;
		else
			buf_addc(&out, '%');
	}
	return arena_strdup(arena, out.len ? (char *)out.data : "");
}
