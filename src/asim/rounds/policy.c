/*
 * The policy plugins of a scenario, and the limits of a round.
 *
 * Input: the keys "policy" and "limits" of the document, and the configuration, which has what the
 * document does not say. Output: loaded plugins with their options, and the limits. The option rows
 * of each plugin say which options the document may set.
 */
#include "asim/rounds/policy.h"
#include "asim/rounds/cluster.h"
#include "asim/rounds/site.h"
#include "conf/tables.h"
#include "util/buf.h"
#include "util/mem.h"

#include <dirent.h>
#include <float.h>
#include <string.h>

static const enum armada_plugin_kind policies[POLICIES] = {
	ARMADA_PLUGIN_FAIRNESS, ARMADA_PLUGIN_ORDER, ARMADA_PLUGIN_PREEMPT, ARMADA_PLUGIN_SELECT};

/* Numbers for resources: a name that no node declares is an error. */
static void read_pairs(struct reader *r, const struct armada_option *o, const struct at *at,
		       struct armada_option_value *v)
{
	double max = o->max > 0 ? o->max : DBL_MAX;
	size_t n = doc_members(&r->doc, at, "numbers");
	struct armada_option_pair *pairs = arena_zalloc(r->arena, n + 1, sizeof(*pairs));
	struct at item = {0};

	v->pairs = pairs;
	v->count = 0;
	while (doc_next(&r->doc, at, &item)) {
		cluster_find_resource(r, &item);
		pairs[v->count].name = reader_keep(r, item.key);
		pairs[v->count++].value = doc_number(&r->doc, &item, o->min, max, 0);
	}
}

static void read_choice(struct reader *r, const struct armada_option *o, const struct at *at,
			struct armada_option_value *v)
{
	const char *text = reader_keep(r, doc_text(&r->doc, at, ""));
	CLEANUP_FREE char *words = xstrdup(o->choices);
	char *rest = words, *word;
	int64_t i = 0;

	for (; (word = strsep(&rest, "|")); i++) {
		if (strcmp(word, text) != 0)
			continue;
		v->i = i;
		v->s = text;
		return;
	}
	doc_fail(&r->doc, at, "one of %s is needed here", o->choices);
}

/* As in armada.conf: the range is in microseconds. */
static int64_t read_duration(struct reader *r, const struct armada_option *o, const struct at *at)
{
	int64_t us = doc_duration(&r->doc, at, 0);

	if (o->min < o->max && ((double)us < o->min || (double)us > o->max))
		doc_fail(&r->doc, at, "a duration from %gs to %gs is needed here", o->min / 1e6,
			 o->max / 1e6);
	return us;
}

static void read_option(struct reader *r, const struct armada_option *o, const struct at *at,
			struct armada_option_value *v)
{
	bool ranged = o->min < o->max || o->max > 0;
	double min = ranged ? o->min : -1e18, max = ranged ? o->max : 1e18;

	v->set = true;
	if (o->type == ARMADA_OPTION_BOOL)
		v->i = doc_bool(&r->doc, at, false);
	else if (o->type == ARMADA_OPTION_INT)
		v->i = doc_int(&r->doc, at, (int64_t)min, (int64_t)max, 0);
	else if (o->type == ARMADA_OPTION_DOUBLE)
		v->d = doc_number(&r->doc, at, min, max, 0);
	else if (o->type == ARMADA_OPTION_STRING)
		v->s = reader_keep(r, doc_text(&r->doc, at, ""));
	else if (o->type == ARMADA_OPTION_DURATION)
		v->i = read_duration(r, o, at);
	else if (o->type == ARMADA_OPTION_CHOICE)
		read_choice(r, o, at, v);
	else if (o->type == ARMADA_OPTION_NUMBERS)
		read_pairs(r, o, at, v);
	else
		doc_fail(&r->doc, at, "an option of this type is not taken here");
}

static void read_options(struct reader *r, struct plugin *p, const struct at *at)
{
	const struct armada_plugin *d = p->desc;
	const char **names = arena_zalloc(r->arena, d->option_count + 1, sizeof(*names));
	struct armada_option_value *values;

	for (size_t i = 0; i < d->option_count; i++)
		names[i] = d->options[i].name;
	if (!at->value || !doc_object(&r->doc, at, names))
		return;
	values = arena_memdup(r->arena, p->values, d->option_count * sizeof(*values));
	for (size_t i = 0; i < d->option_count; i++) {
		struct at v = doc_get(at, names[i]);

		if (v.value)
			read_option(r, &d->options[i], &v, &values[i]);
	}
	plugin_set_values(p, values);
}

