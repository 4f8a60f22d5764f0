/*
 * The file of one task attempt (attempt.h): creating, reading and writing its four parts. Input and
 * output: the parts as structs; a damaged order is a flag of struct attempt, not an error.
 *
 * A new file is written under the name new.NAME, synced and renamed, so a file under its final name
 * is complete. It may reuse a file of the disk reserve. The end part is written in place; its
 * checksum tells whether the write was complete.
 */
#include "armd/spool/attempt.h"

#include "armd/spool/disk_reserve.h"
#include "armd/spool/host_files.h"
#include "proto/check.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/utf8.h"

#include <assert.h>
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	END_AT = 0,
	END_ROOM = 4096,
	START_AT = 4096,
	PLACE_AT = 4160,
	ORDER_AT = 4608,
	END_TEXT_MAX = 1024,
	BODY_MAX = 16 << 20,
};

/* The layout of the parts in the file; integers little endian, no padding. */
struct end_part {
	uint8_t magic[8];
	uint64_t len;
	uint8_t digest[32]; /* of the packed TaskEnd */
	uint8_t packed[END_ROOM - 48];
};

struct start_part {
	uint64_t forked;
	uint64_t start_us;
	uint64_t ready;
};

struct place_part {
	uint8_t magic[8];
	uint64_t each_milli;
	uint64_t cpus[PLACE_CPUS / 64];
	uint64_t gpus[PLACE_GPUS / 64];
};

struct order_part {
	uint8_t magic[8];
	uint64_t seq;
	uint64_t has_order;
	uint64_t accepted_us;
	uint64_t body_len;
	char boot_id[64];
	uint8_t order[ORDER_SIZE];
	uint8_t body_digest[32];
	uint8_t digest[32]; /* of all members before it */
};

static_assert(sizeof(struct end_part) == END_ROOM, "the end has its room");
static_assert(START_AT + sizeof(struct start_part) <= PLACE_AT, "the start has its room");
static_assert(PLACE_AT + sizeof(struct place_part) <= ORDER_AT, "the place has its room");

static const uint8_t end_magic[8] = {'A', 'R', 'M', 'D', 'E', 'N', 'D', '1'};
static const uint8_t place_magic[8] = {'A', 'R', 'M', 'D', 'P', 'L', 'C', '1'};
static const uint8_t order_magic[8] = {'A', 'R', 'M', 'D', 'O', 'R', 'D', '1'};

static int write_whole(int fd, struct iovec *iov, int count)
{
	while (count > 0) {
		ssize_t n = writev(fd, iov, count);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		for (; count > 0 && (size_t)n >= iov->iov_len; iov++, count--)
			n -= (ssize_t)iov->iov_len;
		if (count > 0) {
			iov->iov_base = (uint8_t *)iov->iov_base + n;
			iov->iov_len -= (size_t)n;
		}
	}
	return 0;
}

static int write_new(int fd, const struct order_part *part, const uint8_t *body, size_t body_len)
{
	static const uint8_t zeros[ORDER_AT];
	off_t whole = (off_t)(ORDER_AT + sizeof(*part) + body_len);
	struct stat st;
	struct iovec iov[] = {
		{.iov_base = (void *)(uintptr_t)zeros, .iov_len = sizeof(zeros)},
		{.iov_base = (void *)(uintptr_t)part, .iov_len = sizeof(*part)},
		{.iov_base = (void *)(uintptr_t)body, .iov_len = body_len},
	};
	int rc = write_whole(fd, iov, body_len ? 3 : 2);

	/* A reused file may be longer: cut the rest. */
	if (rc == 0 && fstat(fd, &st) == 0 && st.st_size > whole && ftruncate(fd, whole) < 0)
		rc = -errno;
	if (rc == 0 && fdatasync(fd) < 0)
		rc = -errno;
	return rc;
}

int attempt_create(struct spool *s, const struct task_key *key, uint64_t seq,
		   const uint8_t order[ORDER_SIZE], const uint8_t *body, size_t body_len,
		   struct err *err)
{
	struct order_part part = {.seq = htole64(seq), .body_len = htole64(body_len)};
	char name[ATTEMPT_NAME], half[ATTEMPT_NAME + 8];
	int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
	CLEANUP_CLOSE int fd = -1;
	int rc;

