/*
 * The position of a notify target, in a file of the state directory.
 *
 * The file has two slots of a fixed size, each with a checksum, which are written in turn: a write that is
 * cut short leaves the position before it. The position is never ahead of what the target has accepted.
 */
#pragma once

#include "util/err.h"
#include <armada/history.h>

struct notify_cursor {
	int fd;
	unsigned number; /* of the last write: its lowest bit is the slot */
	struct armada_history_place place;
};

/*
 * Opens or makes the file. ret_damaged: it existed and no slot is valid; it was renamed to
 * NAME.damaged. A new file, and one after damage, begins at `begin`.
 */
int notify_cursor_open(struct notify_cursor *c, const char *state_dir, const char *target,
		       const struct armada_history_place *begin, bool *ret_damaged,
		       struct err *err);
void notify_cursor_close(struct notify_cursor *c);
/* Write the place. The file survives a crash of the process at once, and of the machine after a sync. */
int notify_cursor_write(struct notify_cursor *c, const struct armada_history_place *place);
void notify_cursor_sync(const struct notify_cursor *c);
