/*
 * Checks of the bytes of a message, level by level along its schema. Input: a schema and the packed
 * bytes. Output: 0, or an error that names the field. The table field_rules lists the fields that may
 * contain control characters or that have a lower limit of values. Nothing is allocated.
 */
#include "proto/check.h"
#include "proto/agent.pb-c.h"
#include "proto/client.pb-c.h"
#include "proto/common.pb-c.h"
#include "proto/session.pb-c.h"
#include "proto/stub.pb-c.h"
#include "util/mem.h"
#include "util/utf8.h"
#include "util/visible.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The characters that a string may contain besides printable UTF-8. */
enum text_rule {
	TEXT_LINE,      /* none: the text is printed on a terminal or in a listing */
	TEXT_PARAGRAPH, /* tab and newline */
	TEXT_ARGUMENT,  /* any character but NUL: the text is passed to a program */
};

struct field_rule {
	const ProtobufCMessageDescriptor *schema;
	uint32_t id;
	enum text_rule text;
	uint32_t max; /* values of a repeated field; 0: CHECK_REPEATED */
};

/* Fields with other rules. All other fields are TEXT_LINE and CHECK_REPEATED. */
static const struct field_rule field_rules[] = {
	/* clang-format off */
	{ &armada__refusal__descriptor,		 2, TEXT_PARAGRAPH, 0 },
	{ &armada__error_reply__descriptor,	 2, TEXT_PARAGRAPH, 0 },
	{ &armada__ok_reply__descriptor,	 1, TEXT_PARAGRAPH, 0 },
	{ &armada__task_end__descriptor,	 4, TEXT_PARAGRAPH, 0 },
	{ &armada__job_spec__descriptor,	30, TEXT_PARAGRAPH, 0 },	/* comment */
	{ &armada__job_spec__descriptor,	21, TEXT_ARGUMENT, 65536 },	/* args */
	{ &armada__job_spec__descriptor,	 6, TEXT_LINE, 1024 },		/* groups */
	{ &armada__job_spec__descriptor,	11, TEXT_LINE, 1024 },		/* selectors */
	{ &armada__job_spec__descriptor,	12, TEXT_LINE, 1024 },		/* tolerations */
	{ &armada__job_spec__descriptor,	15, TEXT_LINE, 65536 },		/* array */
	{ &armada__job_spec__descriptor,	60, TEXT_LINE, 1024 },		/* dependencies */
	{ &armada__task_group__descriptor,	 3, TEXT_LINE, 256 },		/* resources */
	{ &armada__task_group__descriptor,	 4, TEXT_ARGUMENT, 65536 },	/* argv */
	{ &armada__task_group__descriptor,	 5, TEXT_LINE, 1024 },		/* selectors */
	{ &armada__task_group__descriptor,	 6, TEXT_LINE, 1024 },		/* tolerations */
	{ &armada__task_group__descriptor,	 7, TEXT_ARGUMENT, 65536 },	/* env */
	{ &armada__task_group__descriptor,	 8, TEXT_ARGUMENT, 65536 },	/* args */
	{ &armada__job_row__descriptor,		40, TEXT_LINE, 1024 },		/* groups */
	{ &armada__task_body__descriptor,	 6, TEXT_LINE, 65536 },		/* gids */
	{ &armada__task_body__descriptor,	 7, TEXT_ARGUMENT, 65536 },	/* argv */
	{ &armada__task_body__descriptor,	 9, TEXT_ARGUMENT, 65536 },	/* args */
	{ &armada__task_body__descriptor,	11, TEXT_ARGUMENT, 65536 },	/* task_env */
	{ &armada__step_request__descriptor,	 4, TEXT_LINE, 65536 },		/* ranks */
	{ &armada__stub_payload__descriptor,	 1, TEXT_LINE, 16 },		/* addresses */
	{ &armada__stub_payload__descriptor,	 8, TEXT_LINE, 65536 },		/* tasks */
	{ &armada__submit_request__descriptor,	 2, TEXT_LINE, 65536 },		/* jobs */
	{ &armada__submit_request__descriptor,	 3, TEXT_LINE, 131072 },	/* blobs */
	{ &armada__list_queues_request__descriptor, 1, TEXT_LINE, 1024 },	/* names */
	{ &armada__list_nodes_request__descriptor, 1, TEXT_LINE, 16384 },	/* names */
	{ &armada__cancel_reply__descriptor,	 6, TEXT_PARAGRAPH, 1024 },	/* problems */
	{ &armada__hold_reply__descriptor,	 3, TEXT_PARAGRAPH, 1024 },
	{ &armada__update_job_reply__descriptor, 4, TEXT_PARAGRAPH, 1024 },
	{ &armada__requeue_reply__descriptor,	 5, TEXT_PARAGRAPH, 1024 },
	{ &armada__register_node__descriptor,	 6, TEXT_LINE, 256 },		/* resources */
	{ &armada__register_node__descriptor,	 7, TEXT_LINE, 1024 },		/* labels */
	{ &armada__register_node__descriptor,	 8, TEXT_LINE, 256 },		/* taints */
	/* clang-format on */
};

