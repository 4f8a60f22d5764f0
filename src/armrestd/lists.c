/* Routes that list what is no job: queues, nodes, shares, the last round, the cluster, the configuration. */
#include "armrestd/routes.h"

#include "armrestd/metrics.h"
#include "armrestd/rest.h"
#include "cmd/actl/queue.h"
#include "cmd/listing/node_rows.h"
#include "cmd/listing/round_rows.h"

#include <errno.h>
#include <string.h>

#define ROWS(list) ((const void *const *)(list))

static int add_queues(struct exchange *x, const char *name, struct err *err)
{
	Armada__ListQueuesRequest q = ARMADA__LIST_QUEUES_REQUEST__INIT;
	const Armada__ListQueuesReply *r;
	char *names[] = {(char *)(uintptr_t)name};
	int rc;

	q.names = names;
	q.n_names = name != NULL;
	rc = exchange_ask(x, MSG_LIST_QUEUES, &q, MSG_LIST_QUEUES_REPLY, &r, err);
	if (rc < 0)
		return rc;
	if (r->n_missing)
		return err_set(err, -ENOENT, "queue '%s' does not exist", name);
	x->json = listing_json_new();
	json_object_set_new(x->json, "queues",
			    listing_json(&queue_listing, ROWS(r->queues), r->n_queues));
	return 0;
}

int list_queues(struct exchange *x, struct err *err)
{
	return add_queues(x, NULL, err);
}

int show_queue(struct exchange *x, struct err *err)
{
	return add_queues(x, x->ids[0], err);
}

static int add_nodes(struct exchange *x, const char *name, struct err *err)
{
	Armada__ListNodesRequest q = ARMADA__LIST_NODES_REQUEST__INIT;
	const Armada__ListNodesReply *r;
	char *names[] = {(char *)(uintptr_t)name};
	int rc;

	q.names = names;
	q.n_names = name != NULL;
	rc = exchange_ask(x, MSG_LIST_NODES, &q, MSG_LIST_NODES_REPLY, &r, err);
	if (rc < 0)
		return rc;
	if (r->n_missing)
		return err_set(err, -ENOENT, "there is no node %s", name);
	x->json = listing_json_new();
	json_object_set_new(x->json, "nodes",
			    listing_json(&node_listing, ROWS(r->nodes), r->n_nodes));
	return 0;
}

int list_nodes(struct exchange *x, struct err *err)
{
	return add_nodes(x, NULL, err);
}

int show_node(struct exchange *x, struct err *err)
{
	return add_nodes(x, x->ids[0], err);
}

static int last_round(struct exchange *x, const Armada__Round **ret_round, struct err *err)
{
	Armada__RoundRequest q = ARMADA__ROUND_REQUEST__INIT;
	const Armada__RoundReply *r;
	int rc = exchange_ask(x, MSG_ROUND, &q, MSG_ROUND_REPLY, &r, err);

	if (rc == 0 && !r->last)
		return err_set(err, -EAGAIN, "no round has ended since the controller started");
	*ret_round = rc == 0 ? r->last : NULL;
	return rc;
}

int show_shares(struct exchange *x, struct err *err)
{
	const Armada__Round *round;
	int rc = last_round(x, &round, err);

	if (rc < 0)
		return rc;
	x->json = listing_json_new();
	json_object_set_new(x->json, "queues",
			    listing_json(&share_listing, ROWS(round->queues), round->n_queues));
	return 0;
}

static json_t *decisions(const Armada__Round *r, bool preempted)
{
	const struct listing *l = preempted ? &preempted_listing : &started_listing;
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_decisions; i++)
		if (r->decisions[i]->preempted == preempted)
			json_array_append_new(list, listing_row_json(l, r->decisions[i]));
	return list;
}

int show_round(struct exchange *x, struct err *err)
{
	const Armada__Round *r;
	int rc = last_round(x, &r, err);

	if (rc < 0)
		return rc;
	x->json = listing_json_new();
	json_object_set_new(x->json, "round", json_integer((json_int_t)r->number));
	json_object_set_new(x->json, "start", json_integer(r->start_us));
	json_object_set_new(x->json, "took", json_integer(r->took_us));
	json_object_set_new(x->json, "end", json_string(r->end));
	json_object_set_new(x->json, "fault", json_string(r->fault));
	json_object_set_new(x->json, "started_count", json_integer((json_int_t)r->started));
	json_object_set_new(x->json, "preempted_count", json_integer((json_int_t)r->preempted));
	json_object_set_new(x->json, "started", decisions(r, false));
	json_object_set_new(x->json, "preempted", decisions(r, true));
	return 0;
}

int show_cluster(struct exchange *x, struct err *err)
{
	Armada__PingRequest q = ARMADA__PING_REQUEST__INIT;
	const Armada__PingReply *r;
	int rc = exchange_ask(x, MSG_PING, &q, MSG_PING_REPLY, &r, err);

	if (rc < 0)
		return rc;
	x->json = listing_json_new();
	json_object_set_new(x->json, "cluster", json_string(r->cluster));
	json_object_set_new(x->json, "release", json_string(r->release));
	json_object_set_new(x->json, "epoch", json_integer((json_int_t)r->epoch));
	json_object_set_new(x->json, "started", json_integer(r->started_us));
	json_object_set_new(x->json, "time", json_integer(r->time_us));
	json_object_set_new(x->json, "jobs", json_integer((json_int_t)r->jobs));
	json_object_set_new(x->json, "pending", json_integer((json_int_t)r->waiting));
	json_object_set_new(x->json, "running", json_integer((json_int_t)r->running));
	json_object_set_new(x->json, "nodes", json_integer(r->nodes));
	json_object_set_new(x->json, "nodes_up", json_integer(r->nodes_up));
	json_object_set_new(x->json, "log_record", json_integer((json_int_t)r->log_seq));
	json_object_set_new(x->json, "problem",
			    r->problem[0] ? json_string(r->problem) : json_null());
	return 0;
}

int show_configuration(struct exchange *x, struct err *err)
{
	(void)err;
	conf_show(x->rest->conf, false, &x->text);
	return 0;
}

int live(struct exchange *x, struct err *err)
{
	(void)err;
	buf_addstr(&x->text, "ok\n");
	return 0;
}

int metrics(struct exchange *x, struct err *err)
{
	const char *accept = exchange_header(x, "Accept");
	bool open = accept && strstr(accept, "application/openmetrics-text");

	(void)err;
	metrics_print(x->rest->metrics, open, &x->text);
	x->type = open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
		       : "text/plain; version=0.0.4; charset=utf-8";
	return 0;
}

/* The gateway asks as its own user, over a connection that no user has. */
int ready(struct exchange *x, struct err *err)
{
	Armada__PingRequest q = ARMADA__PING_REQUEST__INIT;
	struct connection *c = connection_like(x->rest->own);
	const Armada__PingReply *r;
	int rc = connection_ask(c, MSG_PING, &q, MSG_PING_REPLY, x->arena, 0, &r, err);

	connection_free(c);
	if (rc < 0)
		return -EAGAIN;
	buf_addstr(&x->text, "ok\n");
	return 0;
}
