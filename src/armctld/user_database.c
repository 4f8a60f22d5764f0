#include "armctld/user_database.h"

#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>

enum { NAME_ROOM = 1 << 16 };

int user_database_find(bool group, const char *name, uint32_t *ret_id, struct err *err)
{
	CLEANUP_FREE char *room = xmalloc(NAME_ROOM);
	const char *kind = group ? "group" : "user";
	struct passwd pw, *user = NULL;
	struct group gr, *found = NULL;
	int rc = group ? getgrnam_r(name, &gr, room, NAME_ROOM, &found)
		       : getpwnam_r(name, &pw, room, NAME_ROOM, &user);

	if (user || found) {
		*ret_id = user ? user->pw_uid : found->gr_gid;
		return 0;
	}
	if (rc && rc != ENOENT && rc != ESRCH)
		return err_sys(err, -rc, "%s '%s' could not be looked up", kind, name);
	return err_set(err, -ENOENT, "there is no %s '%s' on this machine", kind, name);
}

int user_database_id(bool group, const char *name, uint32_t *ret_id, struct err *err)
{
	int rc = user_database_find(group, name, ret_id, err);
	int64_t number;

	if (rc == 0 || name[0] == '-' || parse_int(name, 0, UINT32_MAX - 1, &number, NULL) < 0)
		return rc;
	*ret_id = (uint32_t)number;
	return 0;
}
