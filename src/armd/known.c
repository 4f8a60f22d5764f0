#include "armd/known.h"

#include <stddef.h>
#include <string.h>

void known_keep(struct known_user list[KNOWN_USERS], const struct known_user *u)
{
	struct known_user *to = &list[0];

	if (u->gid_count > KNOWN_GROUPS || !memchr(u->user, '\0', sizeof(u->user)))
		return;
	for (int i = 0; i < KNOWN_USERS; i++) {
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

const struct known_user *known_find(const struct known_user list[KNOWN_USERS], uint32_t uid,
				    int64_t now_us)
{
	for (int i = 0; i < KNOWN_USERS; i++)
		if (list[i].at_us && list[i].uid == uid)
			return now_us - list[i].at_us < KNOWN_US ? &list[i] : NULL;
	return NULL;
}
