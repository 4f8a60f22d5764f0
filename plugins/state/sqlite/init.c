/*
 * Creating a new state: the files are made under temporary names, synced, then renamed.
 *
 * In: a directory and a cluster id. log.db is renamed last, since it makes the directory a state. A
 * directory that holds any part of a state is refused and not changed.
 */
#include "db.h"
#include "dir.h"
#include "error.h"
#include "mark.h"
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PART_HISTORY, PART_LOG };
static const struct {
	const struct db_spec *spec;
	const char *temporary;
	mode_t mode;
} parts[] = {
	[PART_HISTORY] = {&put_spec, "history.db.new", 0640},
	[PART_LOG] = {&log_spec, "log.db.new", 0600},
};

static int refuse_existing(int dir_fd, const char *dir, struct armada_error *err)
{
	bool log = dir_has(dir_fd, "log.db"), history = dir_has(dir_fd, "history.db");

	if (log)
		return fail(err, -EEXIST,
			    "%s already holds the state of a cluster; nothing was "
			    "changed",
			    dir);
	if (history || dir_has(dir_fd, "log.mark"))
		return fail(
			err, -EEXIST,
			"%s holds %s but no log.db: either the log was lost or an earlier "
			"--init was interrupted; move that file away first. Nothing was changed",
			dir, history ? "history.db" : "log.mark");
	return 0;
}

static int make_part(int dir_fd, const char *dir, size_t i, const uint8_t *cluster_id,
		     uint64_t history_seq, struct armada_error *err)
{
	char *path = dir_path(dir, parts[i].temporary);
	int fd, rc = 0;

	unlinkat(dir_fd, parts[i].temporary, 0);
	fd = openat(dir_fd, parts[i].temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (fd < 0 || fchmod(fd, parts[i].mode))
		rc = fail_sys(err, -errno, "%s: cannot be made", path);
	if (!rc)
		rc = db_create(parts[i].spec, path, cluster_id, history_seq, err);
	if (!rc && fsync(fd))
		rc = fail_sys(err, -errno, "%s: cannot be made durable", path);
	if (fd >= 0)
		close(fd);
	if (rc)
		unlinkat(dir_fd, parts[i].temporary, 0);
	free(path);
	return rc;
}

int store_init_history(const struct store *s, uint64_t seq, struct armada_error *err)
{
	int rc = make_part(s->dir_fd, s->dir, PART_HISTORY, s->cluster_id, seq, err);

	if (!rc && (renameat(s->dir_fd, parts[PART_HISTORY].temporary, s->dir_fd, "history.db") ||
		    fsync(s->dir_fd)))
		rc = fail_sys(err, -errno, "%s/history.db: cannot be made", s->dir);
	return rc;
}

int store_init_log_copy(const struct store *s, struct armada_error *err)
{
	return make_part(s->dir_fd, s->dir, PART_LOG, s->cluster_id, 0, err);
}

static int make_state(int dir_fd, const char *dir, const uint8_t *cluster_id,
		      struct armada_error *err)
{
	int rc = refuse_existing(dir_fd, dir, err);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !rc; i++)
		rc = make_part(dir_fd, dir, i, cluster_id, 0, err);
	if (!rc)
		rc = mark_create(dir_fd, err);
	/* log.db last: it makes the directory a state. */
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !rc; i++)
		if (renameat(dir_fd, parts[i].temporary, dir_fd, parts[i].spec->name))
			rc = fail_sys(err, -errno, "%s/%s: cannot be made", dir,
				      parts[i].spec->name);
	if (!rc && fsync(dir_fd))
		rc = fail_sys(err, -errno, "%s: cannot be made durable", dir);
	return rc;
}

/* The directory itself must survive a power failure. */
static void sync_parent(const char *dir)
{
	char *path = dir_path(dir, "..");
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(path);
}

int store_init(const char *dir, const uint8_t cluster_id[CLUSTER_ID_BYTES],
	       const struct armada_option_value *values, struct armada_error *err)
{
	int dir_fd, lock_fd, rc;

	(void)values;
	rc = dir_make(dir, err);
	if (!rc)
		rc = dir_open(dir, &dir_fd, err);
	if (rc)
		return rc;
	/* Before the lock, so that a refusal leaves nothing behind. */
	rc = refuse_existing(dir_fd, dir, err);
	if (!rc)
		rc = dir_lock(dir_fd, dir, &lock_fd, err);
	if (!rc) {
		rc = make_state(dir_fd, dir, cluster_id, err);
		close(lock_fd);
	}
	if (!rc)
		sync_parent(dir);
	close(dir_fd);
	return rc;
}
