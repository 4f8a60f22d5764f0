/*
 * The disk of the state: when it is full, requests that store more are refused, so that the rest of the space
 * and the reserve of the state plugin are left for the ends of jobs. The same holds when more rows wait in
 * memory for the history than are allowed, because it cannot be written or is slow, and when records wait
 * for the store of several controllers or a copy of it.
 */
#pragma once

#include "armctld/commit.h"
#include "armctld/history.h"
#include "proto/msg.h"

#include <armada/state.h>
#include <stdbool.h>

struct disk {
	struct armada_state_space space; /* at the last look */
	bool known;
	bool full;      /* of the file system */
	bool backlog;   /* too many rows wait for the history */
	bool stalled;   /* records have waited too long for the store or a copy of it */
	bool starved;   /* most of the reserve is gone, or twice as many wait: no job is started */
	char text[512]; /* for people: why requests are refused, or will be; "": all is well */
};

/* Look at the disk, and log what changed. Called once a second; takes microseconds. */
void disk_look(struct disk *d, const struct armada_state_ops *state, void *handle, const char *dir);
/* The same for the history, after disk_look(). backlog_max: limits.history_backlog. */
void disk_look_history(struct disk *d, const struct history_backlog *b, int64_t backlog_max);
/* The same for records that wait for the store, after these. */
void disk_look_commit(struct disk *d, struct commit *commit);
/* True if a message of this type is refused now, with exit code 75 and the text. */
bool disk_refuses(const struct disk *d, enum msg_type type);
