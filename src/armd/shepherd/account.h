/*
 * A user as this machine knows them: uid, primary group, all groups.
 *
 * Looking one up may ask a directory service, which may be away, for minutes: a child does it, and
 * whoever wants to know waits for it as long as they like, beside what else they wait for.
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
	uint32_t *gids; /* the primary one is among them */
	size_t gid_count;
};

/*
 * Fill what is known of a name, the list from malloc. -ENOENT: nobody has it; -EAGAIN: ask again soon;
 * another error: that could not be found out. May block.
 */
typedef int account_find(const char *user, struct account *ret);

/* One that is being looked up. */
struct account_lookup {
	pid_t pid;
	int fd; /* readable when something is known */
	uint8_t *bytes;
	size_t len, cap;
};

/* find NULL: the machine's user database. */
int account_begin(const char *user, account_find *find, struct account_lookup *ret,
		  struct err *err);
/*
 * The look is over: 0 with the account, its list in the arena, or as find says. ACCOUNT_PENDING: not yet.
 */
enum { ACCOUNT_PENDING = 1 };
int account_end(struct account_lookup *lookup, struct arena *arena, struct account *ret);
/* Give it up, if it is not over. */
void account_stop(struct account_lookup *lookup);

bool account_has(const struct account *a, uint32_t gid);
