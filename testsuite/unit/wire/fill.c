/*
 * Fills a message by its protobuf-c schema: each field gets a value that depends on its type and
 * number.
 */
#include "unit/wire/fill.h"

#include <stdbool.h>
#include <stdint.h>

static size_t value_size(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_MESSAGE:
		return sizeof(void *);
	case PROTOBUF_C_TYPE_BYTES:
		return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_DOUBLE:
		return 8;
	default:
		return 4;
	}
}

static unsigned variants(const ProtobufCMessageDescriptor *schema)
{
	unsigned n = 0;

	for (unsigned i = 0; i < schema->n_fields; i++)
		n += (schema->fields[i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
	return n;
}

static void fill_value(const ProtobufCFieldDescriptor *f, unsigned n, void *at, struct arena *arena)
{
	uint64_t number = (uint64_t)f->id * 1000 + n;

	switch (f->type) {
	case PROTOBUF_C_TYPE_STRING:
		*(char **)at = arena_printf(arena, "%s %u", f->name, n);
		break;
	case PROTOBUF_C_TYPE_BYTES:
		((ProtobufCBinaryData *)at)->len = 32;
		((ProtobufCBinaryData *)at)->data =
			arena_memdup(arena,
				     "0123456789abcdef\0\1\2\3\xff\xfe\xfd\xfc"
				     "........",
				     32);
		break;
	case PROTOBUF_C_TYPE_MESSAGE:
		*(void **)at = fill_message(f->descriptor, n, arena);
		break;
	case PROTOBUF_C_TYPE_ENUM: {
		const ProtobufCEnumDescriptor *e = f->descriptor;

		*(int *)at = e->values[e->n_values - 1].value;
		break;
	}
	case PROTOBUF_C_TYPE_BOOL:
		*(protobuf_c_boolean *)at = 1;
		break;
	case PROTOBUF_C_TYPE_DOUBLE:
		*(double *)at = (double)number + 0.5;
		break;
	default:
		if (value_size(f->type) == 8)
			*(uint64_t *)at = number << 32;
		else
			*(uint32_t *)at = (uint32_t)number;
	}
}

static void fill_repeated(const ProtobufCFieldDescriptor *f, uint8_t *message, struct arena *arena)
{
	unsigned kinds = f->type == PROTOBUF_C_TYPE_MESSAGE ? variants(f->descriptor) : 0;
	size_t count = kinds ? kinds : 2, size = value_size(f->type);
	uint8_t *array = arena_zalloc(arena, count, size);

	for (unsigned i = 0; i < count; i++)
		fill_value(f, i, array + i * size, arena);
	*(void **)(message + f->offset) = array;
	*(size_t *)(message + f->quantifier_offset) = count;
}

void *fill_message(const ProtobufCMessageDescriptor *schema, unsigned variant, struct arena *arena)
{
	uint8_t *message = arena_zalloc(arena, 1, schema->sizeof_message);
	unsigned seen = 0;

	protobuf_c_message_init(schema, message);
	for (unsigned i = 0; i < schema->n_fields; i++) {
		const ProtobufCFieldDescriptor *f = &schema->fields[i];
		bool oneof = f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF;

		if (oneof && seen++ != variant)
			continue;
		if (oneof)
			*(uint32_t *)(message + f->quantifier_offset) = f->id;
		if (f->label == PROTOBUF_C_LABEL_REPEATED)
			fill_repeated(f, message, arena);
		else
			fill_value(f, 0, message + f->offset, arena);
	}
	return message;
}
