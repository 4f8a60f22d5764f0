/*
 * The answer to the request that is handled: exactly one, at once or later. Texts that are too long
 * are cut after a whole character.
 */
#pragma once

#include "core/txn/txn.h"

/* Answer the request that is handled. */
void reply(struct txn *txn, enum msg_type type, const void *message);
void reply_ok(struct txn *txn, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* code: an exit code (1 refused, 3 not found, 4 not permitted, 75 try again). */
void reply_refuse(struct txn *txn, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
