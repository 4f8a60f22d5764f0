/*
 * Input: a message of the type that the first byte selects (200: a record of the log, 201: the body
 * of a task, 202: the payload of an io stub). An accepted message must stay within its memory, and
 * must be the same after it is packed and unpacked.
 */
#include "proto/msg.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const ProtobufCMessageDescriptor *schema_of(uint8_t first)
{
	const struct msg_info *info = msg_find(first);

	return first == 200   ? &armada__record__descriptor
	       : first == 201 ? &armada__task_body__descriptor
	       : first == 202 ? &armada__stub_payload__descriptor
	       : info         ? info->schema
			      : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const ProtobufCMessageDescriptor *schema = size ? schema_of(data[0]) : NULL;
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	struct buf once CLEANUP_BUF = {0}, twice CLEANUP_BUF = {0};
	struct err err;
	void *message;

	if (!schema)
		return 0;
	message = msg_unpack_as(schema, data + 1, size - 1, arena, &err);
	if (arena_used(arena) > MSG_GROWTH * (size - 1) + MSG_MEMORY_MIN)
		abort();
	if (!message)
		return 0;
	msg_pack(message, &once);
	arena_clear(arena);
	message = msg_unpack_as(schema, once.data, once.len, arena, &err);
	/* a packed message may be refused only if its memory exceeds the budget of its length */
	if (!message)
		return 0;
	msg_pack(message, &twice);
	if (once.len != twice.len || memcmp(once.data, twice.data, once.len) != 0)
		abort();
	return 0;
}
