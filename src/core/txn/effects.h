/*
 * Effects of the input that is handled, and specs that are unpacked once. Everything is in the
 * arena of the input.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Add an effect of the current input. Everything that it points to must live as long as the input.
 */
struct effect *effect_add(struct txn *txn, enum effect_kind kind);
/* Add an effect for the connection and the request of the input, which is answered later. */
struct effect *effect_later(struct txn *txn, enum effect_kind kind);
/* The same with a message, which is packed. */
struct effect *effect_later_with(struct txn *txn, enum effect_kind kind, enum msg_type type,
				 const void *message);
/* Close the connection, for this reason. */
void effect_close(struct txn *txn, uint64_t conn, const char *text);
/* Pack a message into the input's arena and send it. */
void effect_send(struct txn *txn, uint64_t conn, uint32_t request, enum msg_type type,
		 const void *message);
/* A line for the shell's log. about is copied; NULL: about nothing in particular. */
void effect_log_about(struct txn *txn, struct log_from from, int level,
		      const struct log_about *about, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
#define effect_log(txn, level, ...) effect_log_about(txn, LOG_FROM, level, NULL, __VA_ARGS__)
/*
 * Unpack a spec into the arena a. If a is the arena of the input, the last unpacked spec is reused.
 */
const Armada__JobSpec *spec_open(const struct txn *txn, const struct spec *s, struct arena *a);
