#include "armd/shepherd/user_cache.h"

#include <stddef.h>
#include <string.h>

void user_cache_keep(struct cached_user list[USER_CACHE_USERS], const struct cached_user *u)
{
	struct cached_user *to = &list[0];

	if (u->gid_count > USER_CACHE_GROUPS || !memchr(u->user, '\0', sizeof(u->user)))
		return;
	for (int i = 0; i < USER_CACHE_USERS; i++) {
		if (list[i].at_us && list[i].uid == u->uid) {
			to = &list[i];
			break;
		}
		if (list[i].at_us < to->at_us)
			to = &list[i];
	}
	if (u->at_us > to->at_us)
		*to = *u;
}

const struct cached_user *user_cache_find(const struct cached_user list[USER_CACHE_USERS],
					  uint32_t uid, int64_t now_us)
{
	for (int i = 0; i < USER_CACHE_USERS; i++)
		if (list[i].at_us && list[i].uid == uid)
			return now_us - list[i].at_us < USER_CACHE_US ? &list[i] : NULL;
	return NULL;
}
