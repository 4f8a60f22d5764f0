/*
 * Shared by the tests of state plugins.
 *
 * The plugin is loaded with dlopen(3). Record n always has the same text, whose length depends on
 * n, so that a replay can be checked with the sequence numbers alone.
 */
#pragma once

#include "tap/tap.h"
#include <armada/state.h>

extern const struct armada_state_ops *ops;
extern struct armada_error err; /* the error of the last call of a function of this file */

/* Loads state/sqlite; ends the test if it cannot be loaded. */
void harness_load(void);
/* Loads another state plugin, and forgets all options. */
void harness_load_plugin(const char *name);
/* Sets an option, by its index in the table of the plugin, for states that are opened later. */
void harness_option(size_t index, int64_t value);
void harness_option_text(size_t index, const char *value);
const struct armada_option_value *harness_values(void);
void harness_option_list(size_t index, const char *const *list, size_t count);

/* Makes a new private directory without a state; harness_done() removes it. */
const char *harness_dir(void);
/* The path of a file in a directory; valid until the fourth later call. */
const char *harness_path(const char *dir, const char *name);
/* Removes the directories and ends the test; returns the exit status of main. */
int harness_done(void);

/* Makes the text of record seq. Returns its length, at most RECORD_MAX. */
#define RECORD_MAX 700
size_t record_text(uint64_t seq, char text[RECORD_MAX]);

int state_init(const char *dir);
int state_open(const char *dir, void **ret_handle, struct armada_state_info *ret_info);
/* Appends records first to last in one batch. */
int state_append(void *handle, uint64_t first, uint64_t last);
/* Appends records first to last in batches of at most n. */
int state_append_by(void *handle, uint64_t first, uint64_t last, uint64_t n);
/* Writes a snapshot at seq with this many chunks. */
int state_snapshot_at(void *handle, uint64_t seq, size_t count);

struct replayed {
	uint64_t snapshot_seq, chunks; /* chunks of the snapshot, whose contents were checked */
	uint64_t first, last;          /* 0: none */
	uint64_t wrong;                /* chunks or records that differ from those written */
};
/* Replays the state and fills *ret_seen; -1 if the plugin refuses. */
int state_replay(void *handle, struct replayed *ret_seen);

/* The lines that the plugin has logged since the last state_open(). */
const char *harness_logged(void);

/* Copy, read and write whole files; end the test on errors. */
void copy_dir(const char *from, const char *to);
void *read_file(const char *path, size_t *ret_len);
void write_file(const char *path, const void *data, size_t len);
