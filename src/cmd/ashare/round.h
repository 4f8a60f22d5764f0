/*
 * ashare: the last scheduling round.
 */
#pragma once

#include "cmd/ashare/ashare.h"
#include "proto/msg.h"

/* names: the queues; none: all. Returns 0, a negative errno with err, or an exit code. */
int ashare_round(const struct ashare *r, const char *const *names, size_t count, struct err *err);
/* JSON of a round, null for NULL, and of what is reserved; the gateway has both, too. */
json_t *ashare_round_json(const Armada__Round *r);
json_t *ashare_reserved_json(const Armada__RoundReply *reply);
