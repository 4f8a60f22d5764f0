/*
 * Scan of a write-ahead log of SQLite for damage (walscan.h explains the need).
 *
 * In: a descriptor of the file. Out: the number of valid, committed and torn frames, and whether a frame that
 * was once durable is damaged. The checksum of a frame includes the one of the frame before it. So after a
 * bad frame the next one is checked with the stored and with the computed checksum.
 */
#include "walscan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEADER_BYTES = 32,
	FRAME_BYTES = 24, /* before the page */
	PAGE_BYTES_MAX = 65536,
	/* In the header: */
	AT_PAGE_SIZE = 8,
	AT_HEADER_SALTS = 16,
	AT_HEADER_SUM = 24,
	/* In a frame: */
	AT_COMMIT = 4,
	AT_SALTS = 8,
	AT_SUM = 16,
	SALT_BYTES = 8,
};

struct sum {
	uint32_t a, b;
};

struct scanner {
	int fd;
	uint32_t page_bytes;
	bool big_endian; /* byte order of the words of the checksums; depends on the machine that wrote it */
	uint8_t salts[SALT_BYTES];
	uint8_t *frame;
};

static uint32_t get_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t get_le32(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static struct sum get_sum(const uint8_t *p)
{
	return (struct sum){get_be32(p), get_be32(p + 4)};
}

static bool same(struct sum x, struct sum y)
{
	return x.a == y.a && x.b == y.b;
}

/* len is a multiple of eight. */
static struct sum add(const struct scanner *sc, struct sum s, const uint8_t *p, uint32_t len)
{
	for (uint32_t i = 0; i < len; i += 8) {
		s.a += (sc->big_endian ? get_be32(p + i) : get_le32(p + i)) + s.b;
		s.b += (sc->big_endian ? get_be32(p + i + 4) : get_le32(p + i + 4)) + s.a;
	}
	return s;
}

/* Returns the number of bytes read, less than len only at the end of the file; or a negative errno. */
static ssize_t read_at(int fd, void *buf, size_t len, uint64_t offset)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = pread(fd, (uint8_t *)buf + got, len - got, (off_t)(offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/* Fill the scanner from the header; false: SQLite would not accept it. */
static bool read_header(struct scanner *sc, const uint8_t header[HEADER_BYTES], struct sum *ret_sum)
{
	uint32_t magic = get_be32(header), page = get_be32(header + AT_PAGE_SIZE);

	if ((magic & ~1u) != 0x377f0682 || get_be32(header + 4) != 3007000)
		return false;
	if (page < 512 || page > PAGE_BYTES_MAX || (page & (page - 1)) != 0)
		return false;
	sc->big_endian = magic & 1;
	sc->page_bytes = page;
	memcpy(sc->salts, header + AT_HEADER_SALTS, SALT_BYTES);
	*ret_sum = get_sum(header + AT_HEADER_SUM);
	return same(add(sc, (struct sum){0, 0}, header, AT_HEADER_SUM), *ret_sum);
}

/*
 * A file with a bad header. The header is synced before the first frame is written. So if any byte after it
 * is not 0, the header was once good.
 */
static int scan_headless(struct scanner *sc, struct wal_scan *scan)
{
	uint64_t offset = HEADER_BYTES;
	ssize_t n;

	while ((n = read_at(sc->fd, sc->frame, PAGE_BYTES_MAX, offset)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			if (sc->frame[i]) {
				scan->damaged = true;
				return 0;
			}
		offset += (uint64_t)n;
	}
	return (int)n;
}

static int scan_frames(struct scanner *sc, struct sum stored, uint64_t size, struct wal_scan *scan)
{
	uint64_t step = FRAME_BYTES + sc->page_bytes, bad = 0;
	struct sum computed = stored;
	bool ended = false; /* the transaction of the bad frame ends before this frame */

	scan->frames = (size - HEADER_BYTES) / step;
	for (uint64_t i = 1; i <= scan->frames; i++) {
		uint64_t offset = HEADER_BYTES + (i - 1) * step;
		ssize_t n = read_at(sc->fd, sc->frame, step, offset);
		struct sum want, before;
		bool ours, good, commit;

		if (n < 0)
			return (int)n;
		if ((uint64_t)n < step)
			break;
		ours = memcmp(sc->frame + AT_SALTS, sc->salts, SALT_BYTES) == 0;
		commit = ours && get_be32(sc->frame + AT_COMMIT) != 0;
		want = get_sum(sc->frame + AT_SUM);
		before = computed;
		computed = add(sc, add(sc, stored, sc->frame, AT_SALTS), sc->frame + FRAME_BYTES,
			       sc->page_bytes);
		good = ours && get_be32(sc->frame) != 0 && same(computed, want);
		/* Only the checksum stored in the frame before may be bad. */
		if (bad && ours && !good)
			good = same(add(sc, add(sc, before, sc->frame, AT_SALTS),
					sc->frame + FRAME_BYTES, sc->page_bytes),
				    want);
		stored = want;
		if (!bad && !good) {
			bad = i;
			scan->bad_frame = i;
			scan->bad_offset = offset;
		} else if (bad && good && ended) {
			scan->damaged = true;
		}
		if (bad)
			ended |= commit;
		else if (commit)
			scan->committed = i;
		if (ours && i > scan->committed)
			scan->torn++;
		else if (!bad)
			scan->torn = 0;
	}
	return 0;
}

int wal_scan(int fd, struct wal_scan *ret_scan)
{
	struct scanner sc = {.fd = fd};
	struct wal_scan scan = {0};
	uint8_t header[HEADER_BYTES];
	struct sum sum;
	struct stat st;
	ssize_t n;
	int rc;

	if (fstat(fd, &st))
		return -errno;
	n = read_at(fd, header, sizeof(header), 0);
	if (n < 0)
		return (int)n;
	if (n == HEADER_BYTES) {
		sc.frame = malloc(FRAME_BYTES + PAGE_BYTES_MAX);
		if (!sc.frame)
			return -ENOMEM;
		rc = read_header(&sc, header, &sum)
			     ? scan_frames(&sc, sum, (uint64_t)st.st_size, &scan)
			     : scan_headless(&sc, &scan);
		free(sc.frame);
		if (rc)
			return rc;
	}
	*ret_scan = scan;
	return 0;
}
