/*
 * A cache of user lookups of the last few seconds.
 *
 * A lookup costs as much as the rest of a task's start, and many tasks of one user start at once. A
 * shepherd sends its result to the launcher, which passes it to the next shepherds. A result is
 * used only if it agrees with the order; otherwise the user is looked up again.
 */
#pragma once

#include <stdint.h>

enum {
	USER_CACHE_USERS = 16,
	USER_CACHE_GROUPS = 40,
	USER_CACHE_NAME = 64,
	USER_CACHE_US = 5000000
};

/*
 * Part of a notice (armd/shepherd/control.h). Users with a longer name or more groups are not
 * cached.
 */
struct cached_user {
	int64_t at_us; /* CLOCK_BOOTTIME before the lookup; 0: empty entry */
	uint32_t uid, gid, gid_count;
	uint32_t gids[USER_CACHE_GROUPS];
	char user[USER_CACHE_NAME];
};

/* Replaces an older entry of the user, or the oldest entry. An invalid entry is dropped. */
void user_cache_keep(struct cached_user list[USER_CACHE_USERS], const struct cached_user *u);
/* NULL: no recent lookup. */
const struct cached_user *user_cache_find(const struct cached_user list[USER_CACHE_USERS],
					  uint32_t uid, int64_t now_us);
