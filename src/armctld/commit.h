/*
 * Sends effects only after the records that they depend on are durable.
 *
 * Outputs of the core go in, in order. The commit thread appends their records; one append takes
 * all that arrived while the last one ran. Their effects come out on the loop's thread, in the same
 * order, once the record of their input and all records before it are durable. An output without a
 * record waits for the records before it. If it names the last record that it depends on
 * (output.needs), it waits only for that one and may overtake others.
 *
 * An append that waits for the store of several controllers (-EAGAIN), or for space, is repeated.
 *
 * When an append fails, it is unknown what reached the disk: `failed` is called on the commit
 * thread with the sentence, and must not return in a daemon.
 */
#pragma once

#include "armctld/batch.h"
#include "util/histogram.h"

struct event_base;
struct commit;

struct commit_ops {
	/* The effects of one input; borrowed for the call. */
	void (*send_effects)(void *arg, const struct effect *effects, size_t count);
	/*
	 * This many bytes wait here because of a connection (its record; an effect for it), or
	 * (negative) no longer: their effects are about to be sent.
	 */
	void (*writing)(void *arg, uint64_t conn, int64_t bytes);
	void (*waiting)(void *arg, uint64_t conn, int64_t bytes);
	/* Every record up to seq is durable and its effects have been sent. */
	void (*durable)(void *arg, uint64_t seq);
	void (*failed)(void *arg, int code, const char *sentence);
};

/* state and handle are borrowed. */
struct commit *commit_new(struct event_base *base, const struct armada_state_ops *state,
			  void *handle, const struct commit_ops *ops, void *arg);
/* Waits for the append in progress; effects that are not released by then are dropped. */
void commit_free(struct commit *c);
/* conn: the connection that the input came from; 0: none. */
void commit_output(struct commit *c, uint64_t conn, const struct output *out);
/* Write a snapshot after the records before it are durable. Takes s. */
void commit_snapshot(struct commit *c, struct snapshot *s);
/* For how long records have waited for the store or a copy of it, and why; 0: none waits. */
int64_t commit_stalled(struct commit *c, char ret_why[512]);
/* How long appends took, with their waits for space and for copies. */
void commit_times(struct commit *c, struct histogram *ret);
bool commit_writes_snapshot(const struct commit *c);
/* True if all outputs have been released, and no snapshot is being written. */
bool commit_idle(const struct commit *c);
