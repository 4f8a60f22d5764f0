/*
 * The numbers of the cluster as metrics (metrics.h). Input: replies to requests that the gateway makes as its
 * own user. Output: families with their samples, each family once and whole. The number of series is bounded:
 * the busiest queues have series of their own, and the others are summed under the name OTHER.
 */
#include "armrestd/metrics.h"

#include "armrestd/metric_table.h"
#include "armrestd/rest.h"
#include "cmd/listing/node_rows.h"
#include "proto/round_end.h"
#include "util/clock.h"
#include "util/mem.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	FRESH_US = 1000000,
	QUEUES_MOST = 50, /* further queues have a row together */
	SECOND_US = 1000000,
	STATES = 6,
	KINDS_MOST = 16,
	NAME_ROOM = 128
};

enum metric {
#define X(METRIC, name, type, unit, label, help) METRIC_##METRIC,
	METRIC_TABLE(X)
#undef X
};

enum metric_type { METRIC_TYPE_COUNTER, METRIC_TYPE_GAUGE };

static const struct metric_info {
	const char *name;
	enum metric_type type;
	const char *help;
} metrics_info[] = {
#define X(METRIC, name, type, unit, label, help)                                                   \
	[METRIC_##METRIC] = {"armada_" name, METRIC_TYPE_##type, help},
	METRIC_TABLE(X)
#undef X
};

struct metrics {
	struct rest *rest;
	struct connection *c;
	pthread_mutex_t mutex;
	struct buf text[2]; /* plain, OpenMetrics */
	int64_t at_us;      /* when they were made; 0: never */
};

/* What is printed, while it is made. */
struct page {
	struct buf *out;
	bool openmetrics;
	const char *name;
};

/* The label of all queues that have no series of their own. */
#define OTHER "(other)"

struct numbers {
	const Armada__PingReply *ping;
	const Armada__RoundReply *round;
	const Armada__PropertiesReply *properties;
	const Armada__ListQueuesReply *queues;
	const Armada__ListNodesReply *nodes;
	const Armada__LimitsReply *limits;
	const Armada__CountersReply *counters;
};

struct metrics *metrics_new(struct rest *rest)
{
	struct metrics *m = xcalloc(1, sizeof(*m));

	m->rest = rest;
	m->c = connection_like(rest->own);
	pthread_mutex_init(&m->mutex, NULL);
	return m;
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	connection_free(m->c);
	pthread_mutex_destroy(&m->mutex);
	buf_done(&m->text[0]);
	buf_done(&m->text[1]);
	free(m);
}

/* The name of a counter ends in _total; in OpenMetrics that of its family does not. */
static void family(struct page *p, const char *name, bool counter, const char *help)
{
	size_t len = strlen(name) - (counter && p->openmetrics ? strlen("_total") : 0);

	buf_addf(p->out, "# HELP %.*s %s\n# TYPE %.*s %s\n", (int)len, name, help, (int)len, name,
		 counter ? "counter" : "gauge");
	p->name = name;
}

static void label_value(struct buf *out, const char *value)
{
	buf_addc(out, '"');
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			buf_addc(out, '\\');
		if (*value == '\n')
			buf_addstr(out, "\\n");
		else
			buf_addc(out, *value);
	}
	buf_addc(out, '"');
}

static void number(struct page *p, double value)
{
	if (isnan(value))
		buf_addstr(p->out, " NaN\n");
	else if (isinf(value))
		buf_addf(p->out, " %sInf\n", value < 0 ? "-" : "+");
	else
		buf_addf(p->out, " %.15g\n", value);
}

/* A sample with up to two labels; NULL: none. */
static void sample2(struct page *p, const char *label, const char *value, const char *label2,
		    const char *value2, double v)
{
	buf_addstr(p->out, p->name);
	if (label) {
		buf_addf(p->out, "{%s=", label);
		label_value(p->out, value);
		if (label2) {
			buf_addf(p->out, ",%s=", label2);
			label_value(p->out, value2);
		}
		buf_addc(p->out, '}');
	}
	number(p, v);
}

static void sample(struct page *p, const char *label, const char *value, double v)
{
	sample2(p, label, value, NULL, NULL, v);
}

static void begin(struct page *p, enum metric metric)
{
	const struct metric_info *m = &metrics_info[metric];

	family(p, m->name, m->type == METRIC_TYPE_COUNTER, m->help);
}

static void single(struct page *p, enum metric metric, double v)
{
	begin(p, metric);
	sample(p, NULL, NULL, v);
}