/*
 * Most fields have no row. So the table is searched only for texts that are not TEXT_LINE and for
 * fields with more values than this.
 */
enum { COUNT_WITHOUT_RULE = 256 };

static const struct field_rule *rule_find(const ProtobufCMessageDescriptor *schema, uint32_t id)
{
	for (size_t i = 0; i < ARRAY_SIZE(field_rules); i++) {
		if (field_rules[i].schema == schema && field_rules[i].id == id)
			return &field_rules[i];
	}
	return NULL;
}

/*
 * The strictest rule that the text fulfils, or -1: invalid UTF-8 or a NUL. ret_hidden: its first invisible
 * formatting character, or 0.
 */
static int text_kind(const uint8_t *text, size_t len, uint32_t *ret_hidden)
{
	int kind = TEXT_LINE;

	*ret_hidden = 0;

	for (size_t i = 0; i < len;) {
		uint32_t code;
		size_t n;

		if (text[i] >= 0x20 && text[i] < 0x7f) {
			i++;
			continue;
		}
		n = utf8_char(text + i, len - i, &code);
		if (!n || !code)
			return -1;
		if (code == '\t' || code == '\n')
			kind = kind < TEXT_PARAGRAPH ? TEXT_PARAGRAPH : kind;
		else if (visible_is_control(code))
			kind = TEXT_ARGUMENT;
		else if (!*ret_hidden && visible_is_hidden(code))
			*ret_hidden = code;
		i += n;
	}
	return kind;
}

bool text_is_clean(const uint8_t *text, size_t len, bool newlines)
{
	uint32_t hidden;
	int kind = text_kind(text, len, &hidden);

	return kind >= 0 && !hidden && kind <= (newlines ? TEXT_PARAGRAPH : TEXT_LINE);
}

void text_make_clean(char *text, size_t len, bool newlines)
{
	if (text_is_clean((const uint8_t *)text, len, newlines))
		return;
	for (size_t i = 0; i < len; i++)
		if (text[i] < 0x20 || text[i] > 0x7e)
			text[i] = '?';
}

/* One level of nested messages. */
struct level {
	const ProtobufCMessageDescriptor *schema;
	unsigned depth;
	bool strict;    /* formatting characters are refused, too */
	uint64_t seen;  /* singular fields, by index below 64 */
	unsigned oneof; /* 1 + offset of the case of the oneof that was seen */
	unsigned unknown;
	unsigned last; /* index of the repeated field that is being counted */
	uint32_t count;
};

static int level_check(const ProtobufCMessageDescriptor *schema, unsigned depth, bool strict,
		       const uint8_t *body, size_t len, struct err *err);

static bool varint_at(const uint8_t **p, const uint8_t *end, uint64_t *ret_value)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70 && *p < end; shift += 7) {
		uint8_t b = *(*p)++;

		if (shift == 63 && b > 1)
			return false;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80)) {
			*ret_value = v;
			return true;
		}
	}
	return false;
}

