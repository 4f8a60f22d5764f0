/*
 * Users whom shepherds have looked up in the last few seconds.
 *
 * A look-up costs as much as the rest of a start, and many tasks of one user start at once. What one
 * shepherd has found it tells the launcher, which gives it along to those that it forks next. Only
 * what agrees with the order is taken from here: whoever does not is looked up afresh.
 */
#pragma once

#include <stdint.h>

enum {
	USER_CACHE_USERS = 16,
	USER_CACHE_GROUPS = 40,
	USER_CACHE_NAME = 64,
	USER_CACHE_US = 5000000
};

/* Part of a notice (armd/shepherd/control.h): one with a longer name or more groups is not kept. */
struct cached_user {
	int64_t at_us; /* CLOCK_BOOTTIME before it was asked; 0: there is none */
	uint32_t uid, gid, gid_count;
	uint32_t gids[USER_CACHE_GROUPS];
	char user[USER_CACHE_NAME];
};

/* In the place of an older word about the user, or of the oldest. What is no sound one is dropped. */
void user_cache_keep(struct cached_user list[USER_CACHE_USERS], const struct cached_user *u);
/* NULL: nobody has looked lately. */
const struct cached_user *user_cache_find(const struct cached_user list[USER_CACHE_USERS],
					  uint32_t uid, int64_t now_us);
