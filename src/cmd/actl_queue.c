#include "cmd/actl.h"

#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define ROW(row) ((const Armada__QueueRow *)(row))

static int change(struct actl *a, Armada__QueueRequest__Verb verb, const char *done,
		  struct err *err)
{
	Armada__QueueRequest q = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec spec = ARMADA__QUEUE_SPEC__INIT;

	q.verb = verb;
	q.spec = &spec;
	spec.name = (char *)a->args[0];
	spec.priority_factor = a->factor;
	spec.owners = a->owners;
	spec.n_owners = a->owner_count;
	spec.set_owners = a->set_owners;
	spec.group_owners = a->group_owners;
	spec.n_group_owners = a->group_owner_count;
	spec.set_group_owners = a->set_group_owners;
	spec.limits = a->limits;
	spec.n_limits = a->limit_count;
	spec.set_limits = a->set_limits;
	spec.default_time_s = a->default_time_s;
	spec.set_default_time = a->set_default_time;
	spec.max_time_s = a->max_time_s;
	spec.set_max_time = a->set_max_time;
	spec.lease_s = a->lease_s;
	spec.set_lease = a->set_lease;
	spec.cordoned = a->cordoned;
	spec.set_cordoned = a->set_cordoned;
	return actl_ask_ok(a, MSG_QUEUE, &q,
			   arena_printf(a->arena, "%s queue %s", done, a->args[0]), err);
}

bool actl_queue_changes(const struct actl *a)
{
	return a->factor > 0 || a->set_owners || a->set_group_owners || a->set_limits ||
	       a->set_default_time || a->set_max_time || a->set_lease || a->set_cordoned;
}

int actl_queue_create(struct actl *a, struct err *err)
{
	return change(a, ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE, "Created", err);
}

int actl_queue_update(struct actl *a, struct err *err)
{
	if (!actl_queue_changes(a))
		return err_set(
			err, -EINVAL,
			"queue update: say what to change: --factor, --owners, "
			"--group-owners, --limits, --default-time, --max-time, --lease, --cordon, "
			"--uncordon");
	return change(a, ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE, "Updated", err);
}

int actl_queue_delete(struct actl *a, struct err *err)
{
	return change(a, ARMADA__QUEUE_REQUEST__VERB__QUEUE_DELETE, "Deleted", err);
}

static int fetch(struct actl *a, const Armada__ListQueuesReply **ret_reply, struct err *err)
{
	Armada__ListQueuesRequest q = ARMADA__LIST_QUEUES_REQUEST__INIT;
	void *reply;
	int rc;

	q.names = (char **)a->args;
	q.n_names = a->count;
	rc = connection_ask(a->c, MSG_LIST_QUEUES, &q, MSG_LIST_QUEUES_REPLY, a->arena, 0, &reply,
			    err);
	if (rc < 0)
		return rc;
	*ret_reply = reply;
	return 0;
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
	if (rc == 0 && reply->n_missing)
		return err_set(err, -ENOENT, "there is no queue %s", reply->missing[0]);
	return rc;
}

int actl_queue_show(struct actl *a, struct err *err)
{
	const Armada__ListQueuesReply *reply;
	int rc = fetch(a, &reply, err);

	if (rc < 0)
		return rc;
	if (!reply->n_queues)
		return err_set(err, -ENOENT, "there is no queue %s", a->args[0]);
	for (size_t i = 0; i < queue_listing.count; i++) {
		CLEANUP_BUF struct buf value = {0};

		buf_reserve(&value, 1);
		queue_listing.columns[i].text(reply->queues[0], &value);
		printf("%-16s %s\n", queue_listing.columns[i].name, (char *)value.data);
	}
	return 0;
}

static void add_words(char *const *words, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		buf_addf(out, "%s%s", i ? "," : "", words[i]);
}

static json_t *words_json(char *const *words, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(words[i]));
	return list;
}

static void name_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->spec->name);
}

static void factor_text(const void *row, struct buf *out)
{
	buf_addf(out, "%g", ROW(row)->spec->priority_factor);
}

static json_t *factor_json(const void *row)
{
	return json_real(ROW(row)->spec->priority_factor);
}

static void cordoned_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->spec->cordoned ? "cordoned" : "open");
}

static void waiting_text(const void *row, struct buf *out)
{
	buf_addf(out, "%" PRIu64, ROW(row)->waiting);
}

static json_t *waiting_json(const void *row)
{
	return json_integer((json_int_t)ROW(row)->waiting);
}

static void running_text(const void *row, struct buf *out)
{
	buf_addf(out, "%" PRIu64, ROW(row)->running);
}

static json_t *running_json(const void *row)
{
	return json_integer((json_int_t)ROW(row)->running);
}

static int64_t allocated(const void *row, const char *name)
{
	for (size_t i = 0; i < ROW(row)->n_allocated; i++) {
		if (!strcmp(ROW(row)->allocated[i]->name, name))
			return ROW(row)->allocated[i]->amount;
	}
	return 0;
}

static void cpus_text(const void *row, struct buf *out)
{
	char text[32];

	format_cpu(allocated(row, "cpu"), text, sizeof(text));
	buf_addstr(out, text);
}

static json_t *cpus_json(const void *row)
{
	return json_integer(allocated(row, "cpu"));
}

