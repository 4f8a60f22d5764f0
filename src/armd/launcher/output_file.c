/*
 * The process that reads an output file of a user (output_file.h). Input: a verified order and its
 * body. Output: a packed OutputRead in a memfd.
 *
 * The identity is taken with the steps of a task, each read back; the user of the machine must be the
 * one that the controller signed. The path is opened as the task opens it: symbolic links are
 * followed, with the rights of the user. Files of /proc are refused: /proc/self/mem would be a copy of
 * armd's memory.
 */
#include "armd/launcher/output_file.h"

#include "armd/shepherd/account.h"
#include "armd/task/task.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { RESULT_FD = 3, EXIT_REFUSED = 1, EXIT_NOT_FOUND = 3 };

static int check_user(const struct output_file *f, Armada__OutputOrder *o, struct err *err)
{
	struct account here = {0};
	int rc;

	if (o->uid != f->order.uid || o->gid != f->order.gid)
		return err_set(err, -EBADMSG, "the order and its body name different users");
	if (geteuid() != 0)
		return 0; /* this armd runs as the user */
	rc = account_find_here(o->user, &here);
	if (rc < 0)
		return err_sys(err, rc, "user %s cannot be looked up on %s", o->user, f->node_name);
	if (here.uid != o->uid)
		return err_set(err, -EPERM, "%s is uid %u on %s and %u for the controller", o->user,
			       here.uid, f->node_name, o->uid);
	if (f->groups_of_controller)
		return 0;
	if (!account_has(&here, o->gid))
		return err_set(err, -EPERM, "%s is not a member of group %u on %s", o->user, o->gid,
			       f->node_name);
	o->n_gids = account_keep(&here, o->gids, o->n_gids);
	return 0;
}

static int become(const struct output_file *f, Armada__OutputOrder *o, struct err *err)
{
	Armada__TaskBody body = ARMADA__TASK_BODY__INIT;
	struct task t = {.body = &body,
			 .privileged = geteuid() == 0,
			 .report = -1,
			 .gate = -1,
			 .payload = RESULT_FD,
			 .shepherd = f->launcher};

	body.user = o->user;
	body.uid = o->uid;
	body.gid = o->gid;
	body.gids = o->gids;
	body.n_gids = o->n_gids;
	/* a directory that is gone does not hide a file elsewhere */
	body.chdir = o->path[0] == '/' ? (char *)"/" : o->chdir;
	return task_become_reader(&t, err);
}

/* Looked at before it is opened, because to open a FIFO or a device may do something. */
static int open_regular(const char *path, struct stat *ret_st, struct err *err)
{
	CLEANUP_CLOSE int fd = -1;
	struct statfs fs;
	int ret;

	if (stat(path, ret_st) < 0)
		return errno == ENOENT || errno == ENOTDIR
			       ? err_set(err, -ENOENT, "there is no file %s", path)
			       : err_sys(err, -errno, "cannot read %s", path);
	if (S_ISREG(ret_st->st_mode)) {
		fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, ret_st) < 0 || fstatfs(fd, &fs) < 0)
			return err_sys(err, -errno, "cannot open %s", path);
	}
	if (!S_ISREG(ret_st->st_mode) || fs.f_type == PROC_SUPER_MAGIC)
		return err_set(err, -EINVAL, "%s is not a regular file", path);
	ret = fd;
	fd = -1;
	return ret;
}

int output_file_read(const Armada__OutputOrder *o, struct arena *arena, Armada__OutputRead *ret,
		     struct err *err)
{
	size_t limit = o->limit < OUTPUT_READ_MAX ? o->limit : OUTPUT_READ_MAX;
	struct stat st;
	CLEANUP_CLOSE int fd = open_regular(o->path, &st, err);
	uint64_t left;

	if (fd < 0)
		return fd;
	ret->size = (uint64_t)st.st_size;
	ret->offset = o->offset;
	if (o->tail)
		ret->offset = ret->size > limit ? ret->size - limit : 0;
	left = ret->offset < ret->size ? ret->size - ret->offset : 0;
	limit = left < limit ? (size_t)left : limit;
	ret->data.data = arena_alloc(arena, limit + 1);
	while (ret->data.len < limit) {
		ssize_t n = pread(fd, ret->data.data + ret->data.len, limit - ret->data.len,
				  (off_t)(ret->offset + ret->data.len));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, -errno, "cannot read %s", o->path);
		if (n == 0)
			break; /* it became shorter */
		ret->data.len += (size_t)n;
	}
	return 0;
}

static bool write_all(int fd, const uint8_t *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno != EINTR)
			return false;
		bytes += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* The descriptors of armd are not for a process of the user: a path may name them. */
static void leave_descriptors(int fd)
{
	int null = open("/dev/null", O_RDWR);

	for (int i = 0; i < RESULT_FD; i++)
		if (dup2(null, i) < 0)
			_exit(1);
	if (fd != RESULT_FD && dup2(fd, RESULT_FD) < 0)
		_exit(1);
}

_Noreturn void output_file_child(const struct output_file *f)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	Armada__OutputRead r = ARMADA__OUTPUT_READ__INIT;
	CLEANUP_BUF struct buf packed = {0};
	struct err err = {{0}};
	Armada__OutputOrder *o;
	int rc = -EBADMSG;

	leave_descriptors(f->fd);
	o = msg_unpack_as(&armada__output_order__descriptor, f->body, f->len, arena, &err);
	if (o)
		rc = check_user(f, o, &err);
	if (rc == 0)
		rc = become(f, o, &err);
	if (rc == 0)
		rc = output_file_read(o, arena, &r, &err);
	if (rc < 0) {
		r = (Armada__OutputRead)ARMADA__OUTPUT_READ__INIT;
		r.problem = err.text;
		r.code = rc == -ENOENT ? EXIT_NOT_FOUND : EXIT_REFUSED;
	}
	msg_pack(&r, &packed);
	_exit(write_all(RESULT_FD, packed.data, packed.len) ? 0 : 1);
}
