/*
 * The spool directory: opening and locking it, its meta file, and syncing new names (spool.h).
 * Input: the path. Output: descriptors of its parts; an error with the path otherwise.
 *
 * The meta file is written to meta.new and then exchanged with meta, so both files keep their
 * blocks and the meta can be written on a full disk. The spool's lock is a process lock (fcntl),
 * which shepherds do not inherit.
 */
#include "armd/spool/spool.h"

#include "armd/spool/lease.h"
#include "armd/spool/disk_reserve.h"
#include "util/mem.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The meta file: integers little endian, digest over everything before it. */
struct meta_record {
	uint8_t magic[8];
	uint8_t node_id[16];
	uint8_t spool_id[16];
	uint8_t cluster_id[16];
	uint64_t epoch;
	uint64_t floor;
	char boot_id[64];
	uint8_t digest[32];
};

static const uint8_t meta_magic[8] = {'A', 'R', 'M', 'D', 'M', 'E', 'T', '1'};

static int read_boot_id(char ret_id[64], struct err *err)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret_id, 63);

	if (n <= 0)
		return err_sys(err, n < 0 ? -errno : -EIO, "cannot read %s", path);
	ret_id[n] = '\0';
	ret_id[strcspn(ret_id, "\n")] = '\0';
	return 0;
}

static int make_parents(const char *path, struct err *err)
{
	CLEANUP_FREE char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			return err_sys(err, -errno, "cannot create %s", copy);
		*slash = '/';
	}
	return 0;
}

/* Open a directory of the spool below at; create it if needed, with exactly this mode. */
static int open_dir(int at, const char *name, mode_t mode, int *ret_fd, struct err *err)
{
	CLEANUP_CLOSE int fd = -1;
	struct stat st;

	if (mkdirat(at, name, mode) < 0 && errno != EEXIST)
		return err_sys(err, -errno, "cannot create %s", name);
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, -errno, "cannot open %s", name);
	if (st.st_uid != geteuid())
		return err_set(err, -EPERM, "%s belongs to uid %u, armd runs as uid %u", name,
			       st.st_uid, geteuid());
	if (st.st_mode & 022)
		return err_set(err, -EPERM, "other users can write to %s (mode %04o)", name,
			       st.st_mode & 07777);
	if ((st.st_mode & 0777) != mode && fchmod(fd, mode) < 0)
		return err_sys(err, -errno, "cannot change the mode of %s", name);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/*
 * A lock of the process, which children do not inherit: a shepherd does not keep the next launcher
 * out.
 */
