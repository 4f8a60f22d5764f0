/*
 * The items of a page of the history (history_page.h), as effects that history_add() takes.
 *
 * Input: the decoded answer of another controller, which is not trusted more than any other peer. A page is
 * taken whole or not at all. Scripts and environments that came with earlier pages are remembered, some of
 * the last ones, so that they need not come again.
 */
#pragma once

#include "core/txn/effect.h"

enum { HISTORY_BLOBS = 64 };

/* The last scripts and environments, up to a sum of bytes. */
struct history_blobs {
	struct history_blob {
		uint8_t hash[32];
		struct shared *bytes;
	} list[HISTORY_BLOBS];
	size_t count;
};

void history_blobs_done(struct history_blobs *b);

/* The array is in the arena, which holds the blobs. -EBADMSG, with a sentence: the page is refused. */
int history_items_read(const Armada__CopyHistoryReply *m, struct history_blobs *blobs,
		       struct arena *arena, struct effect **ret_list, size_t *ret_count,
		       struct err *err);
