#include "armd/identity.h"

#include "armd/task/capability.h"
#include "util/units.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <unistd.h>

int identity_find(const char *name, uid_t *ret_uid, gid_t *ret_gid, struct err *err)
{
	char memory[16384];
	struct passwd pw, *found = NULL;
	int64_t number;
	int rc = getpwnam_r(name, &pw, memory, sizeof(memory), &found);

	if (found) {
		*ret_uid = pw.pw_uid;
		*ret_gid = pw.pw_gid;
		return 0;
	}
	if (name[0] >= '0' && name[0] <= '9' &&
	    parse_int(name, 0, UINT32_MAX - 1, &number, NULL) == 0) {
		*ret_uid = (uid_t)number;
		*ret_gid = (gid_t)number;
		return 0;
	}
	if (rc != 0 && rc != ENOENT)
		return err_sys(err, -rc, "user '%s'", name);
	return err_set(err, -ENOENT, "there is no user '%s' on this machine", name);
}

static int read_back(uid_t uid, gid_t gid, struct err *err)
{
	uid_t r, e, s;
	gid_t rg, eg, sg;

	if (getresuid(&r, &e, &s) < 0 || r != uid || e != uid || s != uid)
		return err_set(err, -EPERM, "the process did not become uid %u", uid);
	if (getresgid(&rg, &eg, &sg) < 0 || rg != gid || eg != gid || sg != gid)
		return err_set(err, -EPERM, "the process did not become gid %u", gid);
	return 0;
}

static int drop_capabilities(struct err *err)
{
	int rc = capability_drop(err);

	return rc < 0 ? rc : capability_is_dropped(err);
}

static int drop_root(uid_t uid, gid_t gid, struct err *err)
{
	int rc = uid ? capability_clear_bounding_set(err) : 0;

	if (rc == 0 && uid)
		rc = capability_bounding_set_is_empty(err);
	if (rc < 0)
		return rc;
	if (setgroups(0, NULL) < 0)
		return err_sys(err, -errno, "cannot drop root's groups");
	if (setresgid(gid, gid, gid) < 0)
		return err_sys(err, -errno, "cannot become gid %u", gid);
	if (setresuid(uid, uid, uid) < 0)
		return err_sys(err, -errno, "cannot become uid %u", uid);
	rc = read_back(uid, gid, err);
	if (rc < 0)
		return rc;
	if (getgroups(0, NULL) != 0)
		return err_set(err, -EPERM, "root's groups were not dropped");
	if (uid != 0 && setresuid(0, 0, 0) == 0)
		return err_set(err, -EPERM, "uid %u could become root again", uid);
	return uid ? drop_capabilities(err) : 0;
}

int identity_become(uid_t uid, gid_t gid, struct err *err)
{
	int rc;

	if (geteuid() == 0)
		rc = drop_root(uid, gid, err);
	else if (geteuid() == uid)
		rc = read_back(uid, getegid(), err);
	else
		rc = err_set(err, -EPERM, "only root can become uid %u", uid);
	if (rc < 0)
		return rc;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(err, -errno, "cannot set no_new_privs");
	return 0;
}
