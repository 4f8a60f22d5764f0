/*
 * Prints one value in the syntax of armada.conf (value.h), for --show-config and for the changes of
 * a reload. Input: a value and its row. Output: text that conf/value.c reads back as the same
 * value. value_equal compares two values by this text.
 */
#include "conf/quantity.h"
#include "conf/value.h"
#include "util/mem.h"
#include "util/units.h"

#include <stdio.h>
#include <string.h>

/* A whole number of the largest unit that represents the value exactly. */
static void print_duration(int64_t us, struct buf *out)
{
	static const int64_t factors[] = {1, 1000, 1000000, 60000000, 3600000000, 86400000000};
	static const char *const names[] = {"us", "ms", "s", "m", "h", "d"};
	size_t i = ARRAY_SIZE(names) - 1;

	while (i > 0 && (!us || us % factors[i]))
		i--;
	buf_addf(out, "%lld%s", (long long)(us / factors[i]), us ? names[i] : "");
}

/* Without an exponent, as 0.000001 and 1000000, if that is exact. */
static bool print_plain(double d, struct buf *out)
{
	char text[20];

	for (int decimals = 0; decimals <= 9; decimals++) {
		int n = snprintf(text, sizeof(text), "%.*f", decimals, d);

		if (n >= (int)sizeof(text))
			return false;
		if (strtod(text, NULL) == d) {
			buf_addstr(out, text);
			return true;
		}
	}
	return false;
}

/* The shortest text that reads back as the same number. */
static void print_double(double d, struct buf *out)
{
	char text[40];

	if (print_plain(d, out))
		return;
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	buf_addstr(out, text);
	/* libconfig does not accept "1e+06", but "1.0e+06" */
	if (strchr(text, 'e') && !strchr(text, '.')) {
		char *e = strchr((char *)out->data + out->len - strlen(text), 'e');
		CLEANUP_FREE char *tail = xstrdup(e);

		out->len = (size_t)((uint8_t *)e - out->data);
		buf_addf(out, ".0%s", tail);
	}
}

void print_quoted(const char *text, struct buf *out)
{
	buf_addc(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_addc(out, '\\');
		buf_addc(out, *text);
	}
	buf_addc(out, '"');
}

static void print_whole(enum armada_option_type type, int64_t v, struct buf *out)
{
	char text[40];

	if (type == ARMADA_OPTION_DURATION) {
		print_duration(v, out);
		return;
	}
	if (type == ARMADA_OPTION_SIZE)
		size_print(v, text, sizeof(text));
	else if (type == ARMADA_OPTION_CPU)
		format_cpu(v, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%lld", (long long)v);
	buf_addstr(out, text);
}

void print_number(enum armada_option_type type, double v, struct buf *out)
{
	if (type == ARMADA_OPTION_DOUBLE || type == ARMADA_OPTION_NUMBERS)
		print_double(v, out);
	else
		print_whole(type, (int64_t)v, out);
}

static void print_strings(const struct armada_option_value *v, struct buf *out)
{
	buf_addc(out, '[');
	for (size_t i = 0; i < v->count; i++) {
		buf_addstr(out, i ? ", " : "");
		print_quoted(v->list[i], out);
	}
	buf_addc(out, ']');
}

static void print_pairs(const struct armada_option_value *v, struct buf *out)
{
	buf_addstr(out, "{ ");
	for (size_t i = 0; i < v->count; i++) {
		buf_addf(out, "%s = ", v->pairs[i].name);
		print_double(v->pairs[i].value, out);
		buf_addstr(out, "; ");
	}
	buf_addc(out, '}');
}

void value_print(const struct armada_option *row, const struct armada_option_value *v,
		 struct buf *out)
{
	switch (row->type) {
	case ARMADA_OPTION_BOOL:
		buf_addstr(out, v->i ? "true" : "false");
		break;
	case ARMADA_OPTION_INT:
		print_whole(row->type, v->i, out);
		break;
	case ARMADA_OPTION_DOUBLE:
		print_double(v->d, out);
		break;
	case ARMADA_OPTION_STRING:
	case ARMADA_OPTION_CHOICE:
		print_quoted(v->s, out);
		break;
	case ARMADA_OPTION_DURATION:
	case ARMADA_OPTION_SIZE:
	case ARMADA_OPTION_CPU:
		buf_addc(out, '"');
		print_whole(row->type, v->i, out);
		buf_addc(out, '"');
		break;
	case ARMADA_OPTION_STRINGS:
		print_strings(v, out);
		break;
	case ARMADA_OPTION_NUMBERS:
		print_pairs(v, out);
		break;
	}
}

const char *value_text(const struct armada_option *row, const struct armada_option_value *v,
		       struct arena *a)
{
	CLEANUP_BUF struct buf text = {0};

	value_print(row, v, &text);
	return arena_strdup(a, (const char *)text.data);
}

bool value_equal(const struct armada_option *row, const struct armada_option_value *a,
		 const struct armada_option_value *b)
{
	CLEANUP_BUF struct buf ta = {0}, tb = {0};

	value_print(row, a, &ta);
	value_print(row, b, &tb);
	return ta.len == tb.len && memcmp(ta.data, tb.data, ta.len) == 0;
}
