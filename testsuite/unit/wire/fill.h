/*
 * Makes a message with every field of its schema set, the same in every run: for golden messages,
 * seeds of fuzzers and round trips.
 */
#pragma once

#include "util/arena.h"

#include <protobuf-c/protobuf-c.h>

/*
 * variant selects the field of each oneof that is set. A repeated field gets two values, or one for
 * each variant.
 */
void *fill_message(const ProtobufCMessageDescriptor *schema, unsigned variant, struct arena *arena);
