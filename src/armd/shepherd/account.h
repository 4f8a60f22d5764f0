/*
 * A user in the user database of this machine: uid, primary group, all groups.
 *
 * A lookup may need a directory service, which may be unavailable for minutes. So a child does the
 * lookup, and the caller polls for the result beside its other descriptors.
 */
#pragma once

#include "util/arena.h"
#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct account {
	uint32_t uid, gid;
	uint32_t *gids; /* includes the primary group */
	size_t gid_count;
};

/*
 * Fill in the account of a name; the list comes from malloc. -ENOENT: unknown name; -EAGAIN:
 * temporary failure; another error: the lookup failed. May block.
 */
typedef int account_find(const char *user, struct account *ret);

/* A lookup in progress. */
struct account_lookup {
	pid_t pid;
	int fd; /* readable when the child has written a result */
	uint8_t *bytes;
	size_t len, cap;
};

/* find NULL: the machine's user database. */
int account_begin(const char *user, account_find *find, struct account_lookup *ret,
		  struct err *err);
/*
 * The result of a lookup: 0 with the account, whose list is in the arena, or an error as from
 * account_find. ACCOUNT_PENDING: no result yet.
 */
enum { ACCOUNT_PENDING = 1 };
int account_end(struct account_lookup *lookup, struct arena *arena, struct account *ret);
/* Abort the lookup if it has not ended. */
void account_stop(struct account_lookup *lookup);

/* The account on this machine, found in this process, which may block. */
account_find account_find_here;
bool account_has(const struct account *a, uint32_t gid);
/* Keeps those of a list of groups that the account has; returns their number. */
size_t account_keep(const struct account *a, uint32_t *gids, size_t count);
