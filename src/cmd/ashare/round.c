/*
 * ashare without --history: the last scheduling round.
 *
 * One request fetches the last round and the last round that did something. The output is a text
 * with the shares of the queues and the decisions, only the table of queues, or JSON. A named queue
 * that took no part is an error.
 */
#include "cmd/ashare/round.h"

#include "client/connection.h"
#include "cmd/listing/round_rows.h"
#include "util/hostlist.h"
#include "util/mem.h"
#include "util/names.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Lists the named queues; all queues if no name is given. */
static int choose(const Armada__Round *round, const char *const *names, size_t count,
		  const void **list, size_t *ret_count, struct err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < round->n_queues; i++)
		if (!count || names_have(names, count, round->queues[i]->queue))
			list[n++] = round->queues[i];
	*ret_count = n;
	for (size_t k = 0; k < count; k++) {
		bool found = false;

		for (size_t i = 0; i < n; i++)
			found |= !strcmp(((const Armada__QueueShare *)list[i])->queue, names[k]);
		if (!found)
			return err_set(
				err, -ENOENT,
				"queue %s took no part: it has no job that is running or may start",
				names[k]);
	}
	return 0;
}

static const struct {
	const char *end, *text;
} ends[] = {
	{"done", "Everything that could start was tried."},
	{"cut", "It was cut short by max_round; the next round continues from there."},
	{"idle", "No job was running, and none was pending that may start."},
};

static void print_head(const Armada__Round *r)
{
	char when[48];

	format_time(r->start_us, when, sizeof(when));
	printf("Round %" PRIu64 ", %s, took %s: %" PRIu64 " started, %" PRIu64 " preempted",
	       r->number, when, duration_words(r->took_us).text, r->started, r->preempted);
	if (r->refused)
		printf(", %" PRIu64 " no longer valid", r->refused);
	printf(".\n");
}

static void print_end(const Armada__Round *r)
{
	if (!strcmp(r->end, "fault"))
		printf("It made no decisions because of an error: %s\n", r->fault);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!strcmp(r->end, ends[i].end))
			printf("%s\n", ends[i].text);
}

static void print_reservation(const Armada__Reservation *v)
{
	CLEANUP_BUF struct buf id = {0}, nodes = {0};
	char when[48];

	if (!v)
		return;
	round_element_id(v->job, v->is_array, v->element, &id);
	hostlist_compress((const char *const *)v->nodes, v->n_nodes, &nodes);
	format_time(v->expected_us, when, sizeof(when));
	printf("Resources are reserved for %s%s%s; it starts at %s at the latest.\n",
	       (char *)id.data, v->n_nodes ? " on " : "", v->n_nodes ? (char *)nodes.data : "",
	       when);
	printf("It needs %.1f%% of the cluster there: %.1f%% is idle, %.1f%% is used by jobs that do not "
	       "delay it.\n",
	       100 * v->need, 100 * v->idle, 100 * v->recovered);
}

/* The part of the reserved room that others used; NAN: none was reserved. */
static double recovered_part(const Armada__RoundReply *reply)
{
	double all = reply->idle_s + reply->recovered_s;

	return all > 0 ? reply->recovered_s / all : NAN;
}

static void print_recovered(const Armada__RoundReply *reply)
{
	double part = recovered_part(reply);

	if (!isnan(part))
		printf("Of all reserved room that could be used meanwhile, %.1f%% was used since the "
		       "controller started.\n",
		       100 * part);
}

/* Lists the decisions of one kind. */
static size_t of_kind(const Armada__Round *r, bool preempted, const void **list)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_decisions; i++)
		if (!r->decisions[i]->preempted == !preempted)
			list[n++] = r->decisions[i];
	return n;
}

static int print_decisions(const Armada__Round *r, bool preempted, struct err *err)
{
	CLEANUP_FREE const void **list = xcalloc(r->n_decisions + 1, sizeof(*list));
	const struct listing_request plain = {0};
	uint64_t all = preempted ? r->preempted : r->started;
	size_t n = of_kind(r, preempted, list);
	int rc;

	if (!n)
		return 0;
	printf("\n%s:\n", preempted ? "Preempted" : "Started");
	rc = listing_print(preempted ? &preempted_listing : &started_listing, &plain, list, n,
			   stdout, err);
	if (rc == 0 && all > n)
		printf("and %" PRIu64 " more\n", all - n);
	return rc;
}

