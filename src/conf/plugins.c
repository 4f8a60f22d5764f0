/*
 * Reads the section plugins of armada.conf, in two steps. conf_read_plugins reads the names when
 * the file is loaded. conf_plugin_options reads the options of one plugin later, when its table of
 * options is known, because the table is in the plugin itself. Output: conf->plugins; an error has
 * the line.
 */
#include "conf/private.h"
#include "conf/value.h"
#include "conf/syntax_checks.h"
#include "util/mem.h"
#include "util/nearest.h"

#include <errno.h>
#include <string.h>

enum { FIRST = ARMADA_PLUGIN_AUTH, LAST = ARMADA_PLUGIN_CONTAIN };

static int kind_of(const char *name)
{
	for (int k = FIRST; k <= LAST; k++)
		if (strcmp(conf_kinds[k].name, name) == 0)
			return k;
	return 0;
}

static int unknown_kind(const struct conf *c, const config_setting_t *s, struct err *err)
{
	const char *words[LAST];
	size_t n = 0;

	for (int k = FIRST; k <= LAST; k++)
		words[n++] = conf_kinds[k].name;
	return conf_at(c, s, conf_unknown(config_setting_name(s), words, n, err), err);
}

/* fairness = "drf"; or fairness = { name = "drf"; ... }; */
static int read_kind(struct conf *c, int kind, const config_setting_t *s, struct err *err)
{
	const config_setting_t *name = s;
	const char *text;
	int rc;

	if (config_setting_type(s) == CONFIG_TYPE_GROUP)
		name = config_setting_get_member(s, "name");
	if (name && config_setting_type(name) == CONFIG_TYPE_STRING) {
		text = config_setting_get_string(name);
		rc = check_name(text, err);
		/* The name becomes part of a file name, so a dot is not allowed. */
		if (!rc && strchr(text, '.'))
			rc = err_set(err, -EINVAL,
				     "'%.64s' is not a plugin: its name contains a dot", text);
	} else {
		rc = err_set(err, -EINVAL,
			     "expected a plugin's name in quotes, or { name = \"...\"; }");
		text = "";
	}
	if (rc < 0)
		return conf_at(c, s, rc, err);
	c->plugins[kind].name = arena_strdup(conf_priv(c)->arena, text);
	c->plugins[kind].line = (int)config_setting_source_line(s);
	conf_priv(c)->plugins[kind].setting = s;
	return 0;
}

int conf_read_plugins(struct conf *c, const config_setting_t *section, struct err *err)
{
	if (!section) {
		for (int k = FIRST; k <= LAST; k++)
			c->plugins[k].name = conf_kinds[k].def;
		return 0;
	}
	if (config_setting_type(section) != CONFIG_TYPE_GROUP)
		return conf_at(c, section, err_set(err, -EINVAL, "expected a group { ... }"), err);
	for (int i = 0; i < config_setting_length(section); i++) {
		const config_setting_t *s = config_setting_get_elem(section, (unsigned)i);
		int kind = kind_of(config_setting_name(s)), rc;

		if (!kind)
			return unknown_kind(c, s, err);
		rc = read_kind(c, kind, s, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Options that plugins had once, and what has replaced them. */
static const struct {
	const char *name, *instead;
} replaced[] = {
	{"cpu_limit", "cpu_containment = \"quota\" outside of plugins replaces it"},
};

static const char *replacement(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(replaced); i++)
		if (strcmp(replaced[i].name, key) == 0)
			return replaced[i].instead;
	return NULL;
}

static int unknown_option(const struct conf *c, const struct armada_option *rows, size_t count,
			  const config_setting_t *s, struct err *err)
{
	CLEANUP_FREE const char **words = xcalloc(count, sizeof(*words));
	const char *key = config_setting_name(s), *near;
	int rc;

	for (size_t i = 0; i < count; i++)
		words[i] = rows[i].name;
	near = nearest_word(key, words, count);
	if (replacement(key))
		rc = err_set(err, -EINVAL, "the plugin has no such option: %s", replacement(key));
	else if (near)
		rc = err_set(err, -EINVAL, "unknown option; did you mean '%s'?", near);
	else
		rc = err_set(err, -EINVAL, "the plugin has no such option");
	return conf_at(c, s, rc, err);
}

/*
 * Read the options into values, which hold the defaults. The names in a group of numbers must be resources:
 * a plugin would silently ignore a number with another name.
 */
static int read_options(struct conf *c, const config_setting_t *group,
			const struct armada_option *rows, size_t count,
			struct armada_option_value *values, struct err *err)
{
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
		struct conf_row row = {.offset = 0};
		size_t r = 0;
		int rc;

		if (strcmp(config_setting_name(s), "name") == 0)
			continue;
		while (r < count && strcmp(rows[r].name, config_setting_name(s)) != 0)
			r++;
		if (r == count)
			return unknown_option(c, rows, count, s, err);
		row.opt = rows[r];
		row.check = row.opt.type == ARMADA_OPTION_NUMBERS ? check_resource : NULL;
		rc = value_from_setting(&row.opt, s, conf_priv(c)->arena, &values[r], err);
		if (rc == 0)
			rc = value_check(&row, &values[r], err);
		if (rc < 0)
			return conf_at(c, s, rc, err);
	}
	return 0;
}

int conf_plugin_options(struct conf *c, enum armada_plugin_kind kind,
			const struct armada_option *rows, size_t count, struct err *err)
{
	struct conf_priv *p = conf_priv(c);
	const config_setting_t *s = p->plugins[kind].setting;
	struct armada_option_value *values = arena_zalloc(p->arena, count, sizeof(*values));
	int rc = 0;

	for (size_t i = 0; i < count; i++) {
		rc = option_parse(&rows[i], rows[i].def, &values[i], err);
		if (rc < 0)
			return err_prefix(err, rc, "plugin %s: default of %s",
					  c->plugins[kind].name, rows[i].name);
	}
	if (s && config_setting_type(s) == CONFIG_TYPE_GROUP)
		rc = read_options(c, s, rows, count, values, err);
	if (rc < 0)
		return err_prefix(err, rc, "plugin %s", c->plugins[kind].name);
	c->plugins[kind].values = values;
	p->plugins[kind].rows = rows;
	p->plugins[kind].count = count;
	return 0;
}