static int string_check(const struct level *l, const ProtobufCFieldDescriptor *f,
			const uint8_t *text, size_t len, struct err *err)
{
	const struct field_rule *rule;
	uint32_t hidden;
	int kind = text_kind(text, len, &hidden);

	hidden = l->strict ? hidden : 0;
	if (kind == TEXT_LINE && !hidden)
		return 0;
	rule = kind < 0 ? NULL : rule_find(l->schema, f->id);
	if (rule && (rule->text == TEXT_ARGUMENT || ((unsigned)kind <= rule->text && !hidden)))
		return 0;
	if (hidden)
		return err_set(err, -EBADMSG,
			       "%s.%s: contains the invisible character U+%04" PRIX32
			       ", which is not allowed there",
			       l->schema->short_name, f->name, hidden);
	return err_set(err, -EBADMSG, "%s.%s: %s", l->schema->short_name, f->name,
		       kind < 0 ? "not valid UTF-8 text"
				: "contains control characters, which are not allowed there");
}

/* Returns the number of values of a packed field, or -1 if a value is incomplete. */
static long packed_count(const ProtobufCFieldDescriptor *f, const uint8_t *p, size_t len)
{
	const uint8_t *end = p + len;
	uint64_t value;
	long n = 0;

	switch (f->type) {
	case PROTOBUF_C_TYPE_SFIXED32:
	case PROTOBUF_C_TYPE_FIXED32:
	case PROTOBUF_C_TYPE_FLOAT:
		return len % 4 ? -1 : (long)(len / 4);
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_DOUBLE:
		return len % 8 ? -1 : (long)(len / 8);
	default:
		for (; p < end; n++) {
			if (!varint_at(&p, end, &value))
				return -1;
		}
		return n;
	}
}

static ProtobufCWireType wire_type_of(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_SFIXED32:
	case PROTOBUF_C_TYPE_FIXED32:
	case PROTOBUF_C_TYPE_FLOAT:
		return PROTOBUF_C_WIRE_TYPE_32BIT;
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_DOUBLE:
		return PROTOBUF_C_WIRE_TYPE_64BIT;
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_BYTES:
	case PROTOBUF_C_TYPE_MESSAGE:
		return PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
	default:
		return PROTOBUF_C_WIRE_TYPE_VARINT;
	}
}

/* Checks the number of values: one for a singular field; else the limit of the field. */
static int count_check(struct level *l, const ProtobufCFieldDescriptor *f, long values,
		       struct err *err)
{
	unsigned index = (unsigned)(f - l->schema->fields);
	const struct field_rule *rule;
	uint32_t max = CHECK_REPEATED;

	if (f->label != PROTOBUF_C_LABEL_REPEATED) {
		bool oneof = f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF;

		if ((index < 64 && l->seen >> index & 1) ||
		    (oneof && l->oneof == 1 + f->quantifier_offset))
			return err_set(err, -EBADMSG, "%s.%s: given twice", l->schema->short_name,
				       f->name);
		l->seen |= index < 64 ? (uint64_t)1 << index : 0;
		if (oneof)
			l->oneof = 1 + f->quantifier_offset;
		return 0;
	}
	/* Packers write the values of a field together, so only consecutive values are counted. A
	 * message that interleaves fields to get more values is stopped by the limit on memory. */
	l->count = l->last == index + 1 ? l->count : 0;
	l->last = index + 1;
	if (l->count + (unsigned long)values > COUNT_WITHOUT_RULE) {
		rule = rule_find(l->schema, f->id);
		max = rule && rule->max ? rule->max : max;
	}
	if (l->count + (unsigned long)values > max)
		return err_set(err, -EBADMSG, "%s.%s: more than %u values", l->schema->short_name,
			       f->name, max);
	l->count += (uint32_t)values;
	return 0;
}

static int value_check(struct level *l, const ProtobufCFieldDescriptor *f, ProtobufCWireType wire,
		       const uint8_t *data, size_t len, struct err *err)
{
	bool packed = wire == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED &&
		      wire_type_of(f->type) != wire && f->label == PROTOBUF_C_LABEL_REPEATED;
	long values = packed ? packed_count(f, data, len) : 1;
	int rc;

	if ((!packed && wire != wire_type_of(f->type)) || values < 0)
		return err_set(err, -EBADMSG, "%s.%s: not encoded as its type",
			       l->schema->short_name, f->name);
	rc = count_check(l, f, values, err);
	if (rc)
		return rc;
	if (f->type == PROTOBUF_C_TYPE_STRING)
		return string_check(l, f, data, len, err);
	if (f->type == PROTOBUF_C_TYPE_MESSAGE)
		return level_check(f->descriptor, l->depth + 1, l->strict, data, len, err);
	return 0;
}

