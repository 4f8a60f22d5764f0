/* Who the task is. Every change is checked, and read back afterwards (S7). */
#include "armd/task.h"

#include "util/mem.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <unistd.h>

enum { GROUPS_MAX = 65536 };

int task_take_identity(const struct task *t, struct err *err)
{
	const Armada__TaskBody *b = t->body;

	if (!t->privileged)
		return 0;
	if (setgroups(b->n_gids, b->gids) < 0)
		return err_sys(err, -errno, "cannot take the %zu groups of %s", b->n_gids, b->user);
	if (setresgid(b->gid, b->gid, b->gid) < 0)
		return err_sys(err, -errno, "cannot take group %u", b->gid);
	if (setresuid(b->uid, b->uid, b->uid) < 0)
		return err_sys(err, -errno, "cannot become uid %u", b->uid);
	return 0;
}

static bool has_gid(const gid_t *list, size_t count, gid_t gid)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == gid)
			return true;
	return false;
}

/* The kernel sorts them, and keeps duplicates. */
static bool groups_are(const Armada__TaskBody *b)
{
	int count = getgroups(0, NULL);
	CLEANUP_FREE gid_t *list = xcalloc((size_t)(count > 0 ? count : 1), sizeof(*list));

	if (count < 0 || count > GROUPS_MAX || (size_t)count != b->n_gids ||
	    getgroups(count, list) != count)
		return false;
	for (size_t i = 0; i < b->n_gids; i++)
		if (!has_gid(list, (size_t)count, b->gids[i]))
			return false;
	return true;
}

int task_check_identity(const struct task *t, struct err *err)
{
	const Armada__TaskBody *b = t->body;
	uid_t uid[3];
	gid_t gid[3];

	if (getresuid(&uid[0], &uid[1], &uid[2]) < 0 || getresgid(&gid[0], &gid[1], &gid[2]) < 0)
		return err_sys(err, -errno, "cannot read back who we are");
	if (uid[0] != b->uid || uid[1] != b->uid || uid[2] != b->uid)
		return err_set(err, -EPERM, "did not become uid %u", b->uid);
	if (!t->privileged)
		return 0;
	if (gid[0] != b->gid || gid[1] != b->gid || gid[2] != b->gid || !groups_are(b))
		return err_set(err, -EPERM, "did not get exactly the groups of %s", b->user);
	if (b->uid != 0 && (setuid(0) == 0 || seteuid(0) == 0))
		return err_set(err, -EPERM, "could become root again");
	return 0;
}
