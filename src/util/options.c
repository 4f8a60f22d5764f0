/*
 * Parses a command line by tables of options, and prints --help (options.h). Input: tables, argv, a
 * target struct. Output: values in the target, and the operands; or one sentence that names the
 * option. opt_next splits the command line into options and operands; opt_set converts one value by
 * the type of its row.
 */
#include "util/options.h"

#include "util/log.h"
#include "util/mem.h"
#include "util/nearest.h"
#include "util/units.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 128, HELP_COLUMN = 30, HELP_WIDTH = 79 };

/* Is one of the aliases this name, or, unless the whole name is required, does one begin with it? */
static bool alias_is(const struct opt *o, const char *name, size_t len, bool whole)
{
	const char *s = o->alias;

	while (s && *s) {
		size_t n = strcspn(s, " ");

		if (strncmp(s, name, len) == 0 && (n == len || !whole))
			return true;
		s += n + strspn(s + n, " ");
	}
	return false;
}

/* The i-th row of all tables together; NULL after the last. */
static const struct opt *row_at(const struct opt_table *const *tables, size_t i)
{
	for (; *tables; i -= (*tables++)->count)
		if (i < (*tables)->count)
			return &(*tables)->rows[i];
	return NULL;
}

static const struct opt *find_exact(const struct opt_table *const *tables, const char *name,
				    size_t len)
{
	const struct opt *o;

	for (size_t i = 0; (o = row_at(tables, i)); i++)
		if ((strlen(o->name) == len && !memcmp(o->name, name, len)) ||
		    alias_is(o, name, len, true))
			break;
	return o;
}

const struct opt *opt_find(const struct opt_table *const *tables, const char *name)
{
	return find_exact(tables, name, strlen(name));
}

static int unknown(const struct opt_parser *p, const char *name, size_t len, struct err *err)
{
	const char *names[NAMES_MAX];
	CLEANUP_FREE char *given = xstrndup(name, len);
	const struct opt *o;
	const char *near;
	size_t n = 0;

	for (size_t i = 0; (o = row_at(p->tables, i)) && n < NAMES_MAX; i++)
		if (o->help)
			names[n++] = o->name;
	near = nearest_word(given, names, n);
	if (near)
		return err_set(err, -EINVAL, "unknown option --%.60s; did you mean --%s?", given,
			       near);
	return err_set(err, -EINVAL, "unknown option --%.60s; --help lists them", given);
}

/* The row with this name, or the only row whose name begins with it; rows of --help come first. */
static int find_long(const struct opt_parser *p, const char *name, size_t len,
		     const struct opt **ret_opt, struct err *err)
{
	const struct opt *found = find_exact(p->tables, name, len), *o;

	if (found) {
		*ret_opt = found;
		return 0;
	}
	for (size_t i = 0; len > 0 && (o = row_at(p->tables, i)); i++) {
		if ((strncmp(o->name, name, len) != 0 && !alias_is(o, name, len, false)) ||
		    opt_find(p->tables, o->name) != o)
			continue;
		if (found && found->help && !o->help)
			continue;
		if (found && (found->help || !o->help))
			return err_set(err, -EINVAL, "--%.*s may be --%s or --%s", (int)len, name,
				       found->name, o->name);
		found = o;
	}
	if (!found)
		return unknown(p, name, len, err);
	*ret_opt = found;
	return 0;
}

/* Messages name the option that was given: the row's name, or the alias. A beginning is completed. */
static void show_long(struct opt_parser *p, const struct opt *o, const char *word, size_t len)
{
	const char *name = alias_is(o, word, len, true) ? word : o->name;
	const char *next = o->alias;

	while (strncmp(name, word, len) != 0) {
		name = next;
		next += strcspn(next, " ");
		next += strspn(next, " ");
	}
	snprintf(p->shown, sizeof(p->shown), "--%.*s",
		 (int)(name == word ? len : strcspn(name, " ")), name);
}

static bool value_is_optional(const struct opt *o)
{
	return o->arg && o->arg[0] == '[';
}

/* The value is the next word. */
static int take_word(struct opt_parser *p, const struct opt *o, const char **ret_value,
		     struct err *err)
{
	if (p->next >= p->argc)
		return err_set(err, -EINVAL, "%s: needs a value: %s", p->shown, o->arg);
	*ret_value = p->argv[p->next++];
	return 0;
}

static int next_long(struct opt_parser *p, const char *word, const struct opt **ret_opt,
		     const char **ret_value, struct err *err)
{
	size_t len = strcspn(word, "=");
	const char *value = word[len] ? word + len + 1 : NULL;
	const struct opt *o = NULL;
	int rc = find_long(p, word, len, &o, err);

	if (rc < 0)
		return rc;
	show_long(p, o, word, len);
	if (value && !o->arg)
		return err_set(err, -EINVAL, "%s: takes no value", p->shown);
	if (!value && o->arg && !value_is_optional(o)) {
		rc = take_word(p, o, &value, err);
		if (rc < 0)
			return rc;
	}
	*ret_opt = o;
	*ret_value = value;
	return OPT_OPTION;
}

