/*
 * Opening the file of the history, and replacing it when it is missing or damaged.
 *
 * The history serves queries about jobs that have ended; no decision about a running job depends on it. So
 * damage to it must not stop the controller: the file is set aside under another name, for an administrator
 * who wants to read it with sqlite3, and a new one is begun. Rows of records that are still replayed are
 * written again; all earlier rows are then only in the file that was set aside.
 */
#include "db.h"
#include "dir.h"
#include "error.h"
#include "history_file.h"
#include "le.h"
#include "store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ASIDE       "history.db.damaged-"
#define ASIDE_BYTES 64
enum { ASIDE_KEPT = 3, ASIDE_MAX = 64, WAL_PAGES = 1000, WAL_PAGES_LARGE = 4096 };

bool history_is_damage(int rc)
{
	return rc == -EUCLEAN || rc == -ENOENT || rc == -EIO;
}

static void close_both(struct store *s, bool keep_wal)
{
	db_close(&s->reader, true);
	db_close(&s->accounts, true);
	db_close(&s->history, keep_wal);
}

static int on_commit(void *arg, sqlite3 *conn, const char *name, int pages)
{
	struct store *s = arg;

	(void)conn;
	(void)name;
	s->history_wal_pages = pages;
	return SQLITE_OK;
}

/* A WAL that one large write has made is shortened at once, not when the next one begins it again. */
void history_checkpoint(struct store *s)
{
	bool large = s->history_wal_pages > WAL_PAGES_LARGE;

	if (s->history_wal_pages < WAL_PAGES)
		return;
	sqlite3_busy_timeout(s->history.conn, 0);
	sqlite3_wal_checkpoint_v2(s->history.conn, NULL,
				  large ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE,
				  NULL, NULL);
	sqlite3_busy_timeout(s->history.conn, (int)(s->busy_us / 1000));
}

static int check_meta(struct store *s, struct armada_error *err)
{
	uint8_t other[CLUSTER_ID_BYTES], seq[8];
	int rc = db_meta(&s->history, PUT_META, META_CLUSTER_ID, other, CLUSTER_ID_BYTES, err);

	if (!rc)
		rc = db_meta(&s->history, PUT_META, META_HISTORY_SEQ, seq, sizeof(seq), err);
	if (rc)
		return rc;
	/* Either may be the wrong one, so an administrator must decide. */
	if (memcmp(other, s->cluster_id, CLUSTER_ID_BYTES) != 0)
		return fail(err, -EINVAL, "log.db and history.db belong to different clusters");
	atomic_store(&s->history_seq, get_le64(seq));
	return 0;
}

