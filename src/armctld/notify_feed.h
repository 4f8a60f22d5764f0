/*
 * One notify target: a thread that reads ends from the history in pages and gives them to the target, one at
 * a time, until each is accepted.
 *
 * Memory: one page, whatever the number of ends that wait; the ends themselves are in the history. The
 * thread never touches the core, and the loop never waits for it except at the end.
 */
#pragma once

#include "armctld/notify_helper.h"
#include <armada/state.h>

struct notify_feed;

/*
 * Make a delivery of the end at `place`: fill *ret_end, with texts in the arena. False: the target
 * does not want it. data: a packed JobRow, also of a start and of an element that waits again, or,
 * of a feed of jobs, a packed ShowJobReply.
 */
struct arena;
typedef bool notify_make_fn(const struct armada_history_place *place, const void *data, size_t len,
			    struct arena *a, struct armada_notify_end *ret_end);

struct notify_target {
	const char *name; /* a file name */
	const char *plugin, *target;
	int64_t timeout_us;
	enum armada_ends which;
	bool from_now; /* after damage of its position: begin at the present, not at the beginning */
	notify_make_fn *make;
};

struct notify_feed_config {
	const struct armada_state_ops *state;
	void *handle;
	const char *state_dir, *plugin_dir;
	uint64_t seq; /* a new target gets the ends of later records */
};

/* Everything in config and target is borrowed until notify_feed_free. */
int notify_feed_new(struct notify_feed **ret_feed, const struct notify_feed_config *config,
		    const struct notify_target *target, struct err *err);
/* Kills the target's process. */
void notify_feed_free(struct notify_feed *f);

struct notify_status {
	struct armada_history_place place; /* of the last accepted end */
	uint64_t behind;                   /* ends after it, counted up to 100,000 */
	uint64_t accepted;                 /* since the start of the controller */
	char error[256];                   /* of the last try; "": it was accepted */
	int64_t since_us;                  /* wall clock: since when it fails; 0: it does not */
};
const struct notify_target *notify_feed_target(const struct notify_feed *f);
void notify_feed_status(struct notify_feed *f, struct notify_status *ret_status);
