/*
 * Loads the contain plugins among which "auto" chooses, and checks the options of contain plugins
 * (candidates.h). Input: armada.conf and the plugins of plugin_dir. Output: the loaded plugins with their
 * values, or an error about an option.
 */
#include "plugin/candidates.h"

#include "conf/conf.h"
#include "util/mem.h"

#include <armada/contain.h>

#include <errno.h>
#include <string.h>

/* The best first; the last one works on every machine. */
static const char *const names[CANDIDATES] = {"cgroup2", "cgroup1", "rlimit"};

static const struct {
	const char *name;
	uint32_t bit;
} limits[] = {
	{"memory", ARMADA_CONTAINS_MEMORY},
	{"cpu", ARMADA_CONTAINS_CPU},
	{"devices", ARMADA_CONTAINS_DEVICES},
	{"pids", ARMADA_CONTAINS_PIDS},
};

int candidates_limits(const char *list, uint32_t *ret_bits, struct err *err)
{
	*ret_bits = 0;
	for (const char *p = list + strspn(list, ", "); *p; p += strspn(p, ", ")) {
		size_t len = strcspn(p, ", "), i = 0;

		while (i < ARRAY_SIZE(limits) &&
		       (strlen(limits[i].name) != len || memcmp(limits[i].name, p, len) != 0))
			i++;
		if (i == ARRAY_SIZE(limits))
			return err_set(err, -EINVAL,
				       "'%.*s' is not one of memory, cpu, devices, pids",
				       (int)(len < 40 ? len : 40), p);
		*ret_bits |= limits[i].bit;
		p += len;
	}
	return 0;
}

static const struct armada_option_value *value_of(const struct plugin *p, const char *name)
{
	for (size_t i = 0; i < p->desc->option_count; i++)
		if (strcmp(p->desc->options[i].name, name) == 0)
			return &p->values[i];
	return NULL;
}

int candidates_check(const struct plugin *p, const struct conf *conf, struct err *err)
{
	const struct armada_option_value *require = value_of(p, "require");
	const struct armada_contain_ops *ops = p->ops;
	struct armada_error text = {""};
	uint32_t ignored;
	int rc = candidates_limits(require ? require->s : "", &ignored, err);

	if (rc < 0)
		return err_prefix(err, rc, "%s: plugins: contain: require", conf->file);
	rc = ops->check ? ops->check(p->values, &text) : 0;
	return rc < 0 ? err_set(err, rc, "%s: plugins: contain: %s", conf->file, text.text) : 0;
}

static bool has_row(const struct armada_option *rows, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].name, name) == 0)
			return true;
	return false;
}

/* Options beside name = "auto" apply to each candidate that has them. */
static size_t collect_rows(struct candidates *c)
{
	size_t count = 0, cap = 0;

	for (int i = 0; i < CANDIDATES; i++) {
		const struct armada_plugin *d = c->loaded[i].desc;

		for (size_t k = 0; d && k < d->option_count; k++) {
			if (has_row(c->rows, count, d->options[k].name))
				continue;
			GROW(c->rows, cap, count + 1);
			c->rows[count++] = d->options[k];
		}
	}
	return count;
}

static void give_options(struct candidates *c, int i, const struct armada_option_value *all,
			 size_t row_count)
{
	const struct armada_plugin *d = c->loaded[i].desc;
	struct armada_option_value *values = xcalloc(d->option_count + 1, sizeof(*values));

	for (size_t k = 0; k < d->option_count; k++)
		for (size_t row = 0; row < row_count; row++)
			if (strcmp(c->rows[row].name, d->options[k].name) == 0)
				values[k] = all[row];
	c->values[i] = values;
	plugin_set_values(&c->loaded[i], values);
}

bool candidates_wanted(const struct conf *conf)
{
	return strcmp(conf->plugins[ARMADA_PLUGIN_CONTAIN].name, "auto") == 0;
}

int candidates_load(struct candidates *ret, struct conf *conf, struct buf *why, struct err *err)
{
	size_t row_count;
	int rc;

	*ret = (struct candidates){0};
	for (int i = 0; i < CANDIDATES; i++)
		if (plugin_load(&ret->loaded[i], conf->plugin_dir, ARMADA_PLUGIN_CONTAIN, names[i],
				err) < 0)
			buf_addf(why, "%s%s", why->len ? "; " : "", err->text);
	row_count = collect_rows(ret);
	if (row_count == 0)
		return 0; /* the options are unknown here, as on a controller without these plugins */
	rc = conf_plugin_options(conf, ARMADA_PLUGIN_CONTAIN, ret->rows, row_count, err);
	for (int i = 0; i < CANDIDATES && rc == 0; i++) {
		if (!ret->loaded[i].desc)
			continue;
		give_options(ret, i, conf->plugins[ARMADA_PLUGIN_CONTAIN].values, row_count);
		rc = candidates_check(&ret->loaded[i], conf, err);
	}
	return rc;
}

void candidates_free(struct candidates *c)
{
	for (int i = 0; i < CANDIDATES; i++) {
		if (c->loaded[i].desc)
			plugin_free(&c->loaded[i]);
		free(c->values[i]);
	}
	free(c->rows);
	*c = (struct candidates){0};
}
