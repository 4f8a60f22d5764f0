/*
 * Runs the site's fence program for silent nodes, each in a child of its own, without blocking the
 * loop.
 *
 * A program gets the node's name as its only argument, a new environment, no descriptor of armctld,
 * and a time limit. Only exit status 0 within the limit proves that the node is dead. Its standard
 * error goes to the log.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct fences;

/*
 * node, seq: as passed; text: why the node is not proved dead, "" otherwise. Borrowed for the call.
 */
typedef void fence_done(void *arg, const char *node, uint64_t seq, bool fenced, const char *text);

struct fences *fences_new(struct event_base *base, fence_done *done, void *arg);
/* Running programs are killed; done is not called for them. */
void fences_free(struct fences *f);
/* done is called later, never from this function. */
void fences_add(struct fences *f, const char *program, int64_t timeout_us, const char *node,
		uint64_t seq);