static void print_cluster(struct page *p, const Armada__PingReply *r)
{
	begin(p, METRIC_CLUSTER);
	sample2(p, "cluster", r->cluster, "release", r->release, 1);
	single(p, METRIC_START_TIME, (double)r->started_us / SECOND_US);
	single(p, METRIC_EPOCH, (double)r->epoch);
	single(p, METRIC_LOG_RECORDS, (double)r->log_seq);
	single(p, METRIC_JOBS, (double)r->jobs);
	begin(p, METRIC_ELEMENTS);
	sample(p, "state", "pending", (double)r->waiting);
	sample(p, "state", "running", (double)r->running);
	single(p, METRIC_STALE, (double)r->stale);
	single(p, METRIC_PROBLEM, r->problem[0] != '\0');
	single(p, METRIC_NOT_LIMITED, r->nodes_not_limited);
	single(p, METRIC_CPUS_WEAKER, r->nodes_cpus_weaker);
}

static void print_round(struct page *p, const Armada__Round *r)
{
	single(p, METRIC_ROUND_START, (double)r->start_us / SECOND_US);
	single(p, METRIC_ROUND_DURATION, (double)r->took_us / SECOND_US);
	begin(p, METRIC_ROUND_END);
	for (int i = 0; i < ROUND_ENDS; i++) {
		const char *end = round_end_name((enum round_end)i);

		sample(p, "end", end, strcmp(r->end, end) == 0);
	}
	single(p, METRIC_ROUND_STARTED, (double)r->started);
	single(p, METRIC_ROUND_PREEMPTED, (double)r->preempted);
	single(p, METRIC_ROUND_REFUSED, (double)r->refused);
}

static int by_load(const void *a, const void *b)
{
	const Armada__QueueRow *x = *(Armada__QueueRow *const *)a,
			       *y = *(Armada__QueueRow *const *)b;
	uint64_t m = x->waiting + x->running, n = y->waiting + y->running;

	return m != n ? (m < n ? 1 : -1) : strcmp(x->spec->name, y->spec->name);
}

static void print_queues(struct page *p, const Armada__ListQueuesReply *r)
{
	CLEANUP_FREE Armada__QueueRow **list = xcalloc(r->n_queues + 1, sizeof(*list));
	size_t shown = r->n_queues < QUEUES_MOST ? r->n_queues : QUEUES_MOST;

	if (r->n_queues)
		memcpy(list, r->queues, r->n_queues * sizeof(*list));
	qsort(list, r->n_queues, sizeof(*list), by_load);
	for (int running = 0; running < 2; running++) {
		uint64_t others = 0;

		begin(p, running ? METRIC_QUEUE_RUNNING : METRIC_QUEUE_PENDING);
		for (size_t i = 0; i < r->n_queues; i++) {
			uint64_t n = running ? list[i]->running : list[i]->waiting;

			if (i < shown)
				sample(p, "queue", list[i]->spec->name, (double)n);
			else
				others += n;
		}
		if (shown < r->n_queues)
			sample(p, "queue", OTHER, (double)others);
	}
	single(p, METRIC_QUEUES, (double)r->n_queues);
}

static double cost_of(const Armada__QueueShare *s)
{
	return s->cost_after;
}

static double fair_of(const Armada__QueueShare *s)
{
	return s->fair;
}

static double entitled_of(const Armada__QueueShare *s)
{
	return s->capped;
}

static double preempted_of(const Armada__QueueShare *s)
{
	return (double)s->preempted;
}

static int by_share(const void *a, const void *b)
{
	const Armada__QueueShare *x = *(Armada__QueueShare *const *)a,
				 *y = *(Armada__QueueShare *const *)b;

	if (x->cost_after != y->cost_after)
		return x->cost_after < y->cost_after ? 1 : -1;
	return strcmp(x->queue, y->queue);
}

/* The queues of the round that use most; a round has those that have jobs. */
static void print_shares(struct page *p, const Armada__Round *r)
{
	static const struct {
		enum metric metric;
		double (*of)(const Armada__QueueShare *s);
	} columns[] = {
		{METRIC_SHARE, cost_of},
		{METRIC_FAIR_SHARE, fair_of},
		{METRIC_ENTITLED, entitled_of},
		{METRIC_QUEUE_PREEMPTED, preempted_of},
	};
	CLEANUP_FREE Armada__QueueShare **list = xcalloc(r->n_queues + 1, sizeof(*list));
	size_t shown = r->n_queues < QUEUES_MOST ? r->n_queues : QUEUES_MOST;

	if (r->n_queues)
		memcpy(list, r->queues, r->n_queues * sizeof(*list));
	qsort(list, r->n_queues, sizeof(*list), by_share);
	for (size_t c = 0; c < ARRAY_SIZE(columns); c++) {
		double others = 0;

		begin(p, columns[c].metric);
		for (size_t i = 0; i < shown; i++)
			sample(p, "queue", list[i]->queue, columns[c].of(list[i]));
		for (size_t i = shown; i < r->n_queues; i++)
			others += columns[c].of(list[i]);
		if (shown < r->n_queues)
			sample(p, "queue", OTHER, others);
	}
}

