/*
 * Reads entries of jobs. All jobs of an entry share one shape; members of a gang must agree about
 * the gang.
 *
 * Input: entries of "running" and "submit". Output: jobs, shapes and gangs of the scenario; an
 * error if running jobs do not fit on their nodes.
 */
#include "asim/rounds/jobs.h"
#include "asim/rounds/cluster.h"
#include "util/mem.h"

#include <string.h>

static bool same_job(const void *arg, uint32_t i, const void *what)
{
	return strcmp(((const struct scenario *)arg)->jobs[i].id, what) == 0;
}

static bool same_gang(const void *arg, uint32_t i, const void *what)
{
	return strcmp(((const struct scenario *)arg)->gangs[i].id, what) == 0;
}

uint32_t jobs_find(struct reader *r, const struct at *at)
{
	const char *id = doc_name(&r->doc, at);
	uint32_t i = map_find(&r->jobs, hash_text(id), same_job, r->sc, id);

	if (i == NIL)
		doc_fail(&r->doc, at, "there is no job %s up to here", id);
	return i == NIL ? 0 : i;
}

static void read_selectors(struct reader *r, const struct at *at, struct scenario_shape *s)
{
	struct at item = {0};

	s->selectors = arena_zalloc(r->arena, doc_members(&r->doc, at, "texts") + 1,
				    sizeof(*s->selectors));
	while (doc_next(&r->doc, at, &item))
		s->selectors[s->selector_count++] =
			(struct sched_selector){.key = reader_keep(r, item.key),
						.value = reader_keep(r, doc_name(&r->doc, &item))};
}

static void read_tolerations(struct reader *r, const struct at *at, struct scenario_shape *s)
{
	static const char *const keys[] = {"key", "operator", "value", "effect", NULL};
	size_t n = doc_array(&r->doc, at);

	s->tolerations = arena_zalloc(r->arena, n + 1, sizeof(*s->tolerations));
	for (size_t i = 0; i < n; i++) {
		struct at item = doc_item(at, i), key = doc_get(&item, "key"),
			  op = doc_get(&item, "operator"), value = doc_get(&item, "value"),
			  effect = doc_get(&item, "effect");
		const char *how = doc_text(&r->doc, &op, "Equal");

		doc_object(&r->doc, &item, keys);
		doc_text(&r->doc, &effect, "");
		if (strcmp(how, "Equal") != 0 && strcmp(how, "Exists") != 0)
			doc_fail(&r->doc, &op, "%s: Equal or Exists is needed here", how);
		s->tolerations[s->toleration_count++] =
			(struct sched_toleration){reader_keep(r, doc_text(&r->doc, &key, "")),
						  reader_keep(r, how),
						  reader_keep(r, doc_text(&r->doc, &value, ""))};
	}
}

/* The gang must be the same for all members. */
static void match_gang(struct reader *r, const struct at *at, const struct scenario_gang *have,
		       const struct scenario_gang *said)
{
	struct at cardinality = doc_get(at, "cardinality"), min = doc_get(at, "min"),
		  uniformity = doc_get(at, "uniformity");

	if (have->queue != said->queue)
		doc_fail(&r->doc, at, "gang %s is in queue %s", have->id,
			 r->sc->queues[have->queue].name);
	if (strcmp(have->user, said->user) != 0)
		doc_fail(&r->doc, at, "gang %s is of user '%s'", have->id, have->user);
	if (strcmp(have->account, said->account) != 0)
		doc_fail(&r->doc, at, "gang %s has account '%s'", have->id, have->account);
	if (have->scavenge != said->scavenge)
		doc_fail(&r->doc, at, "gang %s %s: its members are alike in this", have->id,
			 have->scavenge ? "scavenges" : "does not scavenge");
	if (have->cardinality != said->cardinality)
		doc_fail(&r->doc, &cardinality, "gang %s has cardinality %u", have->id,
			 have->cardinality);
	if (have->min != said->min)
		doc_fail(&r->doc, &min, "gang %s has min %u", have->id, have->min);
	if (strcmp(have->uniformity, said->uniformity) != 0)
		doc_fail(&r->doc, &uniformity, "gang %s has uniformity '%s'", have->id,
			 have->uniformity);
}

static uint32_t read_gang(struct reader *r, const struct at *at, const struct scenario_shape *s,
			  int64_t count)
{
	static const char *const keys[] = {"id", "cardinality", "min", "uniformity", NULL};
	struct at id = doc_get(at, "id"), cardinality = doc_get(at, "cardinality"),
		  min = doc_get(at, "min"), uniformity = doc_get(at, "uniformity");
	struct scenario *sc = r->sc;
	struct scenario_gang g = {.queue = s->queue,
				  .scavenge = s->scavenge,
				  .user = s->user ? s->user : "",
				  .account = s->account ? s->account : ""};
	uint32_t i;

	if (!at->value || !doc_object(&r->doc, at, keys))
		return NONE;
	g.id = reader_keep(r, doc_name(&r->doc, &id));
	g.uniformity = reader_keep(r, doc_text(&r->doc, &uniformity, ""));
	if (!cardinality.value)
		doc_fail(&r->doc, &cardinality, "how many members the gang has must be said here");
	g.cardinality = (uint32_t)doc_int(&r->doc, &cardinality, 1, 100000, 1);
	g.min = (uint32_t)doc_int(&r->doc, &min, 1, g.cardinality, g.cardinality);
	i = map_find(&r->gangs, hash_text(g.id), same_gang, sc, g.id);
	if (i == NIL) {
		GROW(sc->gangs, sc->gang_cap, sc->gang_count + 1);
		i = (uint32_t)sc->gang_count++;
		sc->gangs[i] = g;
		map_add(&r->gangs, hash_text(g.id), i);
	}
	match_gang(r, at, &sc->gangs[i], &g);
	sc->gangs[i].members += (uint32_t)count;
	if (sc->gangs[i].members > g.cardinality)
		doc_fail(&r->doc, &cardinality, "gang %s has %u members, %u are named", g.id,
			 g.cardinality, sc->gangs[i].members);
	return i;
}

