/*
 * Converts and checks one value (value.h). Input: a libconfig setting, or a text, and the row that
 * gives its type and range. Output: a struct armada_option_value, or an error with the accepted
 * form. The last part copies values between this struct and the members of struct conf. Caveat:
 * only numbers have a range; texts are checked by the row's own function (value_check).
 */
#include "conf/value.h"
#include "conf/conf.h"
#include "conf/syntax_checks.h"
#include "util/mem.h"
#include "util/nearest.h"
#include "util/units.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { LIST_MAX = 100000 };

static const char *const setting_types[] = {
	[CONFIG_TYPE_NONE] = "nothing",       [CONFIG_TYPE_GROUP] = "a group",
	[CONFIG_TYPE_INT] = "a number",       [CONFIG_TYPE_INT64] = "a number",
	[CONFIG_TYPE_FLOAT] = "a fraction",   [CONFIG_TYPE_STRING] = "a text",
	[CONFIG_TYPE_BOOL] = "true or false", [CONFIG_TYPE_ARRAY] = "an array",
	[CONFIG_TYPE_LIST] = "a list",
};

static const char *const wanted[] = {
	[ARMADA_OPTION_BOOL] = "true or false",
	[ARMADA_OPTION_INT] = "a whole number",
	[ARMADA_OPTION_DOUBLE] = "a number",
	[ARMADA_OPTION_STRING] = "a text in quotes",
	[ARMADA_OPTION_DURATION] = "a duration in quotes, such as \"90s\" or \"2h\"",
	[ARMADA_OPTION_SIZE] = "a size in quotes, such as \"16G\"",
	[ARMADA_OPTION_CPU] = "cpus as a number or in quotes, such as 2 or \"500m\"",
	[ARMADA_OPTION_CHOICE] = "a word in quotes",
	[ARMADA_OPTION_STRINGS] = "a list of texts, such as [\"a\", \"b\"]",
	[ARMADA_OPTION_NUMBERS] = "a group of numbers, such as { cpu = 0.5; }",
};

/* ---- checks ---- */

static int check_range(const struct armada_option *row, double v, struct err *err)
{
	CLEANUP_BUF struct buf text = {0};

	if (!isfinite(v))
		return err_set(err, -ERANGE, "the number is too large");
	/* Without a range only negative values are refused, which no option allows. */
	if (row->min == 0 && row->max == 0) {
		if (v >= 0 || row->type == ARMADA_OPTION_INT || row->type == ARMADA_OPTION_DOUBLE)
			return 0;
	} else if (v >= row->min && v <= row->max) {
		return 0;
	}
	print_number(row->type, v, &text);
	buf_addstr(&text, " is out of range: expected ");
	print_number(row->type, row->min, &text);
	buf_addstr(&text, " to ");
	print_number(row->type, row->max, &text);
	return err_set(err, -ERANGE, "%s", text.data);
}

static int refuse_type(const struct armada_option *row, const config_setting_t *s, struct err *err)
{
	return err_set(err, -EINVAL, "expected %s, found %s", wanted[row->type],
		       setting_types[config_setting_type(s)]);
}

/* ---- from text ---- */

static int parse_choice(const struct armada_option *row, const char *text,
			struct armada_option_value *ret, struct err *err)
{
	CLEANUP_FREE char *copy = xstrdup(row->choices ? row->choices : "");
	const char *words[64], *near;
	size_t count = 0;
	char *save = NULL;

	for (char *w = strtok_r(copy, "|", &save); w && count < ARRAY_SIZE(words);
	     w = strtok_r(NULL, "|", &save)) {
		words[count] = w;
		if (strcmp(w, text) == 0) {
			ret->i = (int64_t)count;
			ret->s = text;
			return 0;
		}
		count++;
	}
	near = nearest_word(text, words, count);
	if (near)
		return err_set(err, -EINVAL, "'%.64s' is not one of %s; did you mean %s?", text,
			       row->choices, near);
	return err_set(err, -EINVAL, "'%.64s' is not one of %s", text,
		       row->choices ? row->choices : "(none)");
}

static int parse_bool(const char *text, int64_t *ret, struct err *err)
{
	if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
		return err_set(err, -EINVAL, "'%.64s' is neither true nor false", text);
	*ret = *text == 't';
	return 0;
}

static int parse_double(const char *text, double *ret, struct err *err)
{
	char *end;
	double d = strtod(text, &end);

	/* strtod also accepts white space, hexadecimal numbers and names */
	if (end == text || *end || strspn(text, "0123456789.eE+-") != strlen(text))
		return err_set(err, -EINVAL, "'%.64s' is not a number", text);
	*ret = d;
	return 0;
}