/* The available plugins of a kind, for an error message. */
static void list_plugins(const char *dir, const char *kind, struct buf *out)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, NULL, alphasort);
	size_t len = strlen(kind);

	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name, *dot = strrchr(name, '.');

		if (strncmp(name, kind, len) == 0 && name[len] == '_' && dot &&
		    strcmp(dot, ".so") == 0)
			buf_addf(out, "%s%.*s", out->len ? ", " : "", (int)(dot - name - len) - 1,
				 name + len + 1);
		free(list[i]);
	}
	free(list);
}

/* The options that armada.conf gives to the plugin that it names. */
static void take_values(struct reader *r, struct plugin *p, enum armada_plugin_kind kind)
{
	struct conf *conf = r->sc->conf;
	struct err err = {""};

	if (strcmp(p->desc->name, conf->plugins[kind].name) != 0)
		return;
	if (conf_plugin_options(conf, kind, p->desc->options, p->desc->option_count, &err) < 0)
		doc_fail(&r->doc, NULL, "%s", err.text);
	else
		plugin_set_values(p, conf->plugins[kind].values);
}

static void load(struct reader *r, const struct at *at, size_t i)
{
	struct conf *conf = r->sc->conf;
	const char *name = doc_text(&r->doc, at, conf->plugins[policies[i]].name);
	const char *dir = r->plugin_dir ? r->plugin_dir : conf->plugin_dir;
	CLEANUP_BUF struct buf b = {0};
	struct err err = {""};

	if (r->doc.bad)
		return;
	if (plugin_load(&r->sc->plugins[i], dir, policies[i], name, &err) == 0) {
		take_values(r, &r->sc->plugins[i], policies[i]);
		return;
	}
	list_plugins(dir, conf_kinds[policies[i]].name, &b);
	doc_fail(&r->doc, at, "%s; there are %s", err.text, b.len ? (const char *)b.data : "none");
}

void policy_read(struct reader *r, const struct at *root)
{
	static const char *const keys[] = {"fairness", "order",   "preempt",
					   "select",   "options", NULL};
	static const char *const kinds[] = {"fairness", "order", "preempt", "select", NULL};
	struct at policy = doc_get(root, "policy"), options = doc_get(&policy, "options");

	if (policy.value)
		doc_object(&r->doc, &policy, keys);
	if (options.value)
		doc_object(&r->doc, &options, kinds);
	for (size_t i = 0; i < POLICIES; i++) {
		const char *kind = conf_kinds[policies[i]].name;
		struct at o = doc_get(&options, kind), name = doc_get(&policy, kind);

		load(r, &name, i);
		if (!r->doc.bad)
			read_options(r, &r->sc->plugins[i], &o);
	}
}

static void read_rate(struct reader *r, const struct at *limits, const char *rate,
		      const char *burst, struct sched_rate *ret)
{
	struct at a = doc_get(limits, rate), b = doc_get(limits, burst);

	ret->rate = doc_number(&r->doc, &a, 0, 1e12, 0);
	ret->burst = doc_number(&r->doc, &b, 1, 1e12, 0);
	if (a.value && !b.value)
		doc_fail(&r->doc, &a, "a rate needs its burst: say %s too", burst);
	if (b.value && !a.value)
		doc_fail(&r->doc, &b, "a burst needs its rate: say %s too", rate);
}

void policy_read_limits(struct reader *r, const struct at *root)
{
	static const char *const keys[] = {"max_jobs_per_round",
					   "max_resource_fraction_per_round",
					   "rate",
					   "burst",
					   "queue_rate",
					   "queue_burst",
					   "queue_lookback",
					   NULL};
	struct sched_limits *l = &r->sc->limits;
	struct at at = doc_get(root, "limits"), jobs = doc_get(&at, keys[0]);
	struct at part = doc_get(&at, keys[1]), look = doc_get(&at, "queue_lookback");

	site_limits(r);
	if (!at.value || !doc_object(&r->doc, &at, keys))
		return;
	l->jobs_per_round = (uint64_t)doc_int(&r->doc, &jobs, 1, UINT32_MAX, 0);
	cluster_read_fraction(r, &part, &l->per_round);
	read_rate(r, &at, "rate", "burst", &l->rate);
	read_rate(r, &at, "queue_rate", "queue_burst", &l->queue_rate);
	l->queue_lookback = (uint64_t)doc_int(&r->doc, &look, 1, UINT32_MAX, 0);
}