	attempt_name(key, name);
	snprintf(half, sizeof(half), "new.%s", name);
	memcpy(part.magic, order_magic, sizeof(part.magic));
	part.accepted_us = htole64((uint64_t)clock_us(CLOCK_BOOTTIME));
	memcpy(part.boot_id, s->boot_id, sizeof(part.boot_id));
	if (order) {
		part.has_order = htole64(1);
		memcpy(part.order, order, ORDER_SIZE);
	}
	order_digest(body, body_len, part.body_digest);
	order_digest(&part, offsetof(struct order_part, digest), part.digest);
	flags |= disk_reserve_take(s, half) ? 0 : O_TRUNC;
	fd = openat(s->tasks, half, flags, 0600);
	rc = fd < 0 ? -errno : write_new(fd, &part, body, body_len);
	if (rc == 0 && renameat(s->tasks, half, s->tasks, name) < 0)
		rc = -errno;
	if (rc < 0)
		return err_sys(err, rc, "cannot write %s/tasks/%s", s->path, name);
	s->dirty = true;
	return 0;
}

int attempt_open(const struct spool *s, const struct task_key *key, int *ret_fd, struct err *err)
{
	char name[ATTEMPT_NAME];
	int fd;

	attempt_name(key, name);
	fd = openat(s->tasks, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, -errno, "cannot open %s/tasks/%s", s->path, name);
	*ret_fd = fd;
	return 0;
}

const Armada__TaskEnd *attempt_read_end(int fd, struct arena *arena)
{
	struct end_part part;
	uint8_t digest[32];
	uint64_t len;

	if (pread(fd, &part, sizeof(part), END_AT) != (ssize_t)sizeof(part))
		return NULL;
	len = le64toh(part.len);
	if (memcmp(part.magic, end_magic, sizeof(part.magic)) != 0 || len > sizeof(part.packed))
		return NULL;
	order_digest(part.packed, len, digest);
	if (memcmp(digest, part.digest, sizeof(digest)) != 0)
		return NULL;
	return msg_unpack_as(&armada__task_end__descriptor, part.packed, len, arena, NULL);
}

static bool read_body(int fd, const struct order_part *part, struct arena *arena, struct attempt *a)
{
	uint64_t len = le64toh(part->body_len);
	uint8_t digest[32];
	uint8_t *body;

	if (len > BODY_MAX)
		return false;
	body = arena_alloc(arena, len + 1);
	if (pread(fd, body, len, ORDER_AT + sizeof(*part)) != (ssize_t)len)
		return false;
	order_digest(body, len, digest);
	a->body = body;
	a->body_len = len;
	return memcmp(digest, part->body_digest, sizeof(digest)) == 0;
}

static bool read_order(int fd, const struct spool *s, struct arena *arena, struct attempt *a)
{
	struct order_part part;
	uint8_t digest[32];

	if (pread(fd, &part, sizeof(part), ORDER_AT) != (ssize_t)sizeof(part))
		return false;
	order_digest(&part, offsetof(struct order_part, digest), digest);
	if (memcmp(part.magic, order_magic, sizeof(part.magic)) != 0 ||
	    memcmp(digest, part.digest, sizeof(digest)) != 0 || !read_body(fd, &part, arena, a))
		return false;
	a->seq = le64toh(part.seq);
	a->accepted_us = (int64_t)le64toh(part.accepted_us);
	a->has_order = part.has_order != 0;
	a->same_boot = strncmp(part.boot_id, s->boot_id, sizeof(part.boot_id)) == 0;
	memcpy(a->order, part.order, ORDER_SIZE);
	return true;
}

static void read_place(int fd, struct place *ret_place)
{
	struct place_part part;

	*ret_place = (struct place){.each_milli = 0};
	if (pread(fd, &part, sizeof(part), PLACE_AT) != (ssize_t)sizeof(part) ||
	    memcmp(part.magic, place_magic, sizeof(part.magic)) != 0)
		return;
	ret_place->each_milli = (uint32_t)le64toh(part.each_milli);
	for (size_t i = 0; i < ARRAY_SIZE(part.cpus); i++)
		ret_place->cpus[i] = le64toh(part.cpus[i]);
	for (size_t i = 0; i < ARRAY_SIZE(part.gpus); i++)
		ret_place->gpus[i] = le64toh(part.gpus[i]);
}

int attempt_note_place(int fd, const struct place *place)
{
	struct place_part part = {.each_milli = htole64(place->each_milli)};

	memcpy(part.magic, place_magic, sizeof(part.magic));
	for (size_t i = 0; i < ARRAY_SIZE(part.cpus); i++)
		part.cpus[i] = htole64(place->cpus[i]);
	for (size_t i = 0; i < ARRAY_SIZE(part.gpus); i++)
		part.gpus[i] = htole64(place->gpus[i]);
	return pwrite(fd, &part, sizeof(part), PLACE_AT) == (ssize_t)sizeof(part) ? 0 : -EIO;
}

/* The place of the end is not empty. */
static bool has_end_bytes(int fd)
{
	static const struct end_part empty;
	struct end_part part;

	return pread(fd, &part, sizeof(part), END_AT) == (ssize_t)sizeof(part) &&
	       memcmp(&part, &empty, sizeof(part)) != 0;
}

