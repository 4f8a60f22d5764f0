/*
 * Prints the effective configuration (armctld --show-config). Input: a struct conf. Output: text in
 * the syntax of armada.conf, in the order of the tables; values that the file does not set are
 * marked "# default", or left out with `changed`. Loading the output gives the same configuration.
 */
#include "conf/private.h"
#include "conf/value.h"

#include <errno.h>
#include <string.h>

static void put_row(const struct armada_option *row, const struct armada_option_value *v, bool set,
		    const char *indent, struct buf *out)
{
	buf_addf(out, "%s%s = ", indent, row->name);
	value_print(row, v, out);
	buf_addstr(out, set ? ";\n" : "; # default\n");
}

static void put_rows(const struct conf_row *rows, size_t count, const void *from, const bool *set,
		     bool changed, const char *indent, struct buf *out)
{
	for (size_t i = 0; i < count; i++) {
		struct armada_option_value v = value_fetch(&rows[i], from);

		if (rows[i].shorthand || (!set[i] && (rows[i].none || changed)))
			continue;
		put_row(&rows[i].opt, &v, set[i], indent, out);
	}
}

/* A list whose entries are members of a group. */
static void put_keyed(const struct conf *c, size_t index, bool changed, struct buf *out)
{
	const struct conf_list *l = &conf_lists[index];
	const char *structs = *(const char *const *)((const char *)c + l->offset);
	size_t count = *(const size_t *)((const char *)c + l->count_offset);
	const bool *set = conf_priv(c)->list_set[index];

	buf_addf(out, "%s = {%s", l->name, count ? "\n" : "");
	for (size_t i = 0; i < count; i++) {
		const char *at = structs + i * l->size;

		buf_addf(out, "\t%s = {\n", *(const char *const *)(at + l->rows[0].offset));
		put_rows(l->rows + 1, l->count - 1, at, set + i * l->count + 1, changed, "\t\t",
			 out);
		buf_addstr(out, "\t};\n");
	}
	buf_addf(out, "};%s\n", conf_priv(c)->listed[index] ? "" : " # default");
}

static void put_list(const struct conf *c, size_t index, bool changed, struct buf *out)
{
	const struct conf_list *l = &conf_lists[index];
	const char *structs = *(const char *const *)((const char *)c + l->offset);
	size_t count = *(const size_t *)((const char *)c + l->count_offset);
	const bool *set = conf_priv(c)->list_set[index];

	if (changed && !conf_priv(c)->listed[index])
		return;
	if (l->keyed) {
		put_keyed(c, index, changed, out);
		return;
	}
	buf_addf(out, "%s = (%s", l->name, count ? "\n" : "");
	for (size_t i = 0; i < count; i++) {
		buf_addstr(out, "\t{\n");
		put_rows(l->rows, l->count, structs + i * l->size, set + i * l->count, changed,
			 "\t\t", out);
		buf_addf(out, "\t}%s\n", i + 1 < count ? "," : "");
	}
	buf_addf(out, ");%s\n", conf_priv(c)->listed[index] ? "" : " # default");
}

/* Print a setting as it was written, for options of plugins that were not loaded. */
static void put_setting(const config_setting_t *s, struct buf *out)
{
	static const char *const brackets[] = {
		[CONFIG_TYPE_GROUP] = "{}", [CONFIG_TYPE_ARRAY] = "[]", [CONFIG_TYPE_LIST] = "()"};
	int type = config_setting_type(s);
	const struct armada_option number = {.type = ARMADA_OPTION_DOUBLE};
	struct armada_option_value v = {.d = config_setting_get_float(s)};

	switch (type) {
	case CONFIG_TYPE_STRING:
		print_quoted(config_setting_get_string(s), out);
		return;
	case CONFIG_TYPE_BOOL:
		buf_addstr(out, config_setting_get_bool(s) ? "true" : "false");
		return;
	case CONFIG_TYPE_FLOAT:
		value_print(&number, &v, out);
		return;
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		buf_addf(out, "%lld", config_setting_get_int64(s));
		return;
	default:
		break;
	}
	buf_addc(out, brackets[type][0]);
	for (int i = 0; i < config_setting_length(s); i++) {
		const config_setting_t *e = config_setting_get_elem(s, (unsigned)i);

		if (type == CONFIG_TYPE_GROUP)
			buf_addf(out, " %s = ", config_setting_name(e));
		else if (i)
			buf_addstr(out, ", ");
		put_setting(e, out);
		buf_addstr(out, type == CONFIG_TYPE_GROUP ? ";" : "");
	}
	buf_addf(out, "%s%c", type == CONFIG_TYPE_GROUP ? " " : "", brackets[type][1]);
}

void conf_show_plugin(const struct conf *c, int kind, struct buf *out)
{
	const config_setting_t *s = conf_priv(c)->plugins[kind].setting;

	if (s)
		put_setting(s, out);
	else
		print_quoted(c->plugins[kind].name, out);
}

static void put_plugin(const struct conf *c, int kind, bool changed, struct buf *out)
{
	const struct conf_plugin *plugin = &c->plugins[kind];
	const struct conf_priv *p = conf_priv(c);
	const config_setting_t *s = p->plugins[kind].setting;

	if (changed && !s)
		return;
	buf_addf(out, "\t%s = ", conf_kinds[kind].name);
	if (plugin->values) {
		buf_addstr(out, "{\n\t\tname = ");
		print_quoted(plugin->name, out);
		buf_addstr(out, s ? ";\n" : "; # default\n");
		for (size_t i = 0; i < p->plugins[kind].count; i++)
			if (plugin->values[i].set || !changed)
				put_row(&p->plugins[kind].rows[i], &plugin->values[i],
					plugin->values[i].set, "\t\t", out);
		buf_addstr(out, "\t};\n");
	} else {
		conf_show_plugin(c, kind, out);
		buf_addstr(out, s ? ";\n" : "; # default\n");
	}
}

/* Adds a group with these contents; an empty one only if all values are shown. */
static void put_group(const char *name, const struct buf *body, bool changed, struct buf *out)
{
	if (changed && !body->len)
		return;
	buf_addf(out, "%s = {\n", name);
	buf_add(out, body->data, body->len);
	buf_addstr(out, "};\n");
}

void conf_show(const struct conf *c, bool changed, struct buf *out)
{
	const struct conf_priv *p = conf_priv(c);
	CLEANUP_BUF struct buf body = {0};

	buf_addf(out, "# %s\n", c->file);
	for (size_t i = 0; i < CONF_SECTIONS; i++) {
		const struct conf_section *s = &conf_sections[i];

		buf_clear(&body);
		put_rows(s->rows, s->count, c, p->set[i], changed, s->name ? "\t" : "",
			 s->name ? &body : out);
		if (s->name)
			put_group(s->name, &body, changed, out);
	}
	for (size_t i = 0; i < CONF_LISTS; i++)
		put_list(c, i, changed, out);
	buf_clear(&body);
	for (int k = ARMADA_PLUGIN_AUTH; k <= ARMADA_PLUGIN_CONTAIN; k++)
		put_plugin(c, k, changed, &body);
	put_group("plugins", &body, changed, out);
}

int conf_show_read(const char *value, bool *ret_changed, struct err *err)
{
	*ret_changed = value && strcmp(value, "changed") == 0;
	if (!value || *ret_changed || strcmp(value, "all") == 0)
		return 0;
	return err_set(err, -EINVAL, "'%s' must be all or changed", value);
}
