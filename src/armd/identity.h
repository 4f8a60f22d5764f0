/*
 * Users by name, and becoming one for good (S7).
 */
#pragma once

#include "util/err.h"

#include <sys/types.h>

/* A name, or a number for a user without one (its gid is then the same number). */
int identity_find(const char *name, uid_t *ret_uid, gid_t *ret_gid, struct err *err);

/*
 * Become uid and gid, without supplementary groups or capabilities, and never anybody else again: every
 * change is read back, and PR_SET_NO_NEW_PRIVS set. An error means that the process must end. Without root
 * it must be uid already; then groups stay.
 */
int identity_become(uid_t uid, gid_t gid, struct err *err);
