/*
 * What the tests of state/sqlite share.
 *
 * The plugin is loaded with dlopen as any host would, and needs no host. Record n of a test state
 * is always the same text of a length that depends on n, so any replay can be checked against
 * nothing but its sequence numbers.
 */
#pragma once

#include "tap/tap.h"
#include <armada/state.h>

extern const struct armada_state_ops *ops;
extern struct armada_error err; /* of the last call of any function here */

/* Load the plugin; bails out if it cannot. */
void harness_load(void);
/* The value of an option for states opened after this; by index in the plugin's table. */
void harness_option(size_t index, int64_t value);

/* A new private directory that does not exist yet as a state; removed by harness_done. */
const char *harness_dir(void);
/* The path of a file in it; good until the fourth call from now. */
const char *harness_path(const char *dir, const char *name);
/* Remove the directories and end the test: what main returns. */
int harness_done(void);

/* The text of record seq: returns its length, at most RECORD_MAX. */
#define RECORD_MAX 700
size_t record_text(uint64_t seq, char text[RECORD_MAX]);

int state_init(const char *dir);
int state_open(const char *dir, void **ret_handle, struct armada_state_info *ret_info);
/* Append records first..last in one batch. */
int state_append(void *handle, uint64_t first, uint64_t last);
/* The same records in batches of at most n. */
int state_append_by(void *handle, uint64_t first, uint64_t last, uint64_t n);
/* A snapshot at seq of count chunks. */
int state_snapshot(void *handle, uint64_t seq, size_t count);

struct replayed {
	uint64_t snapshot_seq, chunks; /* chunks of state_snapshot, checked */
	uint64_t first, last;          /* 0: none */
	uint64_t wrong;                /* chunks or records that are not what was written */
};
/* Replay into *ret_seen; -1 if the plugin refuses. */
int state_replay(void *handle, struct replayed *ret_seen);

/* Log lines the plugin gave its host since the last state_open. */
const char *harness_logged(void);

/* Whole files, for crash copies. Die on errors. */
void copy_dir(const char *from, const char *to);
void *read_file(const char *path, size_t *ret_len);
void write_file(const char *path, const void *data, size_t len);