static const struct opt *find_letter(const struct opt_parser *p, char letter)
{
	const char alias[2] = {'-', letter};
	const struct opt *o;

	for (size_t i = 0; (o = row_at(p->tables, i)); i++)
		if (o->letter == letter || alias_is(o, alias, sizeof(alias), true))
			break;
	return o;
}

static int next_letter(struct opt_parser *p, const struct opt **ret_opt, const char **ret_value,
		       struct err *err)
{
	char letter = *p->rest++;
	const struct opt *o = find_letter(p, letter);
	int rc = OPT_OPTION;

	if (!o)
		return err_set(err, -EINVAL, "unknown option -%c; --help lists them",
			       letter > ' ' ? letter : '?');
	snprintf(p->shown, sizeof(p->shown), "-%c", letter);
	*ret_value = NULL;
	if (o->arg && !value_is_optional(o)) {
		if (*p->rest) {
			*ret_value = p->rest;
		} else {
			rc = take_word(p, o, ret_value, err);
		}
		p->rest = NULL;
	} else if (!*p->rest) {
		p->rest = NULL;
	}
	if (rc < 0)
		return rc;
	*ret_opt = o;
	return OPT_OPTION;
}

int opt_next(struct opt_parser *p, const struct opt **ret_opt, const char **ret_value,
	     struct err *err)
{
	const char *word;

	if (p->rest)
		return next_letter(p, ret_opt, ret_value, err);
	if (p->next >= p->argc)
		return OPT_END;
	word = p->argv[p->next++];
	if (!p->after_dashes && !strcmp(word, "--")) {
		p->after_dashes = true;
		if (p->next >= p->argc)
			return OPT_END;
		word = p->argv[p->next++];
	} else if (!p->after_dashes && word[0] == '-' && word[1] == '-') {
		return next_long(p, word + 2, ret_opt, ret_value, err);
	} else if (!p->after_dashes && word[0] == '-' && word[1]) {
		p->rest = word + 1;
		return next_letter(p, ret_opt, ret_value, err);
	}
	*ret_value = word;
	return OPT_OPERAND;
}

/* ---- values ---- */

static void store(const struct opt_to *to, void *target, int64_t n)
{
	void *field = (char *)target + to->offset;

	switch (to->size) {
	case sizeof(int64_t):
		*(int64_t *)field = n;
		return;
	case sizeof(int32_t):
		*(int32_t *)field = (int32_t)n;
		return;
	default:
		assert(to->size == sizeof(bool));
		*(bool *)field = n;
	}
}

/* The unit of the stored value is in to->max. */
static int set_quantity(const struct opt_to *to, void *target, const char *value, struct err *err)
{
	int64_t n;
	int rc = to->type == OPT_TYPE_CPU    ? parse_cpu(value, &n, err)
		 : to->type == OPT_TYPE_SIZE ? parse_size(value, &n, err)
					     : parse_duration(value, &n, err);

	if (rc < 0)
		return rc;
	if (n < to->min && to->text[0] == ':')
		return err_set(err, -EINVAL, "'%s'%s", value, to->text);
	if (n < to->min)
		return err_set(err, -EINVAL, "%s", to->text);
	store(to, target, n / to->max);
	return 0;
}

static int set_int(const struct opt_to *to, void *target, const char *value, struct err *err)
{
	int64_t n;
	int rc = parse_int(value, to->min, to->max, &n, err);

	if (rc == 0)
		store(to, target, n);
	return rc;
}

static void set_text(const struct opt_to *to, void *target, const char *value)
{
	*(const char **)((char *)target + to->offset) = value;
}

static int add_text(const struct opt_to *to, void *target, const char *value, struct err *err)
{
	const char ***list = (const char ***)((char *)target + to->offset);
	size_t *count = (size_t *)((char *)target + to->count_offset);

	if (*count == (size_t)to->max)
		return err_set(err, -EINVAL, "may be given at most %zu times", *count);
	*list = xreallocarray(*list, *count + 1, sizeof(**list));
	(*list)[(*count)++] = value;
	return 0;
}

/* "'x' must be one, two or three" */
static int refuse_choice(const char *words, const char *value, struct err *err)
{
	CLEANUP_BUF struct buf text = {0};

	for (const char *at = words; *at;) {
		size_t n = strcspn(at, "|");
		bool last = !at[n];

		buf_addf(&text, "%s%.*s", at == words ? "" : last ? " or " : ", ", (int)n, at);
		at += n + !last;
	}
	return err_set(err, -EINVAL, "'%s' must be %s", value, (char *)text.data);
}

static int set_choice(const struct opt_to *to, void *target, const char *value, struct err *err)
{
	size_t len = strlen(value);
	int64_t index = 0;

	for (const char *at = to->text; *at; index++) {
		size_t n = strcspn(at, "|");

		if (n == len && memcmp(at, value, n) == 0) {
			store(to, target, index);
			return 0;
		}
		at += n + (at[n] != '\0');
	}
	return refuse_choice(to->text, value, err);
}

