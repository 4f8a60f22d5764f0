/*
 * Expands and compresses node expressions (hostlist.h). Expansion counts the names first, so that
 * an expression for too many nodes is refused before memory is allocated, and then writes them
 * recursively, one bracket at a time. Compression sorts the names in natural order and combines
 * names that differ in one number only.
 */
#include "util/hostlist.h"
#include "util/mem.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LEN = 253, BRACKETS_MAX = 8, DIGITS_MAX = 18 };

/* "01-04" inside brackets. */
struct span {
	uint64_t lo, hi;
	int width; /* zero padding, 1 without */
};

struct names {
	char **at;
	size_t count, cap;
};

static const char help[] = "expected names such as cn1,cn2 or cn[01-04,07]";

static int refuse(const char *at, struct err *err)
{
	if (!*at)
		return err_set(err, -EINVAL, "node list ends too early: %s", help);
	return err_set(err, -EINVAL, "node list not understood at '%.32s': %s", at, help);
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

/* Read digits at *p and move *p behind them. Returns the number of digits, 0 also for too many. */
static size_t take_number(const char **p, uint64_t *ret)
{
	size_t n = strspn(*p, "0123456789");

	*ret = 0;
	if (n > DIGITS_MAX)
		return 0;
	for (size_t i = 0; i < n; i++)
		*ret = *ret * 10 + (uint64_t)(*(*p)++ - '0');
	return n;
}

/* Read one span at *p and move *p to the "," or "]" after it. */
static int take_span(const char **p, struct span *ret, struct err *err)
{
	const char *start = *p;
	size_t digits = take_number(p, &ret->lo), hi_digits = digits;

	if (!digits)
		return refuse(start, err);
	ret->hi = ret->lo;
	ret->width = *start == '0' ? (int)digits : 1;
	if (**p == '-') {
		const char *hi = ++*p;

		hi_digits = take_number(p, &ret->hi);
		if (!hi_digits)
			return refuse(hi, err);
		if (ret->hi < ret->lo)
			return err_set(err, -EINVAL, "node list: the range '%.*s' runs backwards",
				       (int)(*p - start), start);
		if (*hi == '0' && hi_digits != digits)
			return err_set(err, -EINVAL,
				       "node list: the ends of '%.*s' have different padding",
				       (int)(*p - start), start);
	}
	return **p == ',' || **p == ']' ? 0 : refuse(*p, err);
}

/* Count the numbers in the bracket at *p and move *p behind it. */
static int count_bracket(const char **p, uint64_t *ret_count, struct err *err)
{
	struct span s;
	uint64_t sum = 0;

	do {
		int rc;

		(*p)++;
		rc = take_span(p, &s, err);
		if (rc < 0)
			return rc;
		/* No overflow: each term is below 2^60, and the sum before it is at most UINT32_MAX. */
		sum += s.hi - s.lo + 1;
		if (sum > UINT32_MAX)
			return err_set(err, -E2BIG, "node list names too many nodes");
	} while (**p == ',');
	(*p)++;
	*ret_count = sum;
	return 0;
}

/* Count the names of the element at *p and move *p to the "," or NUL after it. */
static int count_element(const char **p, uint64_t max, uint64_t *ret_count, struct err *err)
{
	const char *start = *p;
	uint64_t product = 1, n = 0;
	int brackets = 0;

	while (**p && **p != ',') {
		int rc;

		if (**p != '[') {
			if (!is_name_char(**p))
				return refuse(*p, err);
			(*p)++;
			continue;
		}
		if (++brackets > BRACKETS_MAX)
			return err_set(err, -E2BIG, "node list: more than %d brackets in '%.64s'",
				       BRACKETS_MAX, start);
		rc = count_bracket(p, &n, err);
		if (rc < 0)
			return rc;
		if (__builtin_mul_overflow(product, n, &product) || product > max)
			return err_set(err, -E2BIG, "node list names more than %llu nodes",
				       (unsigned long long)max);
	}
	if (*p == start)
		return refuse(*p, err);
	*ret_count = product;
	return 0;
}

static int count_all(const char *text, uint64_t max, struct err *err)
{
	uint64_t total = 0, n = 0;

	for (const char *p = text;; p++) {
		int rc = count_element(&p, max, &n, err);

		if (rc < 0)
			return rc;
		total += n;
		if (total > max)
			return err_set(err, -E2BIG, "node list names more than %llu nodes",
				       (unsigned long long)max);
		if (!*p)
			return 0;
	}
}

/* name[0..len) is written; p is the rest of the element, which count_all has checked. */
static int expand(struct names *out, char *name, size_t len, const char *p, struct err *err)
{
	const char *rest;

	for (; is_name_char(*p); p++) {
		if (len == NAME_MAX_LEN)
			return err_set(err, -ENAMETOOLONG,
				       "node list: a name is longer than %d characters",
				       NAME_MAX_LEN);
		name[len++] = *p;
	}
	if (*p != '[') {
		GROW(out->at, out->cap, out->count + 1);
		out->at[out->count++] = xstrndup(name, len);
		return 0;
	}
	rest = strchr(p, ']') + 1;
	do {
		struct span s;

		p++;
		take_span(&p, &s, NULL);
		for (uint64_t n = s.lo; n <= s.hi; n++) {
			int w = snprintf(name + len, NAME_MAX_LEN + 1 - len, "%0*llu", s.width,
					 (unsigned long long)n);
			int rc;

			if (len + (size_t)w > NAME_MAX_LEN)
				return err_set(err, -ENAMETOOLONG,
					       "node list: a name is longer than %d characters",
					       NAME_MAX_LEN);
			rc = expand(out, name, len + (size_t)w, rest, err);
			if (rc < 0)
				return rc;
		}
	} while (*p == ',');
	return 0;
}

int hostlist_expand(const char *text, size_t max, char ***ret_names, size_t *ret_count,
		    struct err *err)
{
	struct names out = {0};
	char name[NAME_MAX_LEN + 1];
	int rc = count_all(text, max, err);

	if (rc < 0)
		return rc;
	for (const char *p = text;; p++) {
		rc = expand(&out, name, 0, p, err);
		if (rc < 0) {
			hostlist_free(out.at, out.count);
			return rc;
		}
		/* Behind this element: the next comma outside brackets. */
		for (bool inside = false; *p && (inside || *p != ','); p++)
			inside = *p == '[' || (inside && *p != ']');
		if (!*p)
			break;
	}
	*ret_names = out.at;
	*ret_count = out.count;
	return 0;
}

void hostlist_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

/* Compare runs of digits as numbers of any length; equal numbers by their padding. */
static int compare_runs(const char **a, const char **b)
{
	size_t la = strspn(*a, "0123456789"), lb = strspn(*b, "0123456789");
	const char *na = *a + strspn(*a, "0"), *nb = *b + strspn(*b, "0");
	size_t da = strspn(na, "0123456789"), db = strspn(nb, "0123456789");
	int order;

	*a += la;
	*b += lb;
	if (da != db)
		return da < db ? -1 : 1;
	order = strncmp(na, nb, da);
	if (order)
		return order;
	return la < lb ? -1 : la > lb;
}

static int natural(const void *va, const void *vb)
{
	const char *a = *(const char *const *)va, *b = *(const char *const *)vb;

	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			int order = compare_runs(&a, &b);

			if (order)
				return order;
		} else if (*a != *b) {
			break;
		} else {
			a++;
			b++;
		}
	}
	return (unsigned char)*a - (unsigned char)*b;
}

