/*
 * The mark: the last record of the log that was acknowledged.
 *
 * SQLite treats a WAL that ends early, or has a bad header, as unfinished, and a log without its last rows
 * is still a valid log. The mark detects that. After each commit the sequence and hash of the last record
 * are written to log.mark, without a sync, so it costs nothing. The mark is synced before rows move from the
 * WAL to the database, and at close. The mark is never ahead of the log, so a log that ends before its mark
 * has lost records.
 */
#include "crc32c.h"
#include "error.h"
#include "le.h"
#include "mark.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const uint8_t magic[8] = "ARMMARK1";

enum {
	AT_SEQ = 8,
	AT_HASH = 16,
	AT_CRC = 32,
	MARK_BYTES = 36,
};

static int put(int fd, const struct mark *mark)
{
	uint8_t raw[MARK_BYTES], le[8];
	ssize_t n;

	memcpy(raw, magic, sizeof(magic));
	put_le64(raw + AT_SEQ, mark->seq);
	memcpy(raw + AT_HASH, mark->hash, HASH_BYTES);
	put_le64(le, crc32c(0, raw, AT_CRC));
	memcpy(raw + AT_CRC, le, 4);
	n = pwrite(fd, raw, sizeof(raw), 0);
	if (n < 0)
		return -errno;
	return n == MARK_BYTES ? 0 : -EIO;
}

int mark_create(int dir_fd, struct armada_error *err)
{
	struct mark none = {0};
	int fd = openat(dir_fd, "log.mark", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			0600);
	int rc = 0;

	if (fd < 0)
		return fail_sys(err, -errno, "log.mark: cannot make it");
	rc = put(fd, &none);
	if (!rc && fsync(fd))
		rc = -errno;
	close(fd);
	return rc ? fail_sys(err, rc, "log.mark: cannot write it") : 0;
}

static bool parse(const uint8_t raw[MARK_BYTES], struct mark *ret_mark)
{
	uint8_t le[8];

	put_le64(le, crc32c(0, raw, AT_CRC));
	if (memcmp(raw, magic, sizeof(magic)) != 0 || memcmp(raw + AT_CRC, le, 4) != 0)
		return false;
	ret_mark->seq = get_le64(raw + AT_SEQ);
	memcpy(ret_mark->hash, raw + AT_HASH, HASH_BYTES);
	return true;
}

int mark_read(int dir_fd, struct mark *ret_mark)
{
	int fd = openat(dir_fd, "log.mark", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	uint8_t raw[MARK_BYTES] = {0};
	bool good = fd >= 0 && pread(fd, raw, sizeof(raw), 0) == MARK_BYTES && parse(raw, ret_mark);

	if (fd >= 0)
		close(fd);
	return good;
}

int mark_open(struct store *s, struct mark *ret_mark, struct armada_error *err)
{
	uint8_t raw[MARK_BYTES] = {0};
	ssize_t n;

	s->mark_fd = openat(s->dir_fd, "log.mark", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->mark_fd < 0)
		return fail_sys(err, -errno, "log.mark: cannot open it");
	n = pread(s->mark_fd, raw, sizeof(raw), 0);
	if (n < 0)
		return fail_sys(err, -errno, "log.mark: cannot read it");
	if (n != MARK_BYTES || !parse(raw, ret_mark)) {
		store_log(s, 4,
			  "%s/log.mark is %s: the end of the log cannot be checked against it",
			  s->dir, n == 0 ? "missing" : "damaged");
		return 0;
	}
	return 1;
}

int mark_put(int fd, const struct mark *mark, bool sync)
{
	int rc = put(fd, mark);

	if (!rc && sync && fdatasync(fd))
		rc = -errno;
	return rc;
}

int mark_write(struct store *s, bool sync)
{
	struct mark mark = {.seq = atomic_load(&s->last_seq)};

	memcpy(mark.hash, s->last_hash, HASH_BYTES);
	return mark_put(s->mark_fd, &mark, sync);
}
