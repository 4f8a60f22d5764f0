/*
 * Routes of queues: listing, creating, changing, deleting. A body has the options of actl queue as members
 * (option_body.h).
 */
#include "armrestd/option_body.h"
#include "armrestd/routes.h"
#include "client/known.h"
#include "cmd/actl/queue.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

enum { QUEUES_MAX = 1000 };

#define VERB(name) ARMADA__QUEUE_REQUEST__VERB__QUEUE_##name

static const struct opt_table *const tables[] = {&queue_options, NULL};
static const char *const others[] = {"name"};

static int list(struct exchange *x, const char *name, struct err *err)
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
		return known_no_queue(x->c, name, err);
	x->json = listing_json_new();
	json_object_set_new(x->json, "queues",
			    listing_json(&queue_listing, (const void *const *)r->queues,
					 r->n_queues));
	return 0;
}

int list_queues(struct exchange *x, struct err *err)
{
	return list(x, NULL, err);
}

int show_queue(struct exchange *x, struct err *err)
{
	return list(x, x->ids[0], err);
}

/* name: of the path; NULL: a member of the body. */
static int read_queue(struct exchange *x, json_t *body, const char *name,
		      Armada__QueueSpec **ret_spec, struct err *err)
{
	static const struct option_body options = {tables, others, ARRAY_SIZE(others),
						   "actl queue create"};
	struct actl a = {.arena = x->arena, .queue = ARMADA__QUEUE_SPEC__INIT};
	const char *key;
	json_t *value;
	int rc = 0;

	if (!json_is_object(body))
		return err_set(err, -EINVAL, "queues: expected objects");
	json_object_foreach(body, key, value)
	{
		if (rc == 0 && !name && strcmp(key, "name") == 0 && json_is_string(value))
			a.queue.name = arena_strdup(x->arena, json_string_value(value));
		else if (rc == 0 && strcmp(key, "file") == 0)
			rc = err_set(err, -EINVAL, "file: the gateway reads no files");
		else if (rc == 0 &&
			 (rc = option_body_set(&options, key, value, &a, x->arena, err)) < 0)
			err_prefix(err, rc, "%.64s", key);
	}
	if (name)
		a.queue.name = (char *)(uintptr_t)name;
	if (rc == 0 && !a.queue.name[0])
		rc = err_set(err, -EINVAL, "queue create: no queue given; give a name");
	if (rc == 0 && name && !queue_options_given(&a))
		rc = err_set(err, -EINVAL,
			     "queue update: no settings given; give factor, owners, permission, "
			     "max_running, cordon or others of actl queue");
	*ret_spec = arena_memdup(x->arena, &a.queue, sizeof(a.queue));
	return rc < 0 ? -EINVAL : 0;
}

static int send_change(struct exchange *x, Armada__QueueRequest__Verb verb,
		       Armada__QueueSpec **specs, size_t count, struct err *err)
{
	Armada__QueueRequest q = ARMADA__QUEUE_REQUEST__INIT;

	q.verb = verb;
	q.spec = specs[0];
	q.more = specs + 1;
	q.n_more = count - 1;
	return exchange_ask_ok(x, MSG_QUEUE, &q, "Done", err);
}

/* One queue, or {"queues": [...]}: all of them are created or none. */
static int create(struct exchange *x, json_t *root, struct err *err)
{
	json_t *several = json_object_get(root, "queues");
	size_t count = several ? json_array_size(several) : 1;
	Armada__QueueSpec **specs;
	int rc = 0;

	if (several && (!count || count > QUEUES_MAX || json_object_size(root) > 1))
		return err_set(err, -EINVAL, "queues: expected a list of 1 to %d queues, alone",
			       QUEUES_MAX);
	specs = arena_zalloc(x->arena, count, sizeof(*specs));
	for (size_t i = 0; rc == 0 && i < count; i++) {
		rc = read_queue(x, several ? json_array_get(several, i) : root, NULL, &specs[i],
				err);
		if (rc == 0)
			queue_options_drop_absent(specs[i]);
	}
	if (rc == 0)
		rc = send_change(x, VERB(CREATE), specs, count, err);
	if (rc == 0)
		x->status = MHD_HTTP_CREATED;
	return rc;
}

int create_queues(struct exchange *x, struct err *err)
{
	json_t *root = NULL;
	int rc = exchange_body(x, &root, "the name of a queue and options of actl queue create",
			       err);

	if (rc == 0)
		rc = create(x, root, err);
	json_decref(root);
	return rc;
}

int update_queue(struct exchange *x, struct err *err)
{
	json_t *root = NULL;
	Armada__QueueSpec *spec;
	int rc = exchange_body(x, &root, "options of actl queue update", err);

	if (rc == 0)
		rc = read_queue(x, root, x->ids[0], &spec, err);
	if (rc == 0)
		rc = send_change(x, VERB(UPDATE), &spec, 1, err);
	json_decref(root);
	return rc;
}

int delete_queue(struct exchange *x, struct err *err)
{
	Armada__QueueSpec spec = ARMADA__QUEUE_SPEC__INIT, *one = &spec;

	spec.name = x->ids[0];
	return send_change(x, VERB(DELETE), &one, 1, err);
}
