/*
 * Checks and completes the text of armada.conf before libconfig parses it (scan.h). Input: the
 * text. Output: the same lines, with an L after large integers; or an error with the line. It
 * splits the text into tokens only as far as needed to distinguish numbers, strings, comments,
 * names and brackets.
 */
#include "conf/scan.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NAME_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_*"

struct scan {
	const char *p;
	struct buf *out;
	int line, depth;
};

/* Copy n bytes to the output. */
static void pass(struct scan *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		s->line += s->p[i] == '\n';
	buf_add(s->out, s->p, n);
	s->p += n;
}

static size_t comment_length(const char *p)
{
	const char *end;

	if (*p == '#' || (p[0] == '/' && p[1] == '/'))
		return strcspn(p, "\n");
	if (p[0] != '/' || p[1] != '*')
		return 0;
	end = strstr(p + 2, "*/");
	return end ? (size_t)(end + 2 - p) : strlen(p);
}

static size_t string_length(const char *p)
{
	size_t n = 1;

	while (p[n] && p[n] != '"')
		n += p[n] == '\\' && p[n + 1] ? 2 : 1;
	return p[n] ? n + 1 : n;
}

/* Read the digits of a base at p: their end and value. false: they do not fit in 64 bits. */
static bool digits_value(const char *p, unsigned base, const char **ret_end, uint64_t *ret)
{
	uint64_t v = 0;
	bool fits = true;

	for (; base == 16 ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p); p++) {
		unsigned digit = isdigit((unsigned char)*p) ? (unsigned)(*p - '0')
							    : (unsigned)((*p | 32) - 'a' + 10);

		fits = fits && !__builtin_mul_overflow(v, base, &v) &&
		       !__builtin_add_overflow(v, digit, &v);
	}
	*ret_end = p;
	*ret = v;
	return fits;
}

/* A number at s->p, after its sign: append the L that libconfig needs for large numbers. */
static int pass_number(struct scan *s, struct err *err)
{
	bool hex = s->p[0] == '0' && (s->p[1] | 32) == 'x';
	const char *start = s->p + (hex ? 2 : 0), *end;
	bool fits;
	uint64_t v;
	size_t n;

	fits = digits_value(start, hex ? 16 : 10, &end, &v);
	n = (size_t)(end - s->p);
	if (!hex && (*end == '.' || *end == 'e' || *end == 'E')) {
		pass(s, n + strspn(end, "0123456789.eE+-"));
		return 0;
	}
	if (!fits || v > INT64_MAX)
		return err_set(err, -ERANGE, "line %d: the number %.*s is too large", s->line,
			       (int)(n > 40 ? 40 : n), s->p);
	if (!hex && *s->p == '0' && n > 1)
		return err_set(err, -EINVAL,
			       "line %d: the number %.*s begins with 0, but octal numbers are not "
			       "supported: remove the 0",
			       s->line, (int)(n > 40 ? 40 : n), s->p);
	pass(s, n);
	if (*s->p == 'L')
		pass(s, strspn(s->p, "L"));
	else if (v > INT32_MAX)
		buf_addc(s->out, 'L');
	return 0;
}

static int pass_bracket(struct scan *s, struct err *err)
{
	s->depth += strchr("{[(", *s->p) ? 1 : -1;
	if (s->depth > CONF_DEPTH_MAX)
		return err_set(err, -E2BIG, "line %d: more than %d brackets are nested", s->line,
			       CONF_DEPTH_MAX);
	pass(s, 1);
	return 0;
}

static int pass_token(struct scan *s, struct err *err)
{
	size_t n = comment_length(s->p);

	if (n) {
		pass(s, n);
	} else if (*s->p == '"') {
		pass(s, string_length(s->p));
	} else if (isdigit((unsigned char)*s->p)) {
		return pass_number(s, err);
	} else if (*s->p == '@') {
		return err_set(err, -EINVAL,
			       "line %d: @include is not supported: one file has all settings",
			       s->line);
	} else if (strchr("{}[]()", *s->p)) {
		return pass_bracket(s, err);
	} else if (isalpha((unsigned char)*s->p) || *s->p == '_' || *s->p == '*') {
		/* a name, which may contain digits */
		for (n = 1; isalnum((unsigned char)s->p[n]) || (s->p[n] && strchr("-_*", s->p[n]));)
			n++;
		pass(s, n);
	} else {
		pass(s, 1);
	}
	return 0;
}

int conf_scan(const char *text, struct buf *out, struct err *err)
{
	struct scan s = {.p = text, .out = out, .line = 1};

	if (strnlen(text, CONF_TEXT_MAX + 1) > CONF_TEXT_MAX)
		return err_set(err, -E2BIG, "larger than %d MiB", CONF_TEXT_MAX >> 20);
	buf_reserve(out, strlen(text));
	while (*s.p) {
		int rc = pass_token(&s, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* The next key of the line, a name before = or :, outside of strings. NULL: none. */
static const char *next_key(const char *p, size_t *ret_len)
{
	for (; *p && *p != '\n' && *p != '#'; p += *p != 0) {
		size_t len = strspn(p, NAME_BYTES);

		if (*p == '"')
			p += 1 + strcspn(p + 1, "\"\n");
		if (!*p || *p == '\n')
			return NULL;
		if (!len)
			continue;
		*ret_len = len;
		if (strchr("=:", p[len + strspn(p + len, " \t")]) && p[len])
			return p;
		p += len - 1;
	}
	return NULL;
}

/* The only key of the line, or the one that it has twice. NULL: neither. */
static const char *key_of_line(const char *text, int line, size_t *ret_len)
{
	const char *key, *only = NULL;
	size_t len, count = 0;

	while (--line > 0 && (text = strchr(text, '\n')))
		text++;
	for (key = text ? next_key(text, &len) : NULL; key; key = next_key(key + len, &len)) {
		size_t n = len;

		for (const char *k = next_key(key + n, &n); k; k = next_key(k + n, &n))
			if (n == len && memcmp(k, key, len) == 0)
				count = SIZE_MAX; /* it is this one */
		only = key;
		*ret_len = len;
		if (count == SIZE_MAX)
			return key;
		count++;
	}
	return count == 1 ? only : NULL;
}

int conf_scan_refused(const char *file, const char *text, int line, const char *says,
		      struct err *err)
{
	size_t len = 0;
	const char *key =
		strcmp(says, "duplicate setting name") == 0 ? key_of_line(text, line, &len) : NULL;

	if (key)
		return err_set(err, -EINVAL, "%s: line %d: %.*s is given twice", file, line,
			       len < 64 ? (int)len : 64, key);
	return err_set(err, -EINVAL, "%s: line %d: %s", file, line, says);
}