static void add_job(struct reader *r, const struct at *at, const struct scenario_job *job)
{
	struct scenario *sc = r->sc;
	uint32_t hash = hash_text(job->id);

	if (map_find(&r->jobs, hash, same_job, sc, job->id) != NIL) {
		doc_fail(&r->doc, at, "there are two jobs %s", job->id);
		return;
	}
	GROW(sc->jobs, sc->job_cap, sc->job_count + 1);
	sc->jobs[sc->job_count] = *job;
	map_add(&r->jobs, hash, (uint32_t)sc->job_count++);
}

static void read_shape(struct reader *r, const struct at *at, struct scenario_shape *s)
{
	struct at queue = doc_get(at, "queue"), class = doc_get(at, "priority_class"),
		  priority = doc_get(at, "priority"), resources = doc_get(at, "resources"),
		  selectors = doc_get(at, "node_selector"),
		  tolerations = doc_get(at, "tolerations"), limit = doc_get(at, "time_limit"),
		  user = doc_get(at, "user"), account = doc_get(at, "account"),
		  scavenge = doc_get(at, "scavenge");

	s->queue = cluster_find_queue(r, &queue);
	s->user = user.value ? reader_keep(r, doc_name(&r->doc, &user)) : NULL;
	s->account = account.value ? reader_keep(r, doc_name(&r->doc, &account)) : NULL;
	s->class = cluster_find_class(r, &class);
	s->priority = doc_int(&r->doc, &priority, INT32_MIN, INT32_MAX, 0);
	s->time_limit_us = doc_duration(&r->doc, &limit, 0);
	s->scavenge = doc_bool(&r->doc, &scavenge, false);
	cluster_read_amounts(r, &resources, s->request);
	for (size_t d = 0; d < r->sc->resource_count; d++) {
		if (!(r->sc->floats >> d & 1))
			continue;
		s->licenses[d] = s->request[d];
		s->request[d] = 0;
	}
	read_selectors(r, &selectors, s);
	read_tolerations(r, &tolerations, s);
}

void jobs_read_entry(struct reader *r, const struct at *at, bool running)
{
	static const char *const keys[] = {"id",        "user",           "count",
					   "queue",     "priority_class", "priority",
					   "resources", "node_selector",  "tolerations",
					   "gang",      "time_limit",     "node",
					   "account",   "scavenge",       NULL};
	static const char *const submit_keys[] = {
		"id",         "user",      "count",         "queue",       "priority_class",
		"priority",   "resources", "node_selector", "tolerations", "gang",
		"time_limit", "account",   "scavenge",      NULL};
	struct at id = doc_get(at, "id"), count = doc_get(at, "count"), gang = doc_get(at, "gang"),
		  node = doc_get(at, "node");
	struct scenario_shape *s = arena_zalloc(r->arena, 1, sizeof(*s));
	struct scenario_job job = {.shape = s, .node = NONE};
	int64_t times = doc_int(&r->doc, &count, 1, 10000000, 1);
	const char *base;

	if (!doc_object(&r->doc, at, running ? keys : submit_keys))
		return;
	base = reader_keep(r, doc_name(&r->doc, &id));
	read_shape(r, at, s);
	if (running)
		job.node = cluster_find_node(r, &node);
	s->gang = r->doc.bad ? NONE : read_gang(r, &gang, s, times);
	for (int64_t i = 0; i < times && !r->doc.bad; i++) {
		job.id = times == 1 ? base : arena_printf(r->arena, "%s.%lld", base, (long long)i);
		add_job(r, &id, &job);
	}
}

static void check_room(struct reader *r, const struct at *at, int64_t *used,
		       const struct scenario_job *j)
{
	struct scenario *sc = r->sc;
	int64_t *row = used + (size_t)j->node * sc->resource_count;

	for (size_t d = 0; d < sc->resource_count; d++) {
		row[d] += j->shape->request[d];
		if (row[d] > sc->nodes[j->node].total[d])
			doc_fail(&r->doc, at, "node %s has no room for it: too little %s",
				 sc->nodes[j->node].name, sc->resources[d]);
	}
}

/* The running jobs fit on their nodes, and their gangs are complete. */
void jobs_check_running(struct reader *r, const struct at *running)
{
	struct scenario *sc = r->sc;
	size_t entries = doc_array(&r->doc, running), at = 0;
	int64_t *used =
		arena_zalloc(r->arena, sc->node_count * sc->resource_count + 1, sizeof(*used));

	for (size_t i = 0; i < entries && !r->doc.bad; i++) {
		struct at item = doc_item(running, i), node = doc_get(&item, "node"),
			  count = doc_get(&item, "count"), gang = doc_get(&item, "gang");
		int64_t times = doc_int(&r->doc, &count, 1, 10000000, 1);
		uint32_t g = sc->jobs[at].shape->gang;

		if (g != NONE && sc->gangs[g].members < sc->gangs[g].min)
			doc_fail(&r->doc, &gang, "gang %s runs with %u members, and needs %u",
				 sc->gangs[g].id, sc->gangs[g].members, sc->gangs[g].min);
		for (int64_t k = 0; k < times && !r->doc.bad; k++)
			check_room(r, &node, used, &sc->jobs[at++]);
	}
}