static int print_text(const Armada__RoundReply *reply, const struct listing_request *r,
		      const void *const *queues, size_t count, struct err *err)
{
	const Armada__Round *acted = reply->acted ? reply->acted : reply->last;
	int rc;

	print_head(reply->last);
	print_end(reply->last);
	print_reservation(reply->last->reservation);
	print_recovered(reply);
	putchar('\n');
	rc = listing_print(&share_listing, r, queues, count, stdout, err);
	if (rc == 0 && reply->acted) {
		printf("\nThe last round that did something:\n");
		print_head(acted);
	}
	if (rc == 0)
		rc = print_decisions(acted, false, err);
	if (rc == 0)
		rc = print_decisions(acted, true, err);
	return rc;
}

static json_t *reservation_json(const Armada__Reservation *v)
{
	CLEANUP_BUF struct buf id = {0};

	if (!v)
		return json_null();
	round_element_id(v->job, v->is_array, v->element, &id);
	return json_pack("{s:s, s:I, s:I, s:I, s:o, s:f, s:f, s:f}", "id", (char *)id.data, "job",
			 (json_int_t)v->job, "element", (json_int_t)v->element, "expected",
			 (json_int_t)v->expected_us, "nodes",
			 column_strings_json((const char *const *)v->nodes, v->n_nodes), "need",
			 v->need, "idle", v->idle, "recovered", v->recovered);
}

json_t *ashare_reserved_json(const Armada__RoundReply *reply)
{
	return json_pack("{s:f, s:f, s:o}", "idle_time", reply->idle_s, "recovered_time",
			 reply->recovered_s, "recovered", column_real_json(recovered_part(reply)));
}

json_t *ashare_round_json(const Armada__Round *r)
{
	CLEANUP_FREE const void **list = NULL;
	json_t *o;

	if (!r)
		return json_null();
	list = xcalloc(r->n_decisions + 1, sizeof(*list));
	o = json_pack("{s:I, s:I, s:I, s:s, s:s, s:I, s:I, s:I, s:I}", "number",
		      (json_int_t)r->number, "start_time", (json_int_t)r->start_us, "took",
		      (json_int_t)r->took_us, "end", r->end, "fault", r->fault, "started_count",
		      (json_int_t)r->started, "preempted_count", (json_int_t)r->preempted,
		      "refused_count", (json_int_t)r->refused, "reason_count",
		      (json_int_t)r->reasons);
	json_object_set_new(o, "reservation", reservation_json(r->reservation));
	json_object_set_new(o, "started",
			    listing_json(&started_listing, list, of_kind(r, false, list)));
	json_object_set_new(o, "preempted",
			    listing_json(&preempted_listing, list, of_kind(r, true, list)));
	return o;
}

static void print_json(const Armada__RoundReply *reply, const void *const *queues, size_t count)
{
	const Armada__Round *last = reply->last;
	const Armada__Round *last_acted = last->started || last->preempted ? last : NULL;
	json_t *root = listing_json_new();

	json_object_set_new(root, "time", json_integer(reply->time_us));
	json_object_set_new(root, "queues", listing_json(&share_listing, queues, count));
	json_object_set_new(root, "round", ashare_round_json(reply->last));
	json_object_set_new(root, "reserved", ashare_reserved_json(reply));
	json_object_set_new(root, "acted",
			    ashare_round_json(reply->acted ? reply->acted : last_acted));
	listing_json_print(root, stdout);
}

/* The columns if the fairness plugin remembers usage, which the weight is computed from. */
static const char remembered_columns[] =
	"queue,usage,priority,fair,adjusted,cost,after,cpus,memory,gpus,started,preempted";

static bool remembers(const Armada__Round *round)
{
	return round->n_queues && round->queues[0]->remembers;
}

int ashare_round(const struct ashare *r, const char *const *names, size_t count, struct err *err)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__RoundRequest q = ARMADA__ROUND_REQUEST__INIT;
	const Armada__RoundReply *reply;
	struct connection *c = NULL;
	struct listing_request listing = r->listing;
	const void **queues;
	size_t n = 0;
	bool table_only;
	int absent, rc = connection_new(&c, NULL, err);

	if (rc == 0)
		rc = connection_ask(c, MSG_ROUND, &q, MSG_ROUND_REPLY, arena, 0, &reply, err);
	connection_free(c);
	if (rc < 0)
		return rc;
	if (!reply->last)
		return err_set(err, -EAGAIN,
			       "there has been no scheduling round since the controller started");
	queues = arena_zalloc(arena, reply->last->n_queues + 1, sizeof(*queues));
	absent = choose(reply->last, names, count, queues, &n, err);
	if (absent < 0 && !n)
		return absent;
	table_only = r->listing.format || r->listing.noheader || count;
	if (!listing.format && remembers(reply->last))
		listing.format = remembered_columns;
	if (listing.json)
		print_json(reply, queues, n);
	else if (table_only)
		rc = listing_print(&share_listing, &listing, queues, n, stdout, err);
	else
		rc = print_text(reply, &listing, queues, n, err);
	return rc < 0 ? rc : absent;
}
