/*
 * A message with every field of its schema filled, the same on every run: for golden messages,
 * seeds of fuzzers and round trips.
 */
#pragma once

#include "util/arena.h"

#include <protobuf-c/protobuf-c.h>

/* Of a oneof, the variant-th field is set. A repeated field gets two values, or all variants. */
void *fill_message(const ProtobufCMessageDescriptor *schema, unsigned variant, struct arena *arena);