int opt_check_word(const char *value, struct err *err)
{
	return *value ? 0 : err_set(err, -EINVAL, "is empty");
}

int opt_read_log_level(void *field, const void *arg, const char *value, struct err *err)
{
	int *level = field;

	(void)arg;
	if (!value)
		*level = *level == LOG_INFO ? LOG_DEBUG : LOG_INFO;
	else if (log_level_of(value) < 0)
		return err_set(err, -EINVAL, "'%s' must be error, warn, notice, info or debug",
			       value);
	else
		*level = log_level_of(value);
	return 0;
}

int opt_read_log_format(void *field, const void *arg, const char *value, struct err *err)
{
	int *format = field;

	(void)arg;
	*format = log_format_of(value);
	return *format ? 0 : err_set(err, -EINVAL, "'%s' must be text or json", value);
}

int opt_set(const struct opt *o, void *target, const char *value, struct err *err)
{
	const struct opt_to *to = &o->to;
	int rc = to->check ? to->check(value, err) : 0;

	if (rc < 0)
		return rc;
	switch (to->type) {
	case OPT_TYPE_CALL:
		return to->call(target, value, err);
	case OPT_TYPE_READ:
		return to->read((char *)target + to->offset, to->arg, value, err);
	case OPT_TYPE_VALUE:
		store(to, target, to->min);
		return 0;
	case OPT_TYPE_INT:
		return set_int(to, target, value, err);
	case OPT_TYPE_CPU:
	case OPT_TYPE_SIZE:
	case OPT_TYPE_DURATION:
		return set_quantity(to, target, value, err);
	case OPT_TYPE_TEXT:
		set_text(to, target, value);
		return 0;
	case OPT_TYPE_LIST:
		return add_text(to, target, value, err);
	case OPT_TYPE_CHOICE:
		return set_choice(to, target, value, err);
	case OPT_TYPE_REFUSE:
		return err_set(err, -EINVAL, "%s", to->text);
	case OPT_TYPE_STOP:
		return (int)to->min;
	}
	abort();
}

int opt_parse(const struct opt_table *const *tables, int argc, char *const *argv, void *target,
	      const char ***ret_operands, size_t *ret_count, struct err *err)
{
	struct opt_parser p = {.tables = tables, .argv = argv, .argc = argc, .next = 1};
	CLEANUP_FREE const char **operands = xcalloc((size_t)argc + 1, sizeof(*operands));
	const struct opt *o;
	const char *value;
	size_t count = 0;
	int rc;

	while ((rc = opt_next(&p, &o, &value, err)) > 0) {
		if (rc == OPT_OPERAND) {
			operands[count++] = value;
			continue;
		}
		rc = opt_set(o, target, value, err);
		if (rc < OPT_ERRNO_LEAST)
			return rc;
		if (rc < 0)
			return err_prefix(err, -EINVAL, "%s", p.shown);
	}
	if (rc < 0)
		return rc;
	*ret_operands = operands;
	*ret_count = count;
	operands = NULL;
	return 0;
}

/* Print text from column `at`, broken at blanks; further lines begin at HELP_COLUMN. */
static void add_wrapped(struct buf *out, size_t at, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (at > HELP_COLUMN && at + 1 + n > HELP_WIDTH) {
			buf_addf(out, "\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
		} else if (at > HELP_COLUMN) {
			buf_addc(out, ' ');
			at++;
		}
		buf_add(out, text, n);
		at += n;
		text += n + strspn(text + n, " ");
	}
	buf_addc(out, '\n');
}

static void help_row(const struct opt *o, struct buf *out)
{
	size_t begin = out->len;

	if (o->letter)
		buf_addf(out, "  -%c, --%s", o->letter, o->name);
	else
		buf_addf(out, "      --%s", o->name);
	if (value_is_optional(o))
		buf_addf(out, "[=%.*s]", (int)strlen(o->arg) - 2, o->arg + 1);
	else if (o->arg)
		buf_addf(out, "=%s", o->arg);
	if (out->len - begin >= HELP_COLUMN - 1) {
		buf_addc(out, '\n');
		begin = out->len;
	}
	buf_addf(out, "%*s", (int)(HELP_COLUMN - (out->len - begin)), "");
	add_wrapped(out, HELP_COLUMN, o->help);
}

void opt_help(const struct opt_table *const *tables, struct buf *out)
{
	for (size_t t = 0; tables[t]; t++) {
		if (!tables[t]->heading)
			continue;
		buf_addf(out, "%s%s:\n", t ? "\n" : "", tables[t]->heading);
		for (size_t i = 0; i < tables[t]->count; i++) {
			const struct opt *o = &tables[t]->rows[i];

			if (o->help && opt_find(tables, o->name) == o)
				help_row(o, out);
		}
	}
}
