#include "client/options.h"

#include "conf/conf.h"
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 128, HELP_COLUMN = 30, HELP_WIDTH = 79 };

static bool alias_is(const struct opt *o, const char *name, size_t len)
{
	const char *s = o->alias;

	while (s && *s) {
		size_t n = strcspn(s, " ");

		if (n == len && !memcmp(s, name, len))
			return true;
		s += n + strspn(s + n, " ");
	}
	return false;
}

static bool alias_begins(const struct opt *o, const char *name, size_t len)
{
	const char *s = o->alias;

	while (s && *s) {
		if (!strncmp(s, name, len))
			return true;
		s += strcspn(s, " ");
		s += strspn(s, " ");
	}
	return false;
}

static const struct opt *find_exact(const struct opt_table *const *tables, const char *name,
				    size_t len)
{
	for (size_t t = 0; tables[t]; t++) {
		for (size_t i = 0; i < tables[t]->count; i++) {
			const struct opt *o = &tables[t]->rows[i];

			if ((strlen(o->name) == len && !memcmp(o->name, name, len)) ||
			    alias_is(o, name, len))
				return o;
		}
	}
	return NULL;
}

const struct opt *opt_find(const struct opt_table *const *tables, const char *name)
{
	return find_exact(tables, name, strlen(name));
}

static int unknown(const struct opt_parser *p, const char *name, size_t len, struct err *err)
{
	const char *names[NAMES_MAX];
	CLEANUP_FREE char *given = xstrndup(name, len);
	const char *near;
	size_t n = 0;

	for (size_t t = 0; p->tables[t]; t++) {
		for (size_t i = 0; i < p->tables[t]->count && n < NAMES_MAX; i++) {
			if (p->tables[t]->rows[i].help)
				names[n++] = p->tables[t]->rows[i].name;
		}
	}
	near = nearest_word(given, names, n);
	if (near)
		return err_set(err, -EINVAL, "unknown option --%.60s; did you mean --%s?", given,
			       near);
	return err_set(err, -EINVAL, "unknown option --%.60s", given);
}

/* An exact name, or the only row that the name begins. */
static int find_long(const struct opt_parser *p, const char *name, size_t len,
		     const struct opt **ret_opt, struct err *err)
{
	const struct opt *found = find_exact(p->tables, name, len);

	if (found) {
		*ret_opt = found;
		return 0;
	}
	for (size_t t = 0; p->tables[t] && len > 0; t++) {
		for (size_t i = 0; i < p->tables[t]->count; i++) {
			const struct opt *o = &p->tables[t]->rows[i];

			if ((strncmp(o->name, name, len) != 0 && !alias_begins(o, name, len)) ||
			    opt_find(p->tables, o->name) != o)
				continue;
			if (found)
				return err_set(err, -EINVAL, "--%.*s may be --%s or --%s", (int)len,
					       name, found->name, o->name);
			found = o;
		}
	}
	if (!found)
		return unknown(p, name, len, err);
	*ret_opt = found;
	return 0;
}

static bool value_at_will(const struct opt *o)
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
	snprintf(p->shown, sizeof(p->shown), "--%s", o->name);
	if (value && !o->arg)
		return err_set(err, -EINVAL, "%s: takes no value", p->shown);
	if (!value && o->arg && !value_at_will(o)) {
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

	for (size_t t = 0; p->tables[t]; t++) {
		for (size_t i = 0; i < p->tables[t]->count; i++) {
			const struct opt *o = &p->tables[t]->rows[i];

			if (o->letter == letter || alias_is(o, alias, sizeof(alias)))
				return o;
		}
	}
	return NULL;
}

static int next_letter(struct opt_parser *p, const struct opt **ret_opt, const char **ret_value,
		       struct err *err)
{
	char letter = *p->rest++;
	const struct opt *o = find_letter(p, letter);
	int rc = OPT_OPTION;

	if (!o)
		return err_set(err, -EINVAL, "unknown option -%c", letter > ' ' ? letter : '?');
	snprintf(p->shown, sizeof(p->shown), "-%c", letter);
	*ret_value = NULL;
	if (o->arg && !value_at_will(o)) {
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

int opt_parse(const struct opt_table *const *tables, int argc, char *const *argv, void *target,
	      const char ***ret_operands, size_t *ret_count, struct err *err)
{
	struct opt_parser p = {.tables = tables,

			       .argv = argv,
			       .argc = argc,
			       .next = 1};
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
		rc = o->set(target, value, err);
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

/* Text from column `at`, broken at blanks, further lines beginning at HELP_COLUMN. */
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
	if (value_at_will(o))
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