static int take_lock(struct spool *s, struct err *err)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	s->lock = openat(s->dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->lock < 0)
		return err_sys(err, -errno, "cannot open lock");
	if (fcntl(s->lock, F_SETLK, &lock) == 0)
		return 0;
	if (errno != EACCES && errno != EAGAIN)
		return err_sys(err, -errno, "cannot lock it");
	if (fcntl(s->lock, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
		return err_set(err, -EBUSY, "in use by another armd");
	return err_set(err, -EBUSY, "in use by another armd, process %d", (int)lock.l_pid);
}

/* Tasks open their script by this path, from any directory. */
static int make_absolute(char **path, struct err *err)
{
	char *real = realpath(*path, NULL);

	if (!real)
		return err_sys(err, -errno, "cannot find it");
	free(*path);
	*path = real;
	return 0;
}

static int open_parts(struct spool *s, struct err *err)
{
	int rc = read_boot_id(s->boot_id, err);

	if (rc == 0)
		rc = make_parents(s->path, err);
	if (rc == 0)
		rc = open_dir(AT_FDCWD, s->path, 0711, &s->dir, err);
	if (rc == 0)
		rc = make_absolute(&s->path, err);
	if (rc == 0)
		rc = take_lock(s, err);
	if (rc == 0)
		rc = open_dir(s->dir, "tasks", 0700, &s->tasks, err);
	if (rc == 0)
		rc = open_dir(s->dir, "scripts", 0711, &s->scripts, err);
	if (rc < 0)
		return rc;
	if (fsync(s->dir) < 0)
		return err_sys(err, -errno, "cannot sync it");
	s->lease = lease_open(s->dir, s->boot_id, err);
	return s->lease < 0 ? s->lease : 0;
}

int spool_open(struct spool *ret_spool, const char *path, struct err *err)
{
	struct spool s = {.dir = -1, .tasks = -1, .scripts = -1, .lock = -1, .lease = -1};
	int rc;

	s.path = xstrdup(path);
	rc = open_parts(&s, err);
	if (rc < 0) {
		spool_close(&s);
		return err_prefix(err, rc, "spool %s", path);
	}
	/* until spool_set_prefix */
	snprintf(s.contain_prefix, sizeof(s.contain_prefix), "armada-%d-", (int)getpid());
	*ret_spool = s;
	return 0;
}

void spool_close(struct spool *s)
{
	close_fd(&s->lease);
	close_fd(&s->scripts);
	close_fd(&s->tasks);
	close_fd(&s->lock);
	close_fd(&s->dir);
	free(s->path);
	s->path = NULL;
}

void spool_set_prefix(struct spool *s, const uint8_t spool_id[16])
{
	unsigned long long id = 0;

	for (int i = 0; i < 8; i++)
		id = id << 8 | spool_id[i];
	snprintf(s->contain_prefix, sizeof(s->contain_prefix), "armada-%016llx-", id);
}

int spool_read_meta(const struct spool *s, struct ledger_meta *ret_meta, struct err *err)
{
	CLEANUP_CLOSE int fd = openat(s->dir, "meta", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct meta_record r;
	uint8_t digest[32];

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return err_sys(err, -errno, "cannot open %s/meta", s->path);
	if (pread(fd, &r, sizeof(r), 0) != (ssize_t)sizeof(r))
		return err_set(err, -EBADMSG, "%s/meta is damaged: it is too short", s->path);
	order_digest(&r, offsetof(struct meta_record, digest), digest);
	if (memcmp(r.magic, meta_magic, sizeof(r.magic)) != 0 ||
	    memcmp(r.digest, digest, sizeof(digest)) != 0)
		return err_set(err, -EBADMSG, "%s/meta is damaged: its checksum is wrong", s->path);
	*ret_meta = (struct ledger_meta){.epoch = le64toh(r.epoch), .floor = le64toh(r.floor)};
	memcpy(ret_meta->node_id, r.node_id, 16);
	memcpy(ret_meta->spool_id, r.spool_id, 16);
	memcpy(ret_meta->cluster_id, r.cluster_id, 16);
	memcpy(ret_meta->boot_id, r.boot_id, sizeof(r.boot_id) - 1);
	return 1;
}

/*
 * Overwrite the older of two meta files, and exchange it with the current one: both keep their
 * blocks, so that it can be written on a full disk.
 */
static int write_meta_file(int dir, const struct meta_record *r)
{
	CLEANUP_CLOSE int fd =
		openat(dir, "meta.new", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	ssize_t n = fd < 0 ? -1 : pwrite(fd, r, sizeof(*r), 0);

	if (n >= 0 && n < (ssize_t)sizeof(*r))
		errno = ENOSPC;
	if (n != (ssize_t)sizeof(*r) || fsync(fd) < 0)
		return -errno;
	if (renameat2(dir, "meta.new", dir, "meta", RENAME_EXCHANGE) < 0 &&
	    renameat(dir, "meta.new", dir, "meta") < 0)
		return -errno;
	return fsync(dir) < 0 ? -errno : 0;
}

int spool_write_meta(struct spool *s, const struct ledger_meta *meta, struct err *err)
{
	struct meta_record r = {.epoch = htole64(meta->epoch), .floor = htole64(meta->floor)};
	int rc;

	memcpy(r.magic, meta_magic, sizeof(r.magic));
	memcpy(r.node_id, meta->node_id, 16);
	memcpy(r.spool_id, meta->spool_id, 16);
	memcpy(r.cluster_id, meta->cluster_id, 16);
	memcpy(r.boot_id, meta->boot_id, strnlen(meta->boot_id, sizeof(r.boot_id) - 1));
	order_digest(&r, offsetof(struct meta_record, digest), r.digest);
	rc = write_meta_file(s->dir, &r);
	return rc < 0 ? err_sys(err, rc, "cannot write %s/meta", s->path) : 0;
}

int spool_sync(struct spool *s, struct err *err)
{
	if (!s->dirty)
		return 0;
	if (fsync(s->tasks) < 0)
		return err_sys(err, -errno, "cannot sync %s/tasks", s->path);
	s->dirty = false;
	disk_reserve_synced(s);
	return 0;
}

uint64_t spool_free_bytes(const struct spool *s)
{
	struct statvfs v;

	if (fstatvfs(s->tasks, &v) < 0)
		return 0;
	return (uint64_t)v.f_bavail * v.f_frsize;
}
