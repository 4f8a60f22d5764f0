/* The identity of the task. Every change is checked and verified afterwards. */
#include "armd/task/identity.h"

#include "util/mem.h"

#include <errno.h>
#include <grp.h>
#include <sys/fsuid.h>
#include <unistd.h>

enum { GROUPS_MAX = 65536 };

int task_take_groups(const struct task *t, struct err *err)
{
	const Armada__TaskBody *b = t->body;

	return setgroups(b->n_gids, b->gids) < 0
		       ? err_sys(err, -errno, "cannot set the %zu groups of %s", b->n_gids, b->user)
		       : 0;
}

static bool has_gid(const gid_t *list, size_t count, gid_t gid)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == gid)
			return true;
	return false;
}

/* The kernel sorts them, and keeps duplicates. */
int task_check_groups(const struct task *t, struct err *err)
{
	const Armada__TaskBody *b = t->body;
	int count = getgroups(0, NULL);
	CLEANUP_FREE gid_t *list = xcalloc((size_t)(count > 0 ? count : 1), sizeof(*list));
	bool same = count >= 0 && count <= GROUPS_MAX && (size_t)count == b->n_gids &&
		    getgroups(count, list) == count;

	for (size_t i = 0; same && i < b->n_gids; i++)
		same = has_gid(list, (size_t)count, b->gids[i]);
	for (int i = 0; same && i < count; i++)
		same = has_gid(b->gids, b->n_gids, list[i]);
	return same ? 0 : err_set(err, -EPERM, "the groups are not exactly those of %s", b->user);
}

int task_take_group(const struct task *t, struct err *err)
{
	gid_t gid = t->body->gid;

	return setresgid(gid, gid, gid) < 0 ? err_sys(err, -errno, "cannot set group %u", gid) : 0;
}

int task_check_group(const struct task *t, struct err *err)
{
	gid_t want = t->body->gid, gid[3];

	if (getresgid(&gid[0], &gid[1], &gid[2]) < 0)
		return err_sys(err, -errno, "cannot read back the group");
	if (gid[0] != want || gid[1] != want || gid[2] != want ||
	    (gid_t)setfsgid((gid_t)-1) != want)
		return err_set(err, -EPERM, "the group is not %u", want);
	return 0;
}

/* Without privilege, armd already runs as the task's user; the check fails otherwise. */
int task_take_user(const struct task *t, struct err *err)
{
	uid_t uid = t->body->uid;

	if (!t->privileged)
		return 0;
	return setresuid(uid, uid, uid) < 0 ? err_sys(err, -errno, "cannot become uid %u", uid) : 0;
}

int task_check_user(const struct task *t, struct err *err)
{
	uid_t want = t->body->uid, uid[3];

	if (getresuid(&uid[0], &uid[1], &uid[2]) < 0)
		return err_sys(err, -errno, "cannot read back the user");
	if (uid[0] != want || uid[1] != want || uid[2] != want ||
	    (uid_t)setfsuid((uid_t)-1) != want)
		return err_set(err, -EPERM, "the uid is not %u", want);
	if (t->privileged && want != 0 && (setuid(0) == 0 || seteuid(0) == 0))
		return err_set(err, -EPERM, "could regain root");
	return 0;
}
