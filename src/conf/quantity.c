/*
 * Parses, prints and checks amounts and shares of resources (quantity.h). Input: texts such as
 * "memory=4G" or "armada-default:cpu=0.5". Output: struct amount and struct share, or an error with
 * the accepted form.
 */
#include "conf/quantity.h"
#include "conf/device_files.h"
#include "conf/resource_table.h"
#include "conf/syntax_checks.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/nearest.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int find_resource(const char *name, size_t len, int *ret, struct err *err)
{
	char word[RESOURCE_NAME_LEN + 2];

	snprintf(word, sizeof(word), "%.*s", len < sizeof(word) ? (int)len : (int)sizeof(word) - 1,
		 name);
	*ret = resource_need(word, err);
	return *ret < 0 ? *ret : 0;
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
		rc = resource_parse((size_t)a.resource, eq + 1, &a.amount, err);
	if (rc == 0 && (a.amount > INT64_C(1) << 53 ||
			(a.amount == 0 && resource_is_basic((size_t)a.resource))))
		rc = err_set(err, -ERANGE, "'%.64s' is out of the range for a task", eq + 1);
	if (rc < 0)
		return err_prefix(err, rc, "'%.64s'", text);
	*ret_amount = a;
	return 0;
}

int offer_amount(const char *text, int64_t *ret, bool *ret_size, struct err *err)
{
	int rc;

	*ret_size = *text && strspn(text, "0123456789") != strlen(text);
	rc = *ret_size ? parse_size(text, ret, NULL)
		       : parse_int(text, 0, INT64_C(1) << 53, ret, NULL);
	if (rc == 0)
		return 0;
	if (rc == -ERANGE || (*text && !*ret_size))
		return err_set(err, -ERANGE, "'%.64s' is too large", text);
	return err_set(err, -EINVAL,
		       "'%.64s' is not an amount: expected a number, or a size such as 500G", text);
}

static int count_files(struct offer *o, struct err *err)
{
	char **paths;
	size_t count;
	int rc = device_files_expand(o->files, &paths, &count, err);

	if (rc < 0)
		return err_prefix(err, rc, "%s", o->name);
	hostlist_free(paths, count);
	o->amount = (int64_t)count;
	o->size = false;
	return 0;
}

int offer_parse(const char *text, struct offer *ret_offer, struct err *err)
{
	size_t len = strcspn(text, "=");
	struct offer o;
	int r, rc;

	if (!text[len] || !len || len >= sizeof(o.name))
		return err_set(err, -EINVAL,
			       "'%.64s' is not NAME=AMOUNT, as in fpga=2 or scratch=2T", text);
	memcpy(o.name, text, len);
	o.name[len] = '\0';
	rc = resource_name_check(o.name, err);
	r = resource_index(o.name);
	if (rc == 0 && r >= 0 && !resource_is_added((size_t)r))
		rc = err_set(err, -EINVAL, "%s is given by %s, not as a resource", o.name,
			     resource_plural((size_t)r));
	o.files = text[len + 1] == '/' ? text + len + 1 : NULL;
	if (rc == 0)
		rc = o.files ? count_files(&o, err)
			     : offer_amount(text + len + 1, &o.amount, &o.size, err);
	if (rc < 0)
		return rc;
	*ret_offer = o;
	return 0;
}

/* The name of a resource of nodes that is nearest; NULL: none is near. */
static const char *nearest_resource(const char *name)
{
	const char *names[RESOURCE_MAX];
	size_t n = 0;

	for (size_t r = 0; r < resource_count(); r++)
		if (!resource_is_floating(r))
			names[n++] = resource_name(r);
	return nearest_word(name, names, n);
}

int check_node_resource(const char *text, struct err *err)
{
	struct offer o;
	int rc = offer_parse(text, &o, err), r;
	const char *near;
	bool size;

	if (rc < 0)
		return rc;
	r = resource_index(o.name);
	near = r < 0 ? nearest_resource(o.name) : NULL;
	if (near)
		return err_set(err, -EINVAL, "there is no resource %s; did you mean '%s'?", o.name,
			       near);
	if (r < 0)
		return err_set(err, -EINVAL,
			       "there is no resource %s: add an entry with this name to the list "
			       "resources",
			       o.name);
	if (resource_is_floating((size_t)r))
		return err_set(
			err, -EINVAL,
			"%s belongs to the cluster, not to a node: it is in the group floating",
			o.name);
	size = resource_unit((size_t)r) == RESOURCE_SIZE;
	if (size != o.size)
		return err_set(err, -EINVAL, "'%.64s': %s is %s", text, o.name,
			       size ? "a size: write it with its unit, as in 500G"
				    : "counted: write it without a unit");
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

	if (resource_unit((size_t)a->resource) == RESOURCE_SIZE)
		size_print(a->amount, number, sizeof(number));
	else
		resource_format((size_t)a->resource, a->amount, number, sizeof(number));
	snprintf(ret_text, QUANTITY_TEXT, "%s=%s", resource_name((size_t)a->resource), number);
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
		return err_set(err, -EINVAL, "%s is given twice", resource_name((size_t)resource));
	snprintf(number, sizeof(number), "%.*s", (int)(len - (size_t)(eq + 1 - text)), eq + 1);
	rc = option_parse(&part, number, &v, err);
	if (rc < 0)
		return err_prefix(err, rc, "%s", resource_name((size_t)resource));
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

	for (size_t r = 0; r < resource_count(); r++) {
		int digits = 6;
		char text[40];

		if (!(s->limited >> r & 1))
			continue;
		do
			snprintf(text, sizeof(text), "%.*g", digits, s->of[r]);
		while (strtod(text, NULL) != s->of[r] && digits++ < 17);
		len += (size_t)snprintf(ret_text + len, QUANTITY_TEXT - len, "%c%s=%s", separator,
					resource_name(r), text);
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
				       resource_name((size_t)a.resource));
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
