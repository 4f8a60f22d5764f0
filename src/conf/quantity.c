/*
 * Parses, prints and checks amounts and shares of resources (quantity.h). Input: texts such as
 * "memory=4G" or "armada-default:cpu=0.5". Output: struct amount and struct share, or an error with
 * the accepted form.
 */
#include "conf/quantity.h"
#include "conf/syntax_checks.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CPU = 0, MEMORY = 1, GPU = 2 };

static int find_resource(const char *name, size_t len, int *ret, struct err *err)
{
	char word[32];

	*ret = conf_resource(name, len);
	if (*ret < CONF_RESOURCES)
		return 0;
	snprintf(word, sizeof(word), "%.*s", len < 31 ? (int)len : 31, name);
	return check_resource(word, err);
}

static int parse_amount(int resource, const char *text, int64_t *ret, struct err *err)
{
	switch (resource) {
	case CPU:
		return parse_cpu(text, ret, err);
	case MEMORY:
		return parse_size(text, ret, err);
	default:
		return parse_int(text, 0, INT64_C(1000000000), ret, err);
	}
}

int amount_parse(const char *text, struct amount *ret_amount, struct err *err)
{
	const char *eq = strchr(text, '=');
	struct amount a = {0};
	int rc;

	if (!eq)
		return err_set(
			err, -EINVAL,
			"'%.64s' is not an amount: expected \"cpu=2\", \"memory=4G\" or \"gpu=1\"",
			text);
	rc = find_resource(text, (size_t)(eq - text), &a.resource, err);
	if (rc == 0)
		rc = parse_amount(a.resource, eq + 1, &a.amount, err);
	if (rc == 0 && (a.amount > INT64_C(1) << 53 || (a.resource != GPU && a.amount == 0)))
		rc = err_set(err, -ERANGE, "'%.64s' is out of the range for a task", eq + 1);
	if (rc < 0)
		return err_prefix(err, rc, "'%.64s'", text);
	*ret_amount = a;
	return 0;
}

void size_print(int64_t bytes, char *out, size_t size)
{
	static const char units[] = "\0KMGT";
	size_t u = 0;

	while (u < 4 && bytes && bytes % 1024 == 0) {
		bytes /= 1024;
		u++;
	}
	snprintf(out, size, "%" PRId64 "%.1s", bytes, &units[u]);
}

void amount_print(const struct amount *a, char ret_text[QUANTITY_TEXT])
{
	char number[40];

	if (a->resource == CPU)
		format_cpu(a->amount, number, sizeof(number));
	else if (a->resource == MEMORY)
		size_print(a->amount, number, sizeof(number));
	else
		snprintf(number, sizeof(number), "%" PRId64, a->amount);
	snprintf(ret_text, QUANTITY_TEXT, "%s=%s", conf_resources[a->resource], number);
}

/* "cpu=0.5" at text, up to len. */
static int parse_part(const char *text, size_t len, struct share *s, struct err *err)
{
	static const struct armada_option part = {.type = ARMADA_OPTION_DOUBLE, .max = 1};
	const char *eq = memchr(text, '=', len);
	struct armada_option_value v;
	char number[32];
	int resource, rc;

	if (!eq || len - (size_t)(eq - text) > sizeof(number))
		return err_set(err, -EINVAL, "'%.*s' is not a part: expected \"cpu=0.5\"",
			       len < 64 ? (int)len : 64, text);
	rc = find_resource(text, (size_t)(eq - text), &resource, err);
	if (rc < 0)
		return rc;
	if (s->limited >> resource & 1)
		return err_set(err, -EINVAL, "%s is given twice", conf_resources[resource]);
	snprintf(number, sizeof(number), "%.*s", (int)(len - (size_t)(eq + 1 - text)), eq + 1);
	rc = option_parse(&part, number, &v, err);
	if (rc < 0)
		return err_prefix(err, rc, "%s", conf_resources[resource]);
	s->limited |= UINT32_C(1) << resource;
	s->of[resource] = v.d;
	return 0;
}

int share_parse(const char *text, struct share *ret_share, struct err *err)
{
	const char *colon = strchr(text, ':');
	struct share s = {.limited = 0};
	size_t len = colon ? (size_t)(colon - text) : 0;

	if (!len || len >= sizeof(s.class_name))
		return err_set(err, -EINVAL,
			       "'%.64s' is not a limit of a class: expected "
			       "\"armada-default:cpu=0.5,memory=0.5\"",
			       text);
	memcpy(s.class_name, text, len);
	s.class_name[len] = '\0';
	if (check_name(s.class_name, err) < 0)
		return -EINVAL;
	for (const char *p = colon + 1;; p++) {
		size_t part = strcspn(p, ",");
		int rc = parse_part(p, part, &s, err);

		if (rc < 0)
			return err_prefix(err, rc, "class %.64s", s.class_name);
		p += part;
		if (!*p)
			break;
	}
	*ret_share = s;
	return 0;
}

void share_print(const struct share *s, char ret_text[QUANTITY_TEXT])
{
	char separator = ':';
	size_t len = (size_t)snprintf(ret_text, QUANTITY_TEXT, "%s", s->class_name);

	for (int r = 0; r < CONF_RESOURCES; r++) {
		int digits = 6;
		char text[40];

		if (!(s->limited >> r & 1))
			continue;
		do
			snprintf(text, sizeof(text), "%.*g", digits, s->of[r]);
		while (strtod(text, NULL) != s->of[r] && digits++ < 17);
		len += (size_t)snprintf(ret_text + len, QUANTITY_TEXT - len, "%c%s=%s", separator,
					conf_resources[r], text);
		separator = ',';
	}
}

int amounts_check(const char *const *texts, size_t count, struct err *err)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < count; i++) {
		struct amount a;
		int rc = amount_parse(texts[i], &a, err);

		if (rc < 0)
			return rc;
		if (seen >> a.resource & 1)
			return err_set(err, -EINVAL, "%s is given twice",
				       conf_resources[a.resource]);
		seen |= UINT32_C(1) << a.resource;
	}
	return 0;
}

int shares_check(const char *const *texts, size_t count, struct err *err)
{
	CLEANUP_FREE struct share *list = xcalloc(count + 1, sizeof(*list));

	for (size_t i = 0; i < count; i++) {
		int rc = share_parse(texts[i], &list[i], err);

		if (rc < 0)
			return rc;
		for (size_t k = 0; k < i; k++)
			if (strcmp(list[k].class_name, list[i].class_name) == 0)
				return err_set(err, -EINVAL, "class %s is given twice",
					       list[i].class_name);
	}
	return 0;
}