int attempt_read(const struct spool *s, int fd, struct arena *arena, struct attempt *ret_attempt,
		 struct err *err)
{
	struct attempt a = {0};
	struct start_part start = {0};

	if (pread(fd, &start, sizeof(start), START_AT) < 0)
		return err_sys(err, -errno, "cannot read from %s/tasks", s->path);
	a.forked = start.forked != 0;
	a.ready = start.ready != 0;
	a.start_us = (int64_t)le64toh(start.start_us);
	if (!read_order(fd, s, arena, &a))
		a = (struct attempt){.damaged = true, .seq = UINT64_MAX, .forked = true};
	read_place(fd, &a.place);
	a.end = attempt_read_end(fd, arena);
	a.end_damaged = !a.end && has_end_bytes(fd);
	a.key = ret_attempt->key;
	*ret_attempt = a;
	return 0;
}

void attempt_read_start(int fd, struct attempt_start *ret_start)
{
	struct start_part part = {0};

	if (pread(fd, &part, sizeof(part), START_AT) != (ssize_t)sizeof(part))
		part = (struct start_part){0};
	*ret_start = (struct attempt_start){.forked = part.forked != 0,
					    .ready = part.ready != 0,
					    .start_us = (int64_t)le64toh(part.start_us)};
}

int attempt_note_start(int fd, const struct attempt_start *start)
{
	struct start_part part = {.forked = htole64(start->forked),
				  .start_us = htole64((uint64_t)start->start_us),
				  .ready = htole64(start->ready)};

	return pwrite(fd, &part, sizeof(part), START_AT) == (ssize_t)sizeof(part) ? 0 : -EIO;
}

/* A text that message_check accepts: cut at a character boundary if it is too long. */
static void clean_text(const char *text, char out[END_TEXT_MAX])
{
	size_t len = (size_t)snprintf(out, END_TEXT_MAX, "%s", text);

	if (len >= END_TEXT_MAX) {
		len = utf8_whole(out, END_TEXT_MAX - 1);
		out[len] = '\0';
	}
	text_make_clean(out, len, false);
}

int attempt_write_end(int fd, const Armada__TaskEnd *end, struct err *err)
{
	Armada__TaskEnd copy = *end;
	struct end_part part = {0};
	char text[END_TEXT_MAX], problem[END_TEXT_MAX];
	size_t len;

	if (copy.text) {
		clean_text(copy.text, text);
		copy.text = text;
	}
	if (copy.node_problem) {
		clean_text(copy.node_problem, problem);
		for (char *p = problem; *p; p++)
			*p = *p == '\n' || *p == '\t' ? ' ' : *p;
		copy.node_problem = problem;
	}
	len = armada__task_end__get_packed_size(&copy);
	assert(len <= sizeof(part.packed));
	armada__task_end__pack(&copy, part.packed);
	memcpy(part.magic, end_magic, sizeof(part.magic));
	part.len = htole64(len);
	order_digest(part.packed, len, part.digest);
	if (pwrite(fd, &part, sizeof(part), END_AT) != (ssize_t)sizeof(part) || fdatasync(fd) < 0)
		return err_sys(err, errno ? -errno : -EIO, "cannot write the end of the task");
	return 0;
}

int attempt_remove(struct spool *s, const struct task_key *key, struct err *err)
{
	char name[ATTEMPT_NAME], control[ATTEMPT_NAME + 8];

	attempt_name(key, name);
	snprintf(control, sizeof(control), "%s.ctl", name);
	unlinkat(s->scripts, name, 0);
	host_files_remove(s, key);
	unlinkat(s->tasks, control, 0);
	if (disk_reserve_keep(s, name))
		return 0;
	if (unlinkat(s->tasks, name, 0) < 0 && errno != ENOENT)
		return err_sys(err, -errno, "cannot remove %s/tasks/%s", s->path, name);
	return 0;
}

int attempt_list(struct spool *s, struct task_key **ret_keys, size_t *ret_count, struct err *err)
{
	int fd = openat(s->tasks, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_DIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct task_key *keys = NULL, key;
	size_t count = 0, cap = 0;
	struct dirent *de;

	if (!dir)
		return err_sys(err, -errno, "cannot list %s/tasks", s->path);
	while ((de = readdir(dir))) {
		if (strncmp(de->d_name, "new.", 4) == 0 ||
		    strncmp(de->d_name, DISK_RESERVE_PREFIX, strlen(DISK_RESERVE_PREFIX)) == 0) {
			unlinkat(s->tasks, de->d_name, 0);
		} else if (attempt_parse_name(de->d_name, &key)) {
			GROW(keys, cap, count + 1);
			keys[count++] = key;
		}
	}
	s->reserve = (struct disk_reserve){0};
	*ret_keys = keys;
	*ret_count = count;
	return 0;
}