/* Sums of a resource over the nodes that are up. */
struct sum {
	const char *name;
	double total, allocated;
};

static struct sum *sum_of(struct sum *sums, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(sums[i].name, name) == 0)
			return &sums[i];
	if (*count == KINDS_MOST)
		return NULL;
	sums[*count] = (struct sum){.name = name};
	return &sums[(*count)++];
}

static void print_resources(struct page *p, const Armada__ListNodesReply *r)
{
	struct sum sums[KINDS_MOST], *s;
	size_t count = 0;

	for (size_t i = 0; i < r->n_nodes; i++) {
		const Armada__NodeRow *n = r->nodes[i];

		for (size_t k = 0; n->connected && k < n->n_total; k++)
			if ((s = sum_of(sums, &count, n->total[k]->name)))
				s->total += (double)n->total[k]->amount;
		for (size_t k = 0; n->connected && k < n->n_allocated; k++)
			if ((s = sum_of(sums, &count, n->allocated[k]->name)))
				s->allocated += (double)n->allocated[k]->amount;
	}
	begin(p, METRIC_CAPACITY);
	for (size_t i = 0; i < count; i++)
		sample(p, "resource", sums[i].name, sums[i].total);
	begin(p, METRIC_ALLOCATED);
	for (size_t i = 0; i < count; i++)
		sample(p, "resource", sums[i].name, sums[i].allocated);
}

static void print_nodes(struct page *p, const Armada__ListNodesReply *r)
{
	struct sum kinds[KINDS_MOST], *s;
	double states[STATES] = {0};
	size_t count = 0;

	for (size_t i = 0; i < r->n_nodes; i++) {
		const Armada__NodeRow *n = r->nodes[i];

		if (n->state > 0 && (int)n->state < STATES)
			states[n->state]++;
		if (n->containment[0] && (s = sum_of(kinds, &count, n->containment)))
			s->total++;
	}
	begin(p, METRIC_NODES);
	for (int i = 1; i < STATES; i++) {
		Armada__NodeRow row = ARMADA__NODE_ROW__INIT;

		row.state = (Armada__NodeState)i;
		sample(p, "state", node_row_state(&row), states[i]);
	}
	begin(p, METRIC_CONTAINMENT);
	for (size_t i = 0; i < count; i++)
		sample(p, "containment", kinds[i].name, kinds[i].total);
	print_resources(p, r);
}

static void print_limits(struct page *p, const Armada__LimitsReply *r)
{
	begin(p, METRIC_LIMIT_USED);
	for (size_t i = 0; i < r->n_rows; i++)
		if (r->rows[i]->known && strcmp(r->rows[i]->scope, "all") == 0)
			sample(p, "limit", r->rows[i]->name, (double)r->rows[i]->used);
	begin(p, METRIC_LIMIT);
	for (size_t i = 0; i < r->n_rows; i++)
		if (r->rows[i]->bound && strcmp(r->rows[i]->scope, "all") == 0)
			sample(p, "limit", r->rows[i]->name, (double)r->rows[i]->bound);
}

/* The sums since the start are counters: armada_preempted_elements_total. */
static bool is_total(const char *name)
{
	size_t len = strlen(name), end = strlen("_total");

	return len > end && strcmp(name + len - end, "_total") == 0;
}

static void print_properties(struct page *p, const Armada__PropertiesReply *r)
{
	begin(p, METRIC_FAIRNESS);
	for (size_t i = 0; i < r->n_rows; i++)
		if (!is_total(r->rows[i]->name))
			sample(p, "property", r->rows[i]->name, r->rows[i]->value);
}

