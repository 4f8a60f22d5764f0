/*
 * Several submissions in flight on one connection. Each has an entry from its sending until its answer is
 * taken; answers are taken in the order of the submissions. The controller carries the submissions out in
 * that order, but one that names users or groups may be answered after later ones, so an answer is kept
 * until it is the oldest.
 *
 * While there are entries, no other request may use the connection. When the connection breaks, each
 * submission without an answer ends as -EAGAIN, and no new one is sent before all of these have been taken.
 */
#pragma once

#include "client/submit.h"

enum { PIPELINE_MAX = 1024 };

struct pipeline;

/* Borrows the connection. */
struct pipeline *pipeline_new(struct connection *c);
void pipeline_free(struct pipeline *p);
/* The number of submissions whose answers have not been taken. */
size_t pipeline_count(const struct pipeline *p);
/*
 * Sends the finished specs as one submission. -EBUSY: PIPELINE_MAX are in flight. -EAGAIN: the connection
 * broke; it is not known whether the submission arrived. Then, and after any other error, it has no entry.
 */
int pipeline_send(struct pipeline *p, struct spec *const *specs, size_t count,
		  const struct submit_key *key, struct err *err);
/*
 * Waits for the answer of the oldest submission and takes it: its ids, as many as it has jobs, or the
 * error with which it was refused. -ENOENT: there is none.
 */
int pipeline_receive(struct pipeline *p, uint64_t *ret_ids, struct err *err);