static int parse_text(const struct armada_option *row, const char *text,
		      struct armada_option_value *v, struct err *err)
{
	switch (row->type) {
	case ARMADA_OPTION_BOOL:
		return parse_bool(text, &v->i, err);
	case ARMADA_OPTION_INT:
		return parse_int(text, INT64_MIN, INT64_MAX, &v->i, err);
	case ARMADA_OPTION_DOUBLE:
		return parse_double(text, &v->d, err);
	case ARMADA_OPTION_DURATION:
		return parse_duration(text, &v->i, err);
	case ARMADA_OPTION_SIZE:
		return parse_size(text, &v->i, err);
	case ARMADA_OPTION_CPU:
		return parse_cpu(text, &v->i, err);
	case ARMADA_OPTION_CHOICE:
		return parse_choice(row, text, v, err);
	case ARMADA_OPTION_STRING:
		v->s = text;
		return check_printable(text, err);
	default:
		return err_set(err, -EINVAL, "lists and groups cannot be given as one text");
	}
}

static bool is_number(enum armada_option_type type)
{
	return type == ARMADA_OPTION_INT || type == ARMADA_OPTION_DURATION ||
	       type == ARMADA_OPTION_SIZE || type == ARMADA_OPTION_CPU;
}

static int parse_checked(const struct armada_option *row, const char *text,
			 struct armada_option_value *ret, struct err *err)
{
	struct armada_option_value v = {0};
	int rc = parse_text(row, text, &v, err);

	if (!rc && row->type == ARMADA_OPTION_DOUBLE)
		rc = check_range(row, v.d, err);
	else if (!rc && is_number(row->type))
		rc = check_range(row, (double)v.i, err);
	if (!rc)
		*ret = v;
	return rc;
}

int option_parse(const struct armada_option *row, const char *text,
		 struct armada_option_value *ret_value, struct err *err)
{
	/* No text means an empty value: empty, zero or false. A choice has no such value. */
	if (!text && row->type != ARMADA_OPTION_CHOICE) {
		*ret_value = (struct armada_option_value){.s = ""};
		return 0;
	}
	return parse_checked(row, text ? text : "", ret_value, err);
}

/* ---- from the file ---- */

static int strings_from(const config_setting_t *s, struct arena *a, struct armada_option_value *v,
			struct err *err)
{
	int count = config_setting_length(s);
	const char **list;

	if (count > LIST_MAX)
		return err_set(err, -E2BIG, "more than %d entries", LIST_MAX);
	list = arena_zalloc(a, (size_t)count, sizeof(*list));
	for (int i = 0; i < count; i++) {
		const config_setting_t *e = config_setting_get_elem(s, (unsigned)i);
		int rc;

		if (config_setting_type(e) != CONFIG_TYPE_STRING)
			return err_set(err, -EINVAL,
				       "entry %d: expected a text in quotes, found %s", i + 1,
				       setting_types[config_setting_type(e)]);
		list[i] = arena_strdup(a, config_setting_get_string(e));
		rc = check_printable(list[i], err);
		if (rc < 0)
			return err_prefix(err, rc, "entry %d", i + 1);
	}
	v->list = list;
	v->count = (size_t)count;
	return 0;
}

static bool number_of(const config_setting_t *s, double *ret)
{
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		*ret = (double)config_setting_get_int64(s);
		return true;
	case CONFIG_TYPE_FLOAT:
		*ret = config_setting_get_float(s);
		return true;
	default:
		return false;
	}
}

static int pairs_from(const struct armada_option *row, const config_setting_t *s, struct arena *a,
		      struct armada_option_value *v, struct err *err)
{
	int count = config_setting_length(s);
	struct armada_option_pair *pairs;

	if (count > LIST_MAX)
		return err_set(err, -E2BIG, "more than %d entries", LIST_MAX);
	pairs = arena_zalloc(a, (size_t)count, sizeof(*pairs));
	for (int i = 0; i < count; i++) {
		const config_setting_t *e = config_setting_get_elem(s, (unsigned)i);
		const char *name = config_setting_name(e);
		int rc;

		if (!number_of(e, &pairs[i].value))
			return err_set(err, -EINVAL, "%s: expected a number, found %s", name,
				       setting_types[config_setting_type(e)]);
		rc = check_range(row, pairs[i].value, err);
		if (rc < 0)
			return err_prefix(err, rc, "%s", name);
		pairs[i].name = arena_strdup(a, name);
	}
	v->pairs = pairs;
	v->count = (size_t)count;
	return 0;
}

/* Cpus may be a plain number: 2 or 0.5. */
static int cpu_from(const struct armada_option *row, const config_setting_t *s,
		    struct armada_option_value *v, struct err *err)
{
	double d;

	if (!number_of(s, &d))
		return refuse_type(row, s, err);
	if (!(d >= 0 && d < 1e12) || fabs(d * 1000 - round(d * 1000)) > 1e-6)
		return err_set(err, -EINVAL, "expected %s, with at most three decimals",
			       wanted[row->type]);
	v->i = llround(d * 1000);
	return check_range(row, (double)v->i, err);
}