/* The buckets of a histogram are cumulated, and the last one has no bound. */
static void print_histogram(struct page *p, const Armada__Counter *r)
{
	uint64_t n = 0;

	buf_addf(p->out, "# HELP armada_%s %s\n# TYPE armada_%s histogram\n", r->name, r->help,
		 r->name);
	for (size_t i = 0; i < r->n_counts; i++) {
		n += r->counts[i];
		if (i < r->n_bounds)
			buf_addf(p->out, "armada_%s_bucket{le=\"%g\"} %" PRIu64 "\n", r->name,
				 r->bounds[i], n);
	}
	buf_addf(p->out,
		 "armada_%s_bucket{le=\"+Inf\"} %" PRIu64
		 "\narmada_%s_sum %.15g\narmada_%s_count %" PRIu64 "\n",
		 r->name, n, r->name, r->amount, r->name, n);
}

/* Rows of one name follow one another, and the controller bounds their number. */
static void print_counters(struct page *p, const Armada__CountersReply *reply)
{
	char name[NAME_ROOM];

	for (size_t i = 0; i < reply->n_rows; i++) {
		const Armada__Counter *r = reply->rows[i];
		bool first = i == 0 || strcmp(reply->rows[i - 1]->name, r->name) != 0;

		if (r->n_bounds) {
			print_histogram(p, r);
			continue;
		}
		snprintf(name, sizeof(name), "armada_%s%s", r->name, r->is_count ? "_total" : "");
		if (first)
			family(p, name, r->is_count, r->help);
		sample(p, r->label[0] ? r->label : NULL, r->value, r->amount);
	}
}

static void print(struct page *p, const struct numbers *n)
{
	single(p, METRIC_UP, n->ping != NULL);
	if (n->ping)
		print_cluster(p, n->ping);
	if (n->round && n->round->last) {
		print_round(p, n->round->last);
		print_shares(p, n->round->last);
	}
	if (n->properties)
		print_properties(p, n->properties);
	if (n->queues)
		print_queues(p, n->queues);
	if (n->nodes)
		print_nodes(p, n->nodes);
	if (n->limits)
		print_limits(p, n->limits);
	if (n->counters)
		print_counters(p, n->counters);
	if (p->openmetrics)
		buf_addstr(p->out, "# EOF\n");
}

/* A number that is not known is left out: each request may fail by itself. */
static void ask(struct connection *c, struct arena *a, struct numbers *n)
{
	Armada__PingRequest ping = ARMADA__PING_REQUEST__INIT;
	Armada__RoundRequest round = ARMADA__ROUND_REQUEST__INIT;
	Armada__PropertiesRequest properties = ARMADA__PROPERTIES_REQUEST__INIT;
	Armada__ListQueuesRequest queues = ARMADA__LIST_QUEUES_REQUEST__INIT;
	Armada__ListNodesRequest nodes = ARMADA__LIST_NODES_REQUEST__INIT;
	Armada__LimitsRequest limits = ARMADA__LIMITS_REQUEST__INIT;
	Armada__CountersRequest counters = ARMADA__COUNTERS_REQUEST__INIT;
	struct err err;

	if (connection_ask(c, MSG_PING, &ping, MSG_PING_REPLY, a, 0, &n->ping, &err) < 0)
		return;
	connection_ask(c, MSG_ROUND, &round, MSG_ROUND_REPLY, a, 0, &n->round, &err);
	connection_ask(c, MSG_PROPERTIES, &properties, MSG_PROPERTIES_REPLY, a, 0, &n->properties,
		       &err);
	connection_ask(c, MSG_LIST_QUEUES, &queues, MSG_LIST_QUEUES_REPLY, a, 0, &n->queues, &err);
	connection_ask(c, MSG_LIST_NODES, &nodes, MSG_LIST_NODES_REPLY, a, 0, &n->nodes, &err);
	connection_ask(c, MSG_LIMITS, &limits, MSG_LIMITS_REPLY, a, 0, &n->limits, &err);
	connection_ask(c, MSG_COUNTERS, &counters, MSG_COUNTERS_REPLY, a, 0, &n->counters, &err);
}

static void renew(struct metrics *m)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct numbers n = {0};

	ask(m->c, arena, &n);
	for (int i = 0; i < 2; i++) {
		struct page p = {.out = &m->text[i], .openmetrics = i == 1};

		buf_clear(p.out);
		print(&p, &n);
	}
	m->at_us = clock_us(CLOCK_MONOTONIC);
}

void metrics_print(struct metrics *m, bool openmetrics, struct buf *out)
{
	pthread_mutex_lock(&m->mutex);
	if (!m->at_us || clock_us(CLOCK_MONOTONIC) - m->at_us > FRESH_US)
		renew(m);
	buf_add(out, m->text[openmetrics].data, m->text[openmetrics].len);
	pthread_mutex_unlock(&m->mutex);
}
