/*
 * Checks of the bytes of a message before it is decoded.
 *
 * protobuf-c trusts its input: it allocates by the lengths in the bytes, a NUL ends a string early,
 * and invalid UTF-8 is accepted. So this code walks the bytes first, along the schema and without
 * allocations. It checks each tag, length and wire type, each string (UTF-8, no NUL, control
 * characters only where a table allows them), the number of values of a field, and the depth of
 * nested messages. Bytes that pass can be unpacked.
 */
#pragma once

#include "util/arena.h"
#include "util/err.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

enum {
	CHECK_DEPTH = 8,          /* levels of nested messages */
	CHECK_UNKNOWN = 64,       /* unknown fields (of a newer release) in one message */
	CHECK_REPEATED = 1 << 20, /* values of a repeated field, if its row has no lower limit */
};

/* 0, or -EBADMSG with a sentence that names the field: "JobSpec.name: not valid UTF-8". */
int message_check(const ProtobufCMessageDescriptor *schema, const uint8_t *body, size_t len,
		  struct err *err);

/* The same for a request of a user: invisible formatting characters (util/visible.h) are refused, too. */
int request_check(const ProtobufCMessageDescriptor *schema, const uint8_t *body, size_t len,
		  struct err *err);

/*
 * Changes the strings of a decoded message to what can be shown, with hidden characters as \xNN: texts
 * that were stored before they were refused, or that come from nodes. Arguments and environments stay as
 * they are.
 */
void message_show(ProtobufCMessage *m, struct arena *arena);

/* True if a string field may contain the text. newlines: tab and newline are allowed. */
bool text_is_clean(const uint8_t *text, size_t len, bool newlines);
/* If the text is not clean, replaces each byte that is not printable ASCII by a question mark. */
void text_make_clean(char *text, size_t len, bool newlines);
