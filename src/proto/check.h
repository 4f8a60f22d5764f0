/*
 * A look at the bytes of a message before anything is decoded.
 *
 * protobuf-c trusts what it reads: lengths decide what it allocates, a NUL ends a string early, bad
 * UTF-8 passes. So the bytes are walked first, along the schema and without taking memory: every
 * tag, length and wire type, strings (UTF-8; no NUL; control bytes only where a table allows them),
 * how often a field comes, how deep messages nest. What passes here can be unpacked.
 */
#pragma once

#include "util/err.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

enum {
	CHECK_DEPTH = 8,          /* messages within messages */
	CHECK_UNKNOWN = 64,       /* fields of a newer release in one message */
	CHECK_REPEATED = 1 << 20, /* values of one repeated field, where no row says less */
};

/* 0, or -EBADMSG with a sentence that names the field: "JobSpec.name: not valid UTF-8". */
int message_check(const ProtobufCMessageDescriptor *schema, const uint8_t *body, size_t len,
		  struct err *err);

/* Is this text what a string field may hold? newlines: tab and newline are allowed. */
bool text_is_clean(const uint8_t *text, size_t len, bool newlines);
/* If it is not, every byte but printable ASCII becomes a question mark. */
void text_make_clean(char *text, size_t len, bool newlines);
