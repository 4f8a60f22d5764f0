/*
 * Packing and decoding of messages. Input of decoding: bytes from a peer, which are checked first
 * (check.h), or from the own log. Output: a message in an arena. An allocator with a limit keeps
 * protobuf-c from allocating more than a message of that length can need.
 */
#include "proto/msg.h"
#include "proto/check.h"

#include "util/mem.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define X(number, name_, type_, fn, senders_, limit)                                               \
	{                                                                                          \
		.type = number,                                                                    \
		.name = #name_,                                                                    \
		.senders = (senders_),                                                             \
		.body_max = (limit),                                                               \
		.schema = &armada__##fn##__descriptor,                                             \
	},
static const struct msg_info rows[] = {MSG_TABLE(X)};
#undef X

/* The index of a type in rows, plus one; 0: no such type. */
#define X(number, name_, type_, fn, senders_, limit) [number] = ROW_##name_ + 1,
#define Y(number, name_, type_, fn, senders_, limit) ROW_##name_,
enum { MSG_TABLE(Y) };
static const uint8_t row_of[] = {MSG_TABLE(X)};
#undef X
#undef Y

const struct msg_info *msg_find(uint16_t type)
{
	return type < ARRAY_SIZE(row_of) && row_of[type] ? &rows[row_of[type] - 1] : NULL;
}

bool msg_only_reads(enum msg_type type)
{
	static const uint8_t reads[] = {
		MSG_PING,        MSG_LIST_JOBS,   MSG_SHOW_JOB, MSG_HISTORY,     MSG_LIST_NODES,
		MSG_LIST_QUEUES, MSG_PERMISSIONS, MSG_CLASSES,  MSG_RESOURCES,   MSG_ACCOUNTS,
		MSG_ACCOUNTING,  MSG_USAGE_SUMS,  MSG_SHARES,   MSG_CONTROLLERS, MSG_COPY_HISTORY,
	};

	return memchr(reads, (int)type, sizeof(reads));
}

bool msg_before_acting(enum msg_type type)
{
	return type == MSG_COPY_CHANGE;
}

const struct msg_info *msg_rows(size_t *ret_count)
{
	*ret_count = ARRAY_SIZE(rows);
	return rows;
}

/* The memory that protobuf-c may still take from the arena. */
struct budget {
	struct arena *arena;
	size_t left;
};

static void *budget_alloc(void *arg, size_t size)
{
	struct budget *b = arg;
	size_t need;
	void *p;

	/* protobuf-c may request 0 bytes, and treats NULL as an error */
	size = size ? size : 1;
	if (__builtin_add_overflow(size, 15, &need) || (need &= ~(size_t)15) > b->left)
		return NULL;
	p = arena_try(b->arena, size);
	if (p)
		b->left -= need;
	return p;
}

static void budget_free(void *arg, void *p)
{
	(void)arg;
	(void)p;
}

static size_t budget_for(size_t len)
{
	size_t bytes = len < MSG_MEMORY_MAX / MSG_GROWTH ? len * MSG_GROWTH : MSG_MEMORY_MAX;

	/* large bodies are mostly text, for which a factor of 4 is enough */
	if (bytes / 4 < len)
		bytes = 4 * len;
	return bytes + MSG_MEMORY_MIN;
}

static void *unpack_checked(const ProtobufCMessageDescriptor *schema, const uint8_t *body,
			    size_t len, struct arena *arena, struct err *err)
{
	struct budget budget = {.arena = arena, .left = budget_for(len)};
	ProtobufCAllocator allocator = {
		.alloc = budget_alloc, .free = budget_free, .allocator_data = &budget};
	void *message;

	message = protobuf_c_message_unpack(schema, &allocator, len, body);
	if (!message)
		err_set(err, -EBADMSG, "%s: takes more memory than its %zu bytes may",
			schema->short_name, len);
	return message;
}

static void *own_alloc(void *arena, size_t size)
{
	return arena_alloc(arena, size);
}

void *msg_unpack_own(const ProtobufCMessageDescriptor *schema, const uint8_t *body, size_t len,
		     struct arena *arena)
{
	ProtobufCAllocator allocator = {
		.alloc = own_alloc, .free = budget_free, .allocator_data = arena};

	return protobuf_c_message_unpack(schema, &allocator, len, body);
}

void *msg_unpack_as(const ProtobufCMessageDescriptor *schema, const uint8_t *body, size_t len,
		    struct arena *arena, struct err *err)
{
	if (message_check(schema, body, len, err))
		return NULL;
	return unpack_checked(schema, body, len, arena, err);
}

void *msg_unpack(const struct msg_info *info, const uint8_t *body, size_t len, struct arena *arena,
		 struct err *err)
{
	if (len > info->body_max) {
		err_set(err, -EMSGSIZE, "%s: %zu bytes, at most %zu are allowed", info->name, len,
			info->body_max);
		return NULL;
	}
	if (info->senders != ROLE_CLIENT)
		return msg_unpack_as(info->schema, body, len, arena, err);
	if (request_check(info->schema, body, len, err))
		return NULL;
	return unpack_checked(info->schema, body, len, arena, err);
}

void msg_pack(const void *message, struct buf *out)
{
	size_t len = protobuf_c_message_get_packed_size(message);
	size_t wrote = protobuf_c_message_pack(message, buf_reserve(out, len));

	assert(wrote == len);
	out->len += len;
	out->data[out->len] = 0;
}

void msg_pack_error(int code, const char *text, struct buf *out)
{
	Armada__ErrorReply error = ARMADA__ERROR_REPLY__INIT;

	error.code = code;
	error.text = (char *)(uintptr_t)text;
	msg_pack(&error, out);
}
