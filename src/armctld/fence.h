/*
 * The site's fence program, run for silent nodes: a child for each, none of which anything waits for.
 *
 * A program gets the node's name as its only argument, an environment built from nothing, no file of
 * ours, and a time. Only exit status 0 within that time proves anything. What it writes to its
 * standard error is for the log.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct fences;

/* node, seq: as given; text: why nothing is proved, "" otherwise. Borrowed for the call. */
typedef void fence_done(void *arg, const char *node, uint64_t seq, bool fenced, const char *text);

struct fences *fences_new(struct event_base *base, fence_done *done, void *arg);
/* Whatever runs is killed; nobody is told. */
void fences_free(struct fences *f);
/* done is called later, never from here. */
void fences_add(struct fences *f, const char *program, int64_t timeout_us, const char *node,
		uint64_t seq);
