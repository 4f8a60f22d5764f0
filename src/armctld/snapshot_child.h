/*
 * Takes a snapshot of a large state without stopping the loop: a child process, which has a copy of the
 * memory, packs the state into a file of memory, while the controller goes on.
 *
 * Cost for the loop: the copy of the page tables, and a reference to each script and environment. The kernel
 * copies each page that the controller changes while the child runs. Each page of the file is memory of the
 * controller until the snapshot is written.
 */
#pragma once

#include <stdint.h>

struct core;
struct event_base;
struct snapshot;

struct snapshot_child;

/* On the loop, once. s, which belongs to the callee, is NULL if the child failed: its reason was logged. */
typedef void snapshot_child_done_fn(void *arg, struct snapshot *s);

/* NULL if no child could be started: its reason was logged. done is not called in this call. */
struct snapshot_child *snapshot_child_new(struct event_base *base, const struct core *core,
					  snapshot_child_done_fn *done, void *arg);
/* Ends the child, if it still runs. From done on the caller frees it, too. NULL is allowed. */
void snapshot_child_free(struct snapshot_child *x);
