/* The fields of a queue that can be changed: a table, and what is done with each the same way. */
#include "core/queue.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

const struct queue_part queue_parts[] = {
	/* clang-format off */
	{"priority_factor", NULL, "priority factor", VERB_QUEUE},
	{"limits", "set_limits", "limits as parts of the cluster", VERB_QUEUE},
	{"class_limits", "set_class_limits", "limits of classes", VERB_QUEUE},
	{"most", "set_most", "limits", VERB_QUEUE},
	{"lease_s", "set_lease", "lease", VERB_QUEUE},
	{"max_time_s", "set_max_time", "max time", VERB_QUEUE},
	{"owners", "set_owners", "owners", VERB_QUEUE_MANAGE},
	{"group_owners", "set_group_owners", "group owners", VERB_QUEUE_MANAGE},
	{"permissions", "set_permissions", "permissions", VERB_QUEUE_MANAGE},
	{"cordoned", "set_cordoned", "cordon", VERB_QUEUE_MANAGE},
	{"labels", "set_labels", "labels", VERB_QUEUE_MANAGE},
	{"default_time_s", "set_default_time", "default time", VERB_QUEUE_MANAGE},
	{"default_class", "set_default_class", "default class", VERB_QUEUE_MANAGE},
	{"default_resources", "set_default_resources", "default resources", VERB_QUEUE_MANAGE},
	{"user_most", "set_user_most", "limits of each user", VERB_QUEUE_MANAGE},
	/* clang-format on */
};
const size_t queue_part_count = ARRAY_SIZE(queue_parts);

static const ProtobufCFieldDescriptor *find(const char *name)
{
	const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field_by_name(
		&armada__queue_spec__descriptor, name);

	assert(f);
	return f;
}

bool queue_part_given(const struct queue_part *f, const Armada__QueueSpec *m)
{
	if (!f->flag)
		return m->priority_factor != 0;
	return *(const protobuf_c_boolean *)((const char *)m + find(f->flag)->offset) != 0;
}

static size_t size_of(const ProtobufCFieldDescriptor *f)
{
	switch (f->type) {
	case PROTOBUF_C_TYPE_DOUBLE:
	case PROTOBUF_C_TYPE_INT64:
		return 8;
	case PROTOBUF_C_TYPE_BOOL:
		return sizeof(protobuf_c_boolean);
	default:
		return sizeof(void *); /* a text, or a list */
	}
}

void queue_part_copy(const struct queue_part *f, const Armada__QueueSpec *from,
		      Armada__QueueSpec *to)
{
	const ProtobufCFieldDescriptor *d = find(f->name);
	bool list = d->label == PROTOBUF_C_LABEL_REPEATED;

	memcpy((char *)to + d->offset, (const char *)from + d->offset,
	       list ? sizeof(void *) : size_of(d));
	if (list)
		memcpy((char *)to + d->quantifier_offset, (const char *)from + d->quantifier_offset,
		       sizeof(size_t));
}

static void pack_alone(const struct queue_part *f, const Armada__QueueSpec *m, struct buf *out)
{
	Armada__QueueSpec alone = ARMADA__QUEUE_SPEC__INIT;

	queue_part_copy(f, m, &alone);
	msg_pack(&alone, out);
}

bool queue_part_equal(const struct queue_part *f, const Armada__QueueSpec *a,
		       const Armada__QueueSpec *b)
{
	CLEANUP_BUF struct buf x = {0}, y = {0};

	pack_alone(f, a, &x);
	pack_alone(f, b, &y);
	return x.len == y.len && (!x.len || memcmp(x.data, y.data, x.len) == 0);
}