/* A name split at one run of digits. */
struct parts {
	size_t prefix; /* its length */
	uint64_t number;
	size_t digits;
	bool padded;
	const char *suffix;
};

static bool split(const char *name, size_t prefix, struct parts *ret)
{
	const char *p = name + prefix;

	ret->prefix = prefix;
	ret->digits = take_number(&p, &ret->number);
	ret->padded = name[prefix] == '0' && ret->digits > 1;
	ret->suffix = p;
	return ret->digits > 0;
}

/* Do a and b differ in one run of digits only? Returns its start. */
static bool differ_in_run(const char *a, const char *b, size_t *ret_prefix)
{
	struct parts pa, pb;
	size_t at = 0;

	while (a[at] && a[at] == b[at])
		at++;
	while (at > 0 && isdigit((unsigned char)a[at - 1]))
		at--;
	if (!split(a, at, &pa) || !split(b, at, &pb) || strcmp(pa.suffix, pb.suffix) != 0)
		return false;
	*ret_prefix = at;
	return true;
}

static bool same_group(const char *first, const struct parts *p, const char *name,
		       struct parts *ret)
{
	return strncmp(first, name, p->prefix) == 0 && split(name, p->prefix, ret) &&
	       strcmp(p->suffix, ret->suffix) == 0;
}

/* Is next the name after hi in a range that begins with lo? */
static bool follows(const struct parts *lo, const struct parts *hi, const struct parts *next)
{
	if (next->number != hi->number + 1)
		return false;
	if (next->padded)
		return lo->padded && next->digits == lo->digits;
	return !lo->padded || next->digits >= lo->digits;
}

static void put_number(struct buf *out, const struct parts *p)
{
	buf_addf(out, "%0*llu", (int)p->digits, (unsigned long long)p->number);
}

/* The names from i that share one bracket; returns their number. */
static size_t put_group(const char *const *names, size_t count, size_t prefix, struct buf *out)
{
	struct parts first, lo, hi, next;
	size_t i = 0;

	split(names[0], prefix, &first);
	buf_add(out, names[0], prefix);
	buf_addc(out, '[');
	next = first;
	while (i < count && same_group(names[0], &first, names[i], &next)) {
		if (i)
			buf_addc(out, ',');
		lo = hi = next;
		while (++i < count && same_group(names[0], &first, names[i], &next) &&
		       follows(&lo, &hi, &next))
			hi = next;
		put_number(out, &lo);
		if (hi.number != lo.number) {
			buf_addc(out, '-');
			put_number(out, &hi);
		}
	}
	buf_addc(out, ']');
	buf_addstr(out, first.suffix);
	return i;
}

void hostlist_sort(const char **names, size_t count)
{
	qsort(names, count, sizeof(*names), natural);
}

static size_t sorted_unique(const char *const *names, size_t count, const char ***ret)
{
	const char **list = xcalloc(count, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		list[i] = names[i];
	hostlist_sort(list, count);
	for (size_t i = 0; i < count; i++)
		if (!n || strcmp(list[n - 1], list[i]) != 0)
			list[n++] = list[i];
	*ret = list;
	return n;
}

void hostlist_compress(const char *const *names, size_t count, struct buf *out)
{
	CLEANUP_FREE const char **list = NULL;
	size_t n = sorted_unique(names, count, &list), prefix;

	for (size_t i = 0; i < n;) {
		if (i)
			buf_addc(out, ',');
		if (i + 1 < n && differ_in_run(list[i], list[i + 1], &prefix)) {
			i += put_group(list + i, n - i, prefix, out);
		} else {
			buf_addstr(out, list[i++]);
		}
	}
}
