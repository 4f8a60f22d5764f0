/*
 * Users whom shepherds have looked up in the last few seconds.
 *
 * A look-up costs as much as the rest of a start, and many tasks of one user start at once. What one
 * shepherd has found it tells the launcher, which gives it along to those that it forks next. Only
 * what agrees with the order is taken from here: whoever does not is looked up afresh.
 */
#ifndef ARMD_KNOWN_H
#define ARMD_KNOWN_H

#include <stdint.h>

enum { KNOWN_USERS = 16, KNOWN_GROUPS = 40, KNOWN_NAME = 64, KNOWN_US = 5000000 };

/* Part of a notice (armd/control.h): one with a longer name or more groups is not kept. */
struct known_user {
	int64_t at_us; /* CLOCK_BOOTTIME before it was asked; 0: there is none */
	uint32_t uid, gid, gid_count;
	uint32_t gids[KNOWN_GROUPS];
	char user[KNOWN_NAME];
};

/* In the place of an older word about the user, or of the oldest. What is no sound one is dropped. */
void known_keep(struct known_user list[KNOWN_USERS], const struct known_user *u);
/* NULL: nobody has looked lately. */
const struct known_user *known_find(const struct known_user list[KNOWN_USERS], uint32_t uid,
				    int64_t now_us);

#endif