/* SQLite reads a file of a later format, but refuses to write it. */
static int check_format(const struct store *s, struct armada_error *err)
{
	enum { AT_FORMATS = 18, FORMAT_WAL = 2 };
	int fd = openat(s->dir_fd, "history.db", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	uint8_t formats[2] = {0};
	bool good = fd >= 0 && pread(fd, formats, sizeof(formats), AT_FORMATS) == sizeof(formats) &&
		    formats[0] <= FORMAT_WAL && formats[1] <= FORMAT_WAL;

	if (fd >= 0)
		close(fd);
	return good ? 0
		    : fail(err, -EUCLEAN, "%s/history.db is damaged: its header is wrong", s->dir);
}

int history_open(struct store *s, int64_t busy_us, struct armada_error *err)
{
	struct wal_scan scan;
	int rc;

	if (!dir_has(s->dir_fd, "history.db"))
		return fail(err, -ENOENT, "%s/history.db is missing", s->dir);
	rc = check_format(s, err);
	if (!rc)
		rc = dir_scan_wal(s->dir_fd, s->dir, "history.db-wal", &scan, err);
	if (!rc)
		rc = db_open(&s->history, &put_spec, s->dir, false, busy_us, err);
	if (!rc)
		rc = db_open(&s->reader, &find_spec, s->dir, true, busy_us, err);
	if (!rc)
		rc = db_open(&s->accounts, &accounts_spec, s->dir, true, busy_us, err);
	if (!rc)
		rc = check_meta(s, err);
	if (rc)
		close_both(s, true);
	else
		sqlite3_wal_hook(s->history.conn, on_commit, s);
	return rc;
}

/*
 * Gives the files beside history.db its group, so that a group that may read the history can also read
 * what is still in the WAL. SQLite makes them with the mode of history.db, but with the group of the
 * process.
 */
void history_share_group(const struct store *s)
{
	static const char *const names[] = {"history.db-wal", "history.db-shm"};
	struct stat db, st;

	if (fstatat(s->dir_fd, "history.db", &db, AT_SYMLINK_NOFOLLOW))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (fstatat(s->dir_fd, names[i], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_gid != db.st_gid &&
		    fchownat(s->dir_fd, names[i], (uid_t)-1, db.st_gid, AT_SYMLINK_NOFOLLOW))
			store_log(
				s, 4,
				"%s/%s: the group of history.db cannot be given to it: that group "
				"cannot read the history",
				s->dir, names[i]);
}

static int newest_first(const void *a, const void *b)
{
	return strcmp(b, a);
}

/* Delete all but the newest files that were set aside. Their names sort by time. */
static void forget_old(const struct store *s)
{
	char names[ASIDE_MAX][ASIDE_BYTES];
	int fd = openat(s->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	size_t n = 0;

	for (struct dirent *e; d && n < ASIDE_MAX && (e = readdir(d));) {
		size_t len = strlen(e->d_name);

		if (strncmp(e->d_name, ASIDE, strlen(ASIDE)) != 0 || len >= ASIDE_BYTES ||
		    (len > 4 && strcmp(e->d_name + len - 4, "-wal") == 0))
			continue;
		memcpy(names[n++], e->d_name, len + 1);
	}
	if (d)
		closedir(d);
	qsort(names, n, sizeof(names[0]), newest_first);
	for (size_t i = ASIDE_KEPT; i < n; i++) {
		char wal[ASIDE_BYTES + 4];

		snprintf(wal, sizeof(wal), "%s-wal", names[i]);
		unlinkat(s->dir_fd, names[i], 0);
		unlinkat(s->dir_fd, wal, 0);
	}
}

/* A name that is not in use; two damages within a second get different names. */
static void new_name(const struct store *s, char name[ASIDE_BYTES])
{
	time_t now = time(NULL);
	struct tm tm;
	size_t len;

	localtime_r(&now, &tm);
	len = strftime(name, ASIDE_BYTES, ASIDE "%Y%m%dT%H%M%S", &tm);
	for (int i = 2; dir_has(s->dir_fd, name) && i < 100; i++)
		snprintf(name + len, ASIDE_BYTES - len, ".%02d", i);
}

static int move_aside(const struct store *s, const char *name, struct armada_error *err)
{
	char wal[ASIDE_BYTES + 4];

	snprintf(wal, sizeof(wal), "%s-wal", name);
	/* The WAL first: without its database it is never read. */
	if ((renameat(s->dir_fd, "history.db-wal", s->dir_fd, wal) && errno != ENOENT) ||
	    (renameat(s->dir_fd, "history.db", s->dir_fd, name) && errno != ENOENT))
		return fail_sys(err, -errno, "%s/history.db: cannot be set aside as %s", s->dir,
				name);
	unlinkat(s->dir_fd, "history.db-shm", 0);
	return 0;
}

int history_replace(struct store *s, uint64_t seq, const char *why, struct armada_error *err)
{
	char name[ASIDE_BYTES];
	bool had = dir_has(s->dir_fd, "history.db");
	int rc;

	close_both(s, true);
	new_name(s, name);
	rc = move_aside(s, name, err);
	if (!rc)
		rc = store_init_history(s, seq, err);
	if (!rc)
		rc = history_open(s, s->busy_us, err);
	if (!rc)
		rc = db_complete(&s->history, &put_spec, true, err);
	if (!rc)
		rc = db_complete(&s->reader, &find_spec, false, err);
	if (rc)
		return rc;
	s->imported = false;
	history_share_group(s);
	if (had)
		store_log(
			s, 3,
			"%s; %s/history.db was set aside as %s/%s, and a new history was begun: queries "
			"do not find jobs that ended before record %" PRIu64,
			why, s->dir, s->dir, name, seq + 1);
	else
		store_log(
			s, 3,
			"%s; a new %s/history.db was begun: queries do not find jobs that ended before "
			"record %" PRIu64,
			why, s->dir, seq + 1);
	forget_old(s);
	return 0;
}

int history_ready(const struct db *db, struct armada_error *err)
{
	return db->conn ? 0 : fail(err, -EUCLEAN, "history.db was damaged and is not replaced yet");
}

bool history_mend(struct store *s, int rc, struct armada_error *err)
{
	struct armada_error why, text;
	int made;

	if (rc != -EUCLEAN)
		return false;
	snprintf(why.text, sizeof(why.text), "%.400s", err ? err->text : "history.db is damaged");
	/* a long query ends with an error */
	pthread_mutex_lock(&s->reader_lock);
	if (s->accounts.conn)
		sqlite3_interrupt(s->accounts.conn);
	pthread_mutex_lock(&s->accounts_lock);
	made = history_replace(s, atomic_load(&s->history_seq), why.text, &text);
	s->history_reported = false;
	pthread_mutex_unlock(&s->accounts_lock);
	pthread_mutex_unlock(&s->reader_lock);
	if (made)
		store_log(s, 3, "%s; no new history could be begun: %s", why.text, text.text);
	return made == 0;
}

void history_report(struct store *s, int rc, const struct armada_error *err)
{
	if (rc != -EUCLEAN || s->history_reported)
		return;
	s->history_reported = true;
	store_log(
		s, 3,
		"%s/%s: a query about ended jobs failed; to begin a new history, move history.db and "
		"history.db-wal away while armctld is stopped",
		s->dir, err ? err->text : "history.db is damaged");
}
