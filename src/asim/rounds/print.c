/*
 * Prints a round as one line of JSON.
 *
 * Input: the outcome of the round and the present state. Output: the jobs that were scheduled,
 * preempted or failed, the waiting jobs with their reasons, and the shares of queues and the use of
 * nodes after the round.
 */
#include "asim/rounds/print.h"
#include "sched/usage_history.h"
#include "util/mem.h"

#include <jansson.h>
#include <string.h>

/* Cores as a number, an integer if it is whole; memory in bytes, others in units. */
static json_t *amount(size_t resource, int64_t v)
{
	if (resource == 0 && v % 1000)
		return json_real((double)v / 1000);
	return json_integer(resource == 0 ? v / 1000 : v);
}

static json_t *amounts(const struct scenario *sc, const int64_t *row)
{
	json_t *o = json_object();

	for (size_t d = 0; d < sc->resource_count; d++)
		if (row[d])
			json_object_set_new(o, sc->resources[d], amount(d, row[d]));
	return o;
}

static json_t *placed(const struct play *p, uint32_t job)
{
	return json_pack("{s:s, s:s}", "id", p->sc->jobs[job].id, "node",
			 p->sc->nodes[p->jobs[job].node].name);
}

static json_t *list_scheduled(const struct play *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->out.scheduled_count; i++)
		json_array_append_new(list, placed(p, p->out.scheduled[i]));
	return list;
}

static json_t *list_preempted(const struct play *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->out.preempted_count; i++) {
		json_t *o = placed(p, p->out.preempted[i]);

		json_object_set_new(o, "why", json_string(p->out.why[i]));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *list_failed(const struct play *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->out.failed_count; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "id",
						      p->sc->jobs[p->out.failed[i]].id, "why",
						      "gang minimum met without it"));
	return list;
}

static const char *why(const struct play *p, uint32_t job)
{
	if (p->jobs[job].unit == NONE && p->sc->jobs[job].shape->gang != NONE)
		return "waits for the rest of its gang";
	return p->jobs[job].why ? p->jobs[job].why : "not reached in this round";
}

static json_t *list_queued(const struct play *p)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < p->sc->job_count; i++)
		if (p->jobs[i].state == JOB_QUEUED)
			json_array_append_new(list, json_pack("{s:s, s:s}", "id", p->sc->jobs[i].id,
							      "why", why(p, i)));
	return list;
}

/* The use of the running jobs, summed up in rows: of queues or of nodes. */
static int64_t *sum_rows(const struct play *p, bool of_nodes)
{
	const struct scenario *sc = p->sc;
	size_t n = of_nodes ? sc->node_count : sc->queue_count, dims = sc->resource_count;
	int64_t *rows = xcalloc(n * dims + 1, sizeof(*rows));

	for (uint32_t i = 0; i < sc->job_count; i++) {
		const struct scenario_shape *s = sc->jobs[i].shape;
		size_t at = of_nodes ? p->jobs[i].node : s->queue;

		for (size_t d = 0; p->jobs[i].state == JOB_RUNNING && d < dims; d++)
			rows[at * dims + d] += s->request[d] + (of_nodes ? 0 : s->licenses[d]);
	}
	return rows;
}

static json_t *show_queues(const struct play *p, const struct sched_result *result)
{
	const struct scenario *sc = p->sc;
	CLEANUP_FREE int64_t *rows = sum_rows(p, false);
	json_t *all = json_object();

	for (size_t q = 0; q < sc->queue_count; q++) {
		struct sched_share share = {.weight = 1 / sc->queues[q].factor};

		for (size_t i = 0; i < result->share_count; i++)
			if (strcmp(result->shares[i].queue, sc->queues[q].name) == 0)
				share = result->shares[i];
		json_t *shown = json_pack("{s:f, s:f, s:f, s:f, s:o}", "cost",
					  sched_queue_cost(p->sched, sc->queues[q].name), "weight",
					  share.weight, "fair_share", share.fair,
					  "adjusted_fair_share", share.capped, "allocated",
					  amounts(sc, rows + q * sc->resource_count));

		if (sched_has_history(p->sched))
			json_object_set_new(shown, "priority",
					    json_real(sched_queue_history(
						    p->sched, sc->queues[q].name, p->now_us)));
		json_object_set_new(all, sc->queues[q].name, shown);
	}
	return all;
}

/*
 * A gang is named by its last member. The start is the latest one, in seconds from the beginning.
 */
static json_t *show_reservation(const struct play *p, const struct sched_reservation *v)
{
	json_t *nodes = json_object();

	for (size_t i = 0; i < v->node_count; i++)
		json_object_set_new(nodes, v->nodes[i].name, json_integer(v->nodes[i].members));
	return json_pack("{s:s, s:f, s:o}", "id", p->sc->jobs[v->job - 1].id, "start",
			 (double)((v->start_us + 500) / 1000) / 1e3, "nodes", nodes);
}

static json_t *show_nodes(const struct play *p)
{
	const struct scenario *sc = p->sc;
	CLEANUP_FREE int64_t *rows = sum_rows(p, true);
	json_t *all = json_object();

	for (size_t n = 0; n < sc->node_count; n++)
		if (!p->nodes[n].removed)
			json_object_set_new(all, sc->nodes[n].name,
					    json_pack("{s:o}", "allocated",
						      amounts(sc, rows + n * sc->resource_count)));
	return all;
}

void print_round(struct play *p, size_t round, const struct sched_result *result, int64_t micros,
		 FILE *out)
{
	json_t *o = json_object();

	json_object_set_new(o, "round", json_integer((json_int_t)round));
	json_object_set_new(o, "scheduled", list_scheduled(p));
	json_object_set_new(o, "preempted", list_preempted(p));
	json_object_set_new(o, "failed", list_failed(p));
	json_object_set_new(o, "queued", list_queued(p));
	if (result->reservation)
		json_object_set_new(o, "reservation", show_reservation(p, result->reservation));
	json_object_set_new(o, "queues", show_queues(p, result));
	json_object_set_new(o, "nodes", show_nodes(p));
	json_object_set_new(o, "micros", json_integer(micros));
	json_dumpf(o, out, JSON_REAL_PRECISION(15));
	fputc('\n', out);
	json_decref(o);
}