static void memory_text(const void *row, struct buf *out)
{
	char text[32];

	format_size(allocated(row, "memory"), text, sizeof(text));
	buf_addstr(out, text);
}

static json_t *memory_json(const void *row)
{
	return json_integer(allocated(row, "memory"));
}

static void owners_text(const void *row, struct buf *out)
{
	add_words(ROW(row)->spec->owners, ROW(row)->spec->n_owners, out);
}

static json_t *owners_json(const void *row)
{
	return words_json(ROW(row)->spec->owners, ROW(row)->spec->n_owners);
}

static void groups_text(const void *row, struct buf *out)
{
	add_words(ROW(row)->spec->group_owners, ROW(row)->spec->n_group_owners, out);
}

static json_t *groups_json(const void *row)
{
	return words_json(ROW(row)->spec->group_owners, ROW(row)->spec->n_group_owners);
}

static void limits_text(const void *row, struct buf *out)
{
	const Armada__QueueSpec *spec = ROW(row)->spec;

	for (size_t i = 0; i < spec->n_limits; i++)
		buf_addf(out, "%s%s=%g", i ? "," : "", spec->limits[i]->resource,
			 spec->limits[i]->part);
}

static json_t *limits_json(const void *row)
{
	const Armada__QueueSpec *spec = ROW(row)->spec;
	json_t *o = json_object();

	for (size_t i = 0; i < spec->n_limits; i++)
		json_object_set_new(o, spec->limits[i]->resource, json_real(spec->limits[i]->part));
	return o;
}

static void add_time(int64_t time_s, struct buf *out)
{
	char text[32];

	format_duration(time_s * 1000000, text, sizeof(text));
	buf_addstr(out, time_s ? text : "");
}

static void default_time_text(const void *row, struct buf *out)
{
	add_time(ROW(row)->spec->default_time_s, out);
}

static json_t *default_time_json(const void *row)
{
	return json_integer(ROW(row)->spec->default_time_s);
}

static void lease_text(const void *row, struct buf *out)
{
	add_time(ROW(row)->spec->lease_s, out);
}

static json_t *lease_json(const void *row)
{
	return json_integer(ROW(row)->spec->lease_s);
}

static void max_time_text(const void *row, struct buf *out)
{
	add_time(ROW(row)->spec->max_time_s, out);
}

static json_t *max_time_json(const void *row)
{
	return json_integer(ROW(row)->spec->max_time_s);
}

static void created_text(const void *row, struct buf *out)
{
	char text[48];

	format_time(ROW(row)->created_us, text, sizeof(text));
	buf_addstr(out, text);
}

static json_t *created_json(const void *row)
{
	return json_integer(ROW(row)->created_us);
}

static void created_by_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->created_by);
}

static void automatic_text(const void *row, struct buf *out)
{
	buf_addstr(out, ROW(row)->spec->automatic ? "yes" : "no");
}

static json_t *automatic_json(const void *row)
{
	return json_boolean(ROW(row)->spec->automatic);
}

/* clang-format off */
static const struct column columns[] = {
	{"name", "QUEUE", 'P', false, false, name_text, NULL, NULL, "Name"},
	{"state", "STATE", 'T', false, false, cordoned_text, NULL, NULL, "open, or cordoned: starts nothing"},
	{"factor", "FACTOR", 0, true, false, factor_text, factor_json, NULL, "Priority factor: lower means a larger share"},
	{"waiting", "WAITING", 0, true, false, waiting_text, waiting_json, NULL, "Elements that wait"},
	{"running", "RUNNING", 0, true, false, running_text, running_json, NULL, "Elements that run"},
	{"cpus", "CPUS", 'C', true, false, cpus_text, cpus_json, NULL, "Cpus it holds; millicores in JSON"},
	{"memory", "MEMORY", 'm', true, false, memory_text, memory_json, NULL, "Memory it holds; bytes in JSON"},
	{"owners", "OWNERS", 0, false, true, owners_text, owners_json, NULL, "Users who own it"},
	{"group_owners", "GROUPS", 0, false, true, groups_text, groups_json, NULL, "Groups who own it"},
	{"limits", "LIMITS", 0, false, true, limits_text, limits_json, NULL, "Parts of the cluster that its jobs may hold"},
	{"default_time", "DEFTIME", 0, true, false, default_time_text, default_time_json, NULL, "Time limit of its jobs that ask for none; seconds in JSON, 0: none"},
	{"lease", "LEASE", 0, true, false, lease_text, lease_json, NULL, "How long its tasks outlive the controller; seconds in JSON, 0: as all"},
	{"max_time", "MAXTIME", 0, true, false, max_time_text, max_time_json, NULL, "The longest that its jobs may ask for; seconds in JSON, 0: none"},
	{"automatic", "AUTO", 0, false, false, automatic_text, automatic_json, NULL, "Made from the user_queues template"},
	{"created_time", "CREATED", 0, false, false, created_text, created_json, NULL, "When; microseconds since 1970 in JSON"},
	{"created_by", "BY", 0, false, false, created_by_text, NULL, NULL, "Who created it"},
};
/* clang-format on */

const struct listing queue_listing = {
	.key = "queues",
	.standard = "name,state,factor,waiting,running,cpus,memory,owners",
	.columns = columns,
	.count = ARRAY_SIZE(columns),
};
