#include "core/txn/spec_changes.h"

#include "proto/update_table.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

static size_t value_size(const ProtobufCFieldDescriptor *f)
{
	switch (f->type) {
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_SINT32:
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_ENUM:
		return sizeof(uint32_t);
	case PROTOBUF_C_TYPE_BOOL:
		return sizeof(protobuf_c_boolean);
	case PROTOBUF_C_TYPE_BYTES:
		return sizeof(ProtobufCBinaryData);
	default:
		return sizeof(uint64_t); /* and pointers */
	}
}

/* A specification that has only this field. */
static void pack_field(const Armada__JobSpec *spec, const ProtobufCFieldDescriptor *f,
		       struct buf *to)
{
	Armada__JobSpec only = ARMADA__JOB_SPEC__INIT;
	size_t size = f->label == PROTOBUF_C_LABEL_REPEATED ? sizeof(void *) : value_size(f);

	memcpy((char *)&only + f->offset, (const char *)spec + f->offset, size);
	if (f->label == PROTOBUF_C_LABEL_REPEATED)
		memcpy((char *)&only + f->quantifier_offset,
		       (const char *)spec + f->quantifier_offset, sizeof(size_t));
	msg_pack(&only, to);
}

static bool differs(const Armada__JobSpec *a, const Armada__JobSpec *b, const char *field)
{
	const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field_by_name(
		&armada__job_spec__descriptor, field);
	struct buf x CLEANUP_BUF = {0}, y CLEANUP_BUF = {0};

	assert(f);
	pack_field(a, f, &x);
	pack_field(b, f, &y);
	return x.len != y.len || (x.len && memcmp(x.data, y.data, x.len) != 0);
}

/* The groups with their programs alone, or without programs and numbers of tasks. */
static const Armada__JobSpec *tasks_alone(const Armada__JobSpec *s, bool programs,
					  struct arena *arena)
{
	Armada__JobSpec *copy = arena_memdup(arena, s, sizeof(*s));

	copy->groups = arena_alloc(arena, s->n_groups * sizeof(*copy->groups));
	for (size_t i = 0; i < s->n_groups; i++) {
		const Armada__TaskGroup *from = s->groups[i];
		Armada__TaskGroup *g = arena_memdup(arena, from, sizeof(*g));

		if (programs)
			armada__task_group__init(g);
		g->replicas = 0;
		g->argv = programs ? from->argv : NULL;
		g->n_argv = programs ? from->n_argv : 0;
		g->args = programs ? from->args : NULL;
		g->n_args = programs ? from->n_args : 0;
		g->script_hash = programs ? from->script_hash : (ProtobufCBinaryData){.data = NULL};
		g->script_name = programs ? from->script_name : (char *)"";
		copy->groups[i] = g;
	}
	return copy;
}

static bool program_differs(const Armada__JobSpec *a, const Armada__JobSpec *b, struct arena *arena)
{
	return differs(a, b, "script_hash") || differs(a, b, "args") ||
	       differs(tasks_alone(a, true, arena), tasks_alone(b, true, arena), "groups");
}

bool spec_is_scaled(const Armada__JobSpec *a, const Armada__JobSpec *b)
{
	for (size_t i = 0; i < a->n_groups && i < b->n_groups; i++)
		if (a->groups[i]->replicas != b->groups[i]->replicas)
			return true;
	return false;
}

size_t spec_changed_fields(const Armada__JobSpec *a, const Armada__JobSpec *b, struct arena *arena,
			   char ***ret_list)
{
#define ONE(member)  || differs(a, b, #member)
#define LIST(member) || differs(a, b, #member)
#define NO_MEMBER
#define ALSO(...)
#define X(FIELD, words, when, gang, verb, members, option, cleared, row, help)                     \
	{option, false members},
	const struct {
		const char *name;
		bool changed;
	} rows[] = {UPDATE_TABLE(X, ALSO)};
#undef ONE
#undef LIST
#undef NO_MEMBER
#undef ALSO
#undef X
	char **list = arena_alloc(arena, (ARRAY_SIZE(rows) + 3) * sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].changed && strcmp(rows[i].name, "priority") != 0 &&
		    strcmp(rows[i].name, "dependency") != 0 && strcmp(rows[i].name, "begin") != 0)
			list[n++] = (char *)rows[i].name;
	if (differs(tasks_alone(a, false, arena), tasks_alone(b, false, arena), "groups"))
		list[n++] = (char *)"resources";
	if (program_differs(a, b, arena))
		list[n++] = (char *)"command";
	*ret_list = list;
	return n;
}
