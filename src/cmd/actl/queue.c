/*
 * actl queue: create, update, delete, cordon, list and show queues.
 *
 * The settings come from options or from a file of queues. A request with several queues changes
 * all of them or none. For a file, errors of the controller are given the line of the queue.
 */
#include "cmd/actl/queue.h"

#include "client/known.h"

#include <errno.h>

#define VERB(name) ARMADA__QUEUE_REQUEST__VERB__QUEUE_##name

/* Sends one request; the controller changes all of the queues or none. */
static int send(struct actl *a, Armada__QueueRequest__Verb verb, Armada__QueueSpec **specs,
		size_t count, struct err *err)
{
	Armada__QueueRequest q = ARMADA__QUEUE_REQUEST__INIT;

	q.verb = verb;
	q.spec = specs[0];
	q.more = specs + 1;
	q.n_more = count - 1;
	return actl_ask_ok(a, MSG_QUEUE, &q, "Done", err);
}

/* Sends the settings of a->queue for each queue that the command line names. */
static int send_named(struct actl *a, Armada__QueueRequest__Verb verb, struct err *err)
{
	Armada__QueueSpec **specs = arena_alloc(a->arena, a->count * sizeof(*specs));

	for (size_t i = 0; i < a->count; i++) {
		specs[i] = arena_memdup(a->arena, &a->queue, sizeof(a->queue));
		specs[i]->name = (char *)a->args[i];
	}
	return send(a, verb, specs, a->count, err);
}

static int send_file(struct actl *a, Armada__QueueRequest__Verb verb, struct err *err)
{
	struct queue_file f;
	int rc = queue_file_read(a->file, a->arena, &f, err);

	if (rc < 0)
		return rc;
	rc = queue_file_locate_error(&f, send(a, verb, f.specs, f.count, err), err);
	queue_file_done(&f);
	return rc;
}

static int check_file_alone(const struct actl *a, const char *verb, struct err *err)
{
	if (a->file && (a->count || queue_options_given(a)))
		return err_set(
			err, -EINVAL,
			"queue %s: --file allows no names and no settings on the command line",
			verb);
	if (!a->file && !a->count)
		return err_set(err, -EINVAL, "queue %s: no queue given; give a name, or --file",
			       verb);
	return 0;
}

int actl_queue_create(struct actl *a, struct err *err)
{
	int rc = check_file_alone(a, "create", err);

	if (rc < 0)
		return rc;
	queue_options_drop_absent(&a->queue);
	return a->file ? send_file(a, VERB(CREATE), err) : send_named(a, VERB(CREATE), err);
}

int actl_queue_update(struct actl *a, struct err *err)
{
	int rc = check_file_alone(a, "update", err);

	if (rc < 0)
		return rc;
	if (a->file)
		return send_file(a, VERB(UPDATE), err);
	if (!queue_options_given(a))
		return err_set(err, -EINVAL,
			       "queue update: no settings given; give --factor, --owners, "
			       "--permission, --max-running, --cordon or others of actl --help");
	return send_named(a, VERB(UPDATE), err);
}

int actl_queue_delete(struct actl *a, struct err *err)
{
	return send_named(a, VERB(DELETE), err);
}

int actl_queue_cordon(struct actl *a, struct err *err)
{
	a->queue.set_cordoned = true;
	a->queue.cordoned = !a->alternate;
	return send_named(a, VERB(UPDATE), err);
}

/* ---- listing ---- */

static int fetch(struct actl *a, const Armada__ListQueuesReply **ret_reply, struct err *err)
{
	Armada__ListQueuesRequest q = ARMADA__LIST_QUEUES_REQUEST__INIT;

	q.names = (char **)a->args;
	q.n_names = a->count;
	return connection_ask(a->c, MSG_LIST_QUEUES, &q, MSG_LIST_QUEUES_REPLY, a->arena, 0,
			      ret_reply, err);
}

static int report_missing(const struct actl *a, const Armada__ListQueuesReply *reply,
			  struct err *err)
{
	return reply->n_missing ? known_no_queue(a->c, reply->missing[0], err) : 0;
}

int actl_queue_list(struct actl *a, struct err *err)
{
	const Armada__ListQueuesReply *reply;
	int rc = listing_check(&queue_listing, &a->listing, err);

	if (rc == 0)
		rc = fetch(a, &reply, err);
	if (rc < 0)
		return rc;
	rc = listing_print(&queue_listing, &a->listing, (const void *const *)reply->queues,
			   reply->n_queues, stdout, err);
	return rc < 0 ? rc : report_missing(a, reply, err);
}

/* Prints the settings of a queue; settings without a value are left out. */
static void show_one(const Armada__QueueRow *row)
{
	CLEANUP_BUF struct buf value = {0};

	for (size_t i = 0; i < queue_listing.count; i++) {
		buf_clear(&value);
		buf_reserve(&value, 1);
		column_text(&queue_listing.columns[i], row, &value);
		value.data[value.len] = 0;
		if (value.len)
			printf("%-17s  %s\n", queue_listing.columns[i].name, (char *)value.data);
	}
}

static void show_conf(const Armada__ListQueuesReply *reply)
{
	CLEANUP_BUF struct buf text = {0};

	buf_addstr(&text, "queues = (\n");
	for (size_t i = 0; i < reply->n_queues; i++) {
		queue_show(reply->queues[i]->spec, "\t", &text);
		buf_addstr(&text, i + 1 < reply->n_queues ? ",\n" : "\n");
	}
	buf_addstr(&text, ");\n");
	fwrite(text.data, 1, text.len, stdout);
}

int actl_queue_show(struct actl *a, struct err *err)
{
	const Armada__ListQueuesReply *reply;
	int rc = a->with_conf && (a->listing.json || a->listing.format)
			 ? err_set(err, -EINVAL, "--conf and --json exclude each other")
			 : fetch(a, &reply, err);

	if (rc < 0)
		return rc;
	if (a->listing.json || a->listing.format)
		rc = listing_print(&queue_listing, &a->listing, (const void *const *)reply->queues,
				   reply->n_queues, stdout, err);
	else if (a->with_conf && reply->n_queues)
		show_conf(reply);
	for (size_t i = 0;
	     !a->with_conf && !a->listing.json && !a->listing.format && i < reply->n_queues; i++) {
		printf("%s", i ? "\n" : "");
		show_one(reply->queues[i]);
	}
	return rc < 0 ? rc : report_missing(a, reply, err);
}

int actl_show_queue(struct actl *a, struct err *err)
{
	return a->count ? actl_queue_show(a, err) : actl_queue_list(a, err);
}