/* Returns the value at *p and moves *p past it. */
static bool value_at(const uint8_t **p, const uint8_t *end, ProtobufCWireType wire,
		     const uint8_t **ret_data, size_t *ret_len)
{
	uint64_t n = 0;

	*ret_data = *p;
	switch (wire) {
	case PROTOBUF_C_WIRE_TYPE_VARINT:
		if (!varint_at(p, end, &n))
			return false;
		*ret_len = (size_t)(*p - *ret_data);
		return true;
	case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
		if (!varint_at(p, end, &n))
			return false;
		break;
	case PROTOBUF_C_WIRE_TYPE_32BIT:
		n = 4;
		break;
	case PROTOBUF_C_WIRE_TYPE_64BIT:
		n = 8;
		break;
	default: /* groups are not used */
		return false;
	}
	if (n > (uint64_t)(end - *p))
		return false;
	*ret_data = *p;
	*ret_len = (size_t)n;
	*p += n;
	return true;
}

static int level_check(const ProtobufCMessageDescriptor *schema, unsigned depth, bool strict,
		       const uint8_t *body, size_t len, struct err *err)
{
	struct level l = {.schema = schema, .depth = depth, .strict = strict};
	const uint8_t *p = body, *end = body + len;

	if (depth > CHECK_DEPTH)
		return err_set(err, -EBADMSG, "%s: nested too deep", schema->short_name);
	while (p < end) {
		const ProtobufCFieldDescriptor *f;
		const uint8_t *data;
		uint64_t tag;
		size_t size;
		int rc;

		if (!varint_at(&p, end, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff ||
		    !value_at(&p, end, tag & 7, &data, &size))
			return err_set(err, -EBADMSG, "%s: cut short or garbled",
				       schema->short_name);
		f = protobuf_c_message_descriptor_get_field(schema, (unsigned)(tag >> 3));
		if (!f && ++l.unknown > CHECK_UNKNOWN)
			return err_set(err, -EBADMSG, "%s: more than %d unknown fields",
				       schema->short_name, CHECK_UNKNOWN);
		rc = f ? value_check(&l, f, tag & 7, data, size, err) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

int message_check(const ProtobufCMessageDescriptor *schema, const uint8_t *body, size_t len,
		  struct err *err)
{
	return level_check(schema, 1, false, body, len, err);
}

int request_check(const ProtobufCMessageDescriptor *schema, const uint8_t *body, size_t len,
		  struct err *err)
{
	return level_check(schema, 1, true, body, len, err);
}

/* The text as it can be shown; the same one if all of it can. */
static char *shown(char *text, bool paragraph, struct arena *arena)
{
	size_t len = strlen(text);
	CLEANUP_BUF struct buf out = {0};

	if (text_is_clean((const uint8_t *)text, len, paragraph))
		return text;
	visible_add(&out, text, paragraph);
	return arena_strdup(arena, (char *)out.data);
}

static void field_show(const ProtobufCMessageDescriptor *schema, const ProtobufCFieldDescriptor *f,
		       void **value, struct arena *arena)
{
	const struct field_rule *rule = NULL;

	if (!*value)
		return;
	if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
		message_show(*value, arena);
		return;
	}
	if (!text_is_clean(*value, strlen(*value), false))
		rule = rule_find(schema, f->id);
	if (!rule || rule->text != TEXT_ARGUMENT)
		*value = shown(*value, rule && rule->text == TEXT_PARAGRAPH, arena);
}

void message_show(ProtobufCMessage *m, struct arena *arena)
{
	for (unsigned i = 0; i < m->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
		char *at = (char *)m + f->offset, *quantifier = (char *)m + f->quantifier_offset;
		bool repeated = f->label == PROTOBUF_C_LABEL_REPEATED;
		size_t n = repeated ? *(const size_t *)(void *)quantifier : 1;
		void **values = repeated ? *(void ***)(void *)at : (void **)(void *)at;

		if (f->type != PROTOBUF_C_TYPE_STRING && f->type != PROTOBUF_C_TYPE_MESSAGE)
			continue;
		if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF &&
		    *(const uint32_t *)(void *)quantifier != f->id)
			continue;
		for (size_t k = 0; k < n; k++)
			field_show(m->descriptor, f, &values[k], arena);
	}
}