static int string_from(const struct armada_option *row, const config_setting_t *s, struct arena *a,
		       struct armada_option_value *v, struct err *err)
{
	const char *text = config_setting_get_string(s);
	int rc = check_printable(text, err);

	return rc < 0 ? rc : parse_checked(row, arena_strdup(a, text), v, err);
}

static int convert(const struct armada_option *row, const config_setting_t *s, struct arena *a,
		   struct armada_option_value *v, struct err *err)
{
	int type = config_setting_type(s);

	switch (row->type) {
	case ARMADA_OPTION_BOOL:
		v->i = type == CONFIG_TYPE_BOOL ? config_setting_get_bool(s) : 0;
		return type == CONFIG_TYPE_BOOL ? 0 : refuse_type(row, s, err);
	case ARMADA_OPTION_INT:
		if (type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64)
			return refuse_type(row, s, err);
		v->i = config_setting_get_int64(s);
		return check_range(row, (double)v->i, err);
	case ARMADA_OPTION_DOUBLE:
		return number_of(s, &v->d) ? check_range(row, v->d, err) : refuse_type(row, s, err);
	case ARMADA_OPTION_STRINGS:
		if (type == CONFIG_TYPE_ARRAY || type == CONFIG_TYPE_LIST)
			return strings_from(s, a, v, err);
		return refuse_type(row, s, err);
	case ARMADA_OPTION_NUMBERS:
		if (type == CONFIG_TYPE_GROUP)
			return pairs_from(row, s, a, v, err);
		return refuse_type(row, s, err);
	default:
		if (type == CONFIG_TYPE_STRING)
			return string_from(row, s, a, v, err);
		if (row->type == ARMADA_OPTION_CPU)
			return cpu_from(row, s, v, err);
		return refuse_type(row, s, err);
	}
}

int value_from_setting(const struct armada_option *row, const config_setting_t *s, struct arena *a,
		       struct armada_option_value *ret, struct err *err)
{
	struct armada_option_value v = {.s = ""};
	int rc = convert(row, s, a, &v, err);

	if (rc < 0)
		return rc;
	v.set = true;
	*ret = v;
	return 0;
}

int value_check(const struct conf_row *row, const struct armada_option_value *v, struct err *err)
{
	/* a row whose default is the empty text accepts the empty text */
	bool empty = row->opt.def && !*row->opt.def && v->s && !*v->s;

	if (!row->check || (row->opt.type == ARMADA_OPTION_STRING && empty))
		return 0;
	if (row->opt.type == ARMADA_OPTION_STRING)
		return row->check(v->s, err);
	for (size_t i = 0; i < v->count; i++) {
		bool named = row->opt.type == ARMADA_OPTION_NUMBERS;
		int rc = row->check(named ? v->pairs[i].name : v->list[i], err);

		if (rc < 0)
			return named ? rc : err_prefix(err, rc, "entry %zu", i + 1);
	}
	return 0;
}

/* ---- storing and fetching ---- */

_Static_assert(sizeof(double) == sizeof(int64_t) && sizeof(void *) == sizeof(int64_t),
	       "all members that hold a value have the same size");

/* The member of a value for a row of this type. */
static size_t member_of(enum armada_option_type type)
{
	switch (type) {
	case ARMADA_OPTION_DOUBLE:
		return offsetof(struct armada_option_value, d);
	case ARMADA_OPTION_STRING:
	case ARMADA_OPTION_CHOICE:
		return offsetof(struct armada_option_value, s);
	case ARMADA_OPTION_STRINGS:
		return offsetof(struct armada_option_value, list);
	case ARMADA_OPTION_NUMBERS:
		return offsetof(struct armada_option_value, pairs);
	default:
		return offsetof(struct armada_option_value, i);
	}
}

static bool has_count(const struct conf_row *row)
{
	return row->opt.type == ARMADA_OPTION_STRINGS || row->opt.type == ARMADA_OPTION_NUMBERS;
}

void value_store(const struct conf_row *row, const struct armada_option_value *v, void *to)
{
	char *at = (char *)to + row->offset;

	if (row->as_written) {
		*(struct armada_option_value *)at = *v;
		return;
	}
	if (row->opt.type == ARMADA_OPTION_BOOL)
		*(bool *)at = v->i != 0;
	else
		memcpy(at, (const char *)v + member_of(row->opt.type), sizeof(int64_t));
	if (has_count(row))
		*(size_t *)((char *)to + row->count_offset) = v->count;
}

struct armada_option_value value_fetch(const struct conf_row *row, const void *from)
{
	const char *at = (const char *)from + row->offset;
	struct armada_option_value v = {0};

	if (row->as_written)
		return *(const struct armada_option_value *)at;
	if (row->opt.type == ARMADA_OPTION_BOOL)
		v.i = *(const bool *)at;
	else
		memcpy((char *)&v + member_of(row->opt.type), at, sizeof(int64_t));
	if (has_count(row))
		v.count = *(const size_t *)((const char *)from + row->count_offset);
	return v;
}
