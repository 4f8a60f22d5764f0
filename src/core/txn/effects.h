/*
 * Effects of the input that is handled, and what it unpacks once. All of it is in the arena of the input.
 */
#pragma once

#include "core/txn/txn.h"

/* Add an effect of the current input; everything it points to must live as long as the input. */
struct effect *effect_add(struct txn *txn, enum effect_kind kind);
/* Of the connection and the request of the input: it is answered later. */
struct effect *effect_later(struct txn *txn, enum effect_kind kind);
/* The same with a message, packed. */
struct effect *effect_later_with(struct txn *txn, enum effect_kind kind, enum msg_type type,
				 const void *message);
/* The connection is to be closed, for this reason. */
void effect_close(struct txn *txn, uint64_t conn, const char *text);
/* Pack a message into the input's arena and send it. */
void effect_send(struct txn *txn, uint64_t conn, uint32_t request, enum msg_type type,
		 const void *message);
void effect_log(struct txn *txn, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Unpacked into the arena, once an input if that is the input's own. */
const Armada__JobSpec *spec_open(const struct txn *txn, const struct spec *s, struct arena *a);
