/*
 * Reads a scenario from its document: the cluster, then policies and limits, then the running jobs,
 * then the rounds, because each part refers to the parts before it. The first error is kept and
 * ends the reading.
 */
#include "asim/rounds/scenario.h"
#include "asim/rounds/cluster.h"
#include "asim/rounds/jobs.h"
#include "asim/rounds/limits.h"
#include "asim/rounds/policy.h"
#include "asim/rounds/site.h"

#include <errno.h>

static const struct {
	const char *key;
	bool of_nodes;
} acts[ACTS] = {
	[ACT_FINISH] = {"finish", false},          [ACT_CANCEL] = {"cancel", false},
	[ACT_REMOVE_NODE] = {"remove_node", true}, [ACT_CORDON] = {"cordon", true},
	[ACT_UNCORDON] = {"uncordon", true},
};

/* A node that exists, and was not removed in this round or before. */
static uint32_t read_act_node(struct reader *r, const struct at *item, size_t act)
{
	uint32_t node = cluster_find_node(r, item);

	if (r->doc.bad)
		return node;
	if (r->removed[node])
		doc_fail(&r->doc, item, "node %s was removed before", r->sc->nodes[node].name);
	r->removed[node] = r->removed[node] || act == ACT_REMOVE_NODE;
	return node;
}

static void read_acts(struct reader *r, const struct at *round, struct scenario_round *out)
{
	for (size_t a = 0; a < ACTS; a++) {
		struct at list = doc_get(round, acts[a].key), item = {0};
		size_t n = doc_array(&r->doc, &list);

		out->acts[a] = arena_zalloc(r->arena, n + 1, sizeof(*out->acts[a]));
		while (doc_next(&r->doc, &list, &item))
			out->acts[a][out->act_counts[a]++] =
				acts[a].of_nodes ? read_act_node(r, &item, a) : jobs_find(r, &item);
	}
}

static void read_round(struct reader *r, const struct at *at, struct scenario_round *out)
{
	static const char *const keys[] = {"advance",     "submit",   "finish",
					   "cancel",      "cordon",   "uncordon",
					   "remove_node", "floating", NULL};
	struct at advance = doc_get(at, "advance"), submit = doc_get(at, "submit"),
		  floating = doc_get(at, "floating"), item = {0};

	if (!doc_object(&r->doc, at, keys))
		return;
	out->advance_us = doc_duration(&r->doc, &advance, 0);
	read_acts(r, at, out);
	cluster_read_totals(r, &floating, &out->floating);
	out->first_job = (uint32_t)r->sc->job_count;
	doc_array(&r->doc, &submit);
	while (doc_next(&r->doc, &submit, &item))
		jobs_read_entry(r, &item, false);
	out->job_count = (uint32_t)r->sc->job_count - out->first_job;
}

static void read_rounds(struct reader *r, const struct at *root)
{
	struct at list = doc_get(root, "rounds"), item = {0};
	size_t n = doc_array(&r->doc, &list);

	if (!list.value)
		doc_fail(&r->doc, &list, "the rounds to run must be said here");
	r->sc->rounds = arena_zalloc(r->arena, n + 1, sizeof(*r->sc->rounds));
	r->removed = arena_zalloc(r->arena, r->sc->node_count + 1, sizeof(*r->removed));
	while (doc_next(&r->doc, &list, &item))
		read_round(r, &item, &r->sc->rounds[r->sc->round_count++]);
}

static void read_running(struct reader *r, const struct at *root)
{
	struct at list = doc_get(root, "running"), item = {0};

	doc_array(&r->doc, &list);
	while (doc_next(&r->doc, &list, &item))
		jobs_read_entry(r, &item, true);
	r->sc->running_count = r->sc->job_count;
	if (!r->doc.bad)
		jobs_check_running(r, &list);
}

static void read_document(struct reader *r)
{
	static const char *const keys[] = {"policy",
					   "drop_queued",
					   "limits",
					   "priority_classes",
					   "default_priority_class",
					   "user_limits",
					   "users",
					   "accounts",
					   "nodes",
					   "floating",
					   "queues",
					   "running",
					   "rounds",
					   NULL};
	struct at root = {.value = r->doc.root}, drop = doc_get(&root, "drop_queued");

	if (!doc_object(&r->doc, &root, keys))
		return;
	site_check_keys(r, &root);
	r->sc->drop_queued = doc_bool(&r->doc, &drop, false);
	cluster_read(r, &root);
	policy_read(r, &root);
	policy_read_limits(r, &root);
	limits_read_users(r, &root);
	limits_read_accounts(r, &root);
	if (!r->doc.bad)
		read_running(r, &root);
	if (!r->doc.bad)
		read_rounds(r, &root);
}

/* The document is loaded. */
static int read_scenario(struct reader *r, struct scenario *sc, const struct scenario_source *from)
{
	int rc = site_load(sc, from->config, r->doc.err);

	r->sc = sc;
	r->arena = sc->arena = arena_new(0);
	r->plugin_dir = from->plugin_dir;
	if (rc == 0)
		read_document(r);
	doc_done(&r->doc);
	map_done(&r->nodes);
	map_done(&r->jobs);
	map_done(&r->gangs);
	map_done(&r->queues);
	return rc < 0 ? rc : r->doc.bad ? -EINVAL : 0;
}

int scenario_load(struct scenario *sc, const char *file, const struct scenario_source *from,
		  struct err *err)
{
	struct reader r = {0};
	int rc = doc_load(&r.doc, file, err);

	*sc = (struct scenario){0};
	return rc ? rc : read_scenario(&r, sc, from);
}

int scenario_parse(struct scenario *sc, const char *text, size_t len,
		   const struct scenario_source *from, struct err *err)
{
	struct reader r = {0};
	int rc = doc_parse(&r.doc, text, len, err);

	*sc = (struct scenario){0};
	return rc ? rc : read_scenario(&r, sc, from);
}

void scenario_done(struct scenario *sc)
{
	for (size_t i = 0; i < POLICIES; i++)
		if (sc->plugins[i].desc)
			plugin_free(&sc->plugins[i]);
	free(sc->gangs);
	free(sc->jobs);
	conf_free(sc->conf); /* after the plugins, whose values it has */
	arena_free(sc->arena);
}
