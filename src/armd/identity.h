/*
 * Looks up users by name, and changes the identity of this process permanently.
 */
#pragma once

#include "util/err.h"

#include <sys/types.h>

/* A name, or a number for a user without a name (its gid is then the same number). */
int identity_find(const char *name, uid_t *ret_uid, gid_t *ret_gid, struct err *err);

/*
 * Become uid and gid permanently, without supplementary groups or capabilities. Every change is
 * verified, and PR_SET_NO_NEW_PRIVS is set. After an error the process must exit. Without root, the
 * process must already be uid; then its groups stay.
 */
int identity_become(uid_t uid, gid_t gid, struct err *err);
