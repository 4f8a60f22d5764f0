/*
 * Nothing that was not made durable is ever seen outside.
 *
 * Outputs of the core go in, in order; their records are appended on the commit thread, everything
 * that arrived while the last append ran in one go; their effects come out on the loop's thread, in
 * the same order, once the record of their input and every one before it is durable. An output
 * without a record waits only for the records before it, and when it says which is the last one it
 * tells of, for that one alone: it may overtake.
 *
 * When an append fails nobody knows what reached the disk: `failed` is called on the commit thread
 * with the sentence, and must not return in a daemon.
 */
#pragma once

#include "armctld/batch.h"

struct event_base;
struct commit;

struct commit_ops {
	/* The effects of one input; borrowed for the call. */
	void (*send_effects)(void *arg, const struct effect *effects, size_t count);
	/* Every record up to seq is durable and its effects are out. */
	void (*durable)(void *arg, uint64_t seq);
	void (*failed)(void *arg, const char *sentence);
};

/* state and handle are borrowed. */
struct commit *commit_new(struct event_base *base, const struct armada_state_ops *state,
			  void *handle, const struct commit_ops *ops, void *arg);
/* Waits for the append under way; what was not let out by then is not. */
void commit_free(struct commit *c);
void commit_output(struct commit *c, const struct output *out);
/* Keep a snapshot once the records before it are durable. Takes s. */
void commit_snapshot(struct commit *c, struct snapshot *s);
/* Everything that was given is out. */
bool commit_idle(const struct commit *c);
