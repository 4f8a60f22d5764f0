/*
 * The table of resources (resource_table.h). Input: the rows of armada.conf. Output: names, units, and
 * amounts as text. The names lie in the table itself, so a pointer to one is valid until the end of the
 * process.
 */
#include "conf/resource_table.h"

#include "util/mem.h"
#include "util/nearest.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OWN = 3 };

static struct {
	size_t count;
	bool kept;
	const char *names[RESOURCE_MAX];
	enum resource_unit units[RESOURCE_MAX];
	bool floating[RESOURCE_MAX];
	char texts[RESOURCE_MAX][RESOURCE_NAME_LEN + 1];
} table = {
	.count = OWN,
	.names = {"cpu", "memory", "gpu"},
	.units = {RESOURCE_MILLI, RESOURCE_SIZE, RESOURCE_COUNT},
};

size_t resource_count(void)
{
	return table.count;
}

const char *resource_name(size_t resource)
{
	return table.names[resource];
}

enum resource_unit resource_unit(size_t resource)
{
	return table.units[resource];
}

const char *resource_plural(size_t resource)
{
	static const char *const own[OWN] = {"cpus", "memory", "gpus"};

	return resource < OWN ? own[resource] : table.names[resource];
}

bool resource_is_added(size_t resource)
{
	return resource >= OWN;
}

bool resource_is_basic(size_t resource)
{
	return resource < 2;
}

bool resource_is_floating(size_t resource)
{
	return table.floating[resource];
}

const char *const *resource_names(void)
{
	return table.names;
}

int resource_find(const char *name, size_t len)
{
	for (size_t r = 0; r < table.count; r++)
		if (strncmp(table.names[r], name, len) == 0 && !table.names[r][len])
			return (int)r;
	return -1;
}

int resource_index(const char *name)
{
	return resource_find(name, strlen(name));
}

static void (*ask)(void);

void resource_table_on_unknown(void (*learn)(void))
{
	ask = learn;
}

static int find_or_learn(const char *name)
{
	void (*learn)(void) = ask;
	int r = resource_index(name);

	if (r >= 0 || !learn)
		return r;
	ask = NULL;
	learn();
	return resource_index(name);
}

int resource_need(const char *name, struct err *err)
{
	int r = find_or_learn(name);
	const char *near = r < 0 ? nearest_word(name, table.names, table.count) : NULL;
	char list[RESOURCE_MAX * (RESOURCE_NAME_LEN + 4)] = "";
	size_t len = 0;

	if (r >= 0)
		return r;
	for (size_t i = 0; i < table.count; i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s",
					i == 0                 ? ""
					: i + 1 == table.count ? " or "
							       : ", ",
					table.names[i]);
	if (near)
		return err_set(err, -EINVAL,
			       "'%.64s' is not a resource; did you mean '%s'? Expected %s", name,
			       near, list);
	return err_set(err, -EINVAL, "'%.64s' is not a resource: expected %s", name, list);
}

int check_resource(const char *text, struct err *err)
{
	int r = resource_need(text, err);

	return r < 0 ? r : 0;
}

/* ---- amounts ---- */

int unit_parse(enum resource_unit unit, const char *text, int64_t *ret, struct err *err)
{
	switch (unit) {
	case RESOURCE_MILLI:
		return parse_cpu(text, ret, err);
	case RESOURCE_SIZE:
		return parse_size(text, ret, err);
	default:
		return parse_int(text, 0, INT64_C(1000000000000), ret, err);
	}
}

void unit_format(enum resource_unit unit, int64_t amount, char *out, size_t size)
{
	if (unit == RESOURCE_MILLI)
		format_cpu(amount, out, size);
	else if (unit == RESOURCE_SIZE)
		format_size(amount, out, size);
	else
		snprintf(out, size, "%" PRId64, amount);
}

int resource_parse(size_t resource, const char *text, int64_t *ret, struct err *err)
{
	return unit_parse(table.units[resource], text, ret, err);
}

void resource_format(size_t resource, int64_t amount, char *out, size_t size)
{
	unit_format(table.units[resource], amount, out, size);
}

/* ---- the rows of armada.conf ---- */

/* Words that options and columns give a meaning of their own. */
static const char *const taken[] = {"cpus",  "mem",  "gpus", "node", "nodes",
				    "tasks", "time", "user", "none", "all"};

int resource_name_check(const char *name, struct err *err)
{
	size_t len = strlen(name);

	if (len && len <= RESOURCE_NAME_LEN && name[0] >= 'a' && name[0] <= 'z' &&
	    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == len)
		return 0;
	return err_set(
		err, -EINVAL,
		"'%.64s' is not the name of a resource: expected a lower-case letter, then up "
		"to %d letters, digits, _ or -",
		name, RESOURCE_NAME_LEN - 1);
}

int resource_row_check(const char *name, struct err *err)
{
	int rc = resource_name_check(name, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < OWN; i++)
		if (strcmp(table.names[i], name) == 0)
			return err_set(err, -EINVAL, "%s is always there: leave it out", name);
	for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
		if (strcmp(taken[i], name) == 0)
			return err_set(err, -EINVAL,
				       "'%s' has another meaning: choose another name", name);
	return 0;
}

static bool differs(const struct resource_row *rows, size_t count)
{
	if (table.count != OWN + count)
		return true;
	for (size_t i = 0; i < count; i++)
		if (strcmp(table.names[OWN + i], rows[i].name) != 0 ||
		    table.units[OWN + i] != rows[i].unit ||
		    table.floating[OWN + i] != rows[i].floating)
			return true;
	return false;
}

int resource_table_set(const struct resource_row *rows, size_t count, struct err *err)
{
	if (count > RESOURCE_MAX - OWN)
		return err_set(err, -EINVAL, "%zu resources: at most %d are possible", count,
			       RESOURCE_MAX - OWN);
	for (size_t i = 0; i < count; i++) {
		int rc = resource_row_check(rows[i].name, err);

		if (rc < 0)
			return rc;
		for (size_t k = 0; k < i; k++)
			if (strcmp(rows[k].name, rows[i].name) == 0)
				return err_set(err, -EEXIST, "the resource %s is given twice",
					       rows[i].name);
	}
	if (table.kept)
		return differs(rows, count)
			       ? err_set(err, -EBUSY,
					 "a change of the resources needs a restart of the daemon; "
					 "running jobs continue")
			       : 0;
	table.count = OWN + count;
	for (size_t i = 0; i < count; i++) {
		snprintf(table.texts[OWN + i], sizeof(table.texts[0]), "%s", rows[i].name);
		table.names[OWN + i] = table.texts[OWN + i];
		table.units[OWN + i] = rows[i].unit;
		table.floating[OWN + i] = rows[i].floating;
	}
	return 0;
}

void resource_table_keep(void)
{
	table.kept = true;
}
