#include "client/jobtree.h"

#include "client/kubernetes_words.h"
#include "conf/scan.h"

#include <errno.h>
#include <libconfig.h>
#include <string.h>

struct jobtree *jobtree_add(struct jobtree *up, const char *name, unsigned line,
			    struct arena *arena)
{
	struct jobtree *t = arena_zalloc(arena, 1, sizeof(*t));

	t->line = line;
	t->name = name;
	t->up = up;
	if (!up)
		return t;
	if (up->count == up->cap) {
		struct jobtree **more;

		up->cap = up->cap ? 2 * up->cap : 4;
		more = arena_alloc(arena, up->cap * sizeof(*more));
		if (up->count)
			memcpy(more, up->items, up->count * sizeof(*more));
		up->items = more;
	}
	t->index = up->count;
	up->items[up->count++] = t;
	return t;
}

const struct jobtree *jobtree_get(const struct jobtree *map, const char *key)
{
	for (size_t i = 0; map->type == JOBTREE_MAP && i < map->count; i++)
		if (strcmp(map->items[i]->name, key) == 0)
			return map->items[i];
	return NULL;
}

void jobtree_path(const struct jobtree *t, struct buf *out)
{
	while (t->from)
		t = t->from;
	if (!t->up)
		return;
	jobtree_path(t->up, out);
	if (t->name)
		buf_addf(out, "%s%s", out->len ? "." : "", t->name);
	else
		buf_addf(out, "[%zu]", t->index);
}

/* --- libconfig ----------------------------------------------------------------------------- */

/* The depth is limited by conf_scan(). */
static void copy(const config_setting_t *from, struct jobtree *to, struct arena *arena)
{
	int count = 0;

	switch (config_setting_type(from)) {
	case CONFIG_TYPE_BOOL:
		to->type = JOBTREE_BOOL;
		to->flag = config_setting_get_bool(from);
		break;
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		to->type = JOBTREE_INT;
		to->text = arena_printf(arena, "%lld", config_setting_get_int64(from));
		break;
	case CONFIG_TYPE_FLOAT:
		to->type = JOBTREE_FLOAT;
		to->text = arena_printf(arena, "%.9g", config_setting_get_float(from));
		break;
	case CONFIG_TYPE_STRING:
		to->type = JOBTREE_TEXT;
		to->text = arena_strdup(arena, config_setting_get_string(from));
		break;
	default:
		to->type =
			config_setting_type(from) == CONFIG_TYPE_GROUP ? JOBTREE_MAP : JOBTREE_LIST;
		count = config_setting_length(from);
	}
	for (int i = 0; i < count; i++) {
		const config_setting_t *one = config_setting_get_elem(from, (unsigned)i);
		const char *name = config_setting_name(one);

		copy(one,
		     jobtree_add(to, name ? arena_strdup(arena, name) : NULL,
				 (unsigned)config_setting_source_line(one), arena),
		     arena);
	}
}

static int parse_config(const char *name, const char *text, struct arena *arena,
			struct jobtree **ret_root, struct err *err)
{
	CLEANUP_BUF struct buf safe = {0};
	config_t cfg;
	int rc = conf_scan(text, &safe, err);

	if (rc < 0)
		return err_prefix(err, rc, "%s", name);
	buf_addstr(&safe, "");
	config_init(&cfg);
	if (config_read_string(&cfg, (const char *)safe.data)) {
		*ret_root = jobtree_add(NULL, NULL, 1, arena);
		copy(config_root_setting(&cfg), *ret_root, arena);
	} else {
		rc = conf_scan_refused(name, (const char *)safe.data, config_error_line(&cfg),
				       config_error_text(&cfg), err);
	}
	config_destroy(&cfg);
	return rc;
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return len > n && strcmp(name + len - n, end) == 0;
}

int jobtree_parse(const char *name, const char *text, struct arena *arena,
		  struct jobtree **ret_root, struct err *err)
{
	bool yaml = ends_with(name, ".yaml") || ends_with(name, ".yml") || ends_with(name, ".json");

	if (yaml || text[strspn(text, " \t\r\n")] == '{' || kubernetes_is_yaml(text))
		return jobtree_parse_yaml(name, text, arena, ret_root, err);
	return parse_config(name, text, arena, ret_root, err);
}
