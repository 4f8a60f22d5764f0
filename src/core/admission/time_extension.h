/*
 * Changes of the time limit of a job of which elements run.
 *
 * Its owner, and a user who may update it, may shorten the limit, and extend it by at most
 * extend_time of the queue in all, counted from the limit before the first change. Administrators
 * may set any limit. A limit that a running element has passed already is refused.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * 0, or -EINVAL with the numbers. now_s: the limit before the change, to: after it. O(elements that
 * run).
 */
int time_extension_check(const struct txn *txn, const struct job *j, int64_t now_s,
			 const Armada__JobSpec *to, struct err *err);
/*
 * True if no maximum of time limits applies to the change: elements run, and the caller is an
 * administrator.
 */
bool time_extension_is_free(const struct txn *txn, const struct job *j);
/*
 * The limit before the first change of a job that runs, for JobUpdated; now_s: its limit before this
 * change.
 */
int64_t time_extension_first(const struct job *j, int64_t now_s);
/*
 * Adds a relative change to the limit now_s. -EINVAL: there is no limit, or nothing would be left of it.
 */
int time_extension_add(int64_t now_s, int64_t change_s, int64_t *ret_s, struct err *err);
