/*
 * The durable state as chunks (snapshot.h). Each chunk is packed as a head and its bytes. A file ends with
 * the totals; only this program, in the parent of the process that wrote it, reads it.
 */
#include "armctld/snapshot.h"

#include "util/mem.h"
#include "util/shared.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct head {
	struct shared *tail; /* follows the chunk; NULL: nothing does */
	size_t len;
};

struct totals {
	size_t count;
	uint64_t bytes;
};

enum { WRITE_BYTES = 1 << 20 };

struct snapshot *snapshot_new(uint64_t seq)
{
	struct snapshot *s = xcalloc(1, sizeof(*s));

	s->arena = arena_new(0);
	s->seq = seq;
	return s;
}

void snapshot_add(struct snapshot *s, const void *data, size_t len, struct shared *tail)
{
	struct head h = {.tail = tail, .len = len};

	buf_add(&s->packed, &h, sizeof(h));
	buf_add(&s->packed, data, len);
	s->count++;
	s->bytes += len + (tail ? tail->len : 0);
	arena_hold(s->arena, tail);
}

static void add_chunk(void *arg, const void *data, size_t len, struct shared *tail)
{
	snapshot_add(arg, data, len, tail);
}

void snapshot_take(struct snapshot *s, const struct core *core)
{
	core_snapshot_shared(core, add_chunk, s);
}

/* ---- parts ---- */

/* Takes a chunk, and goes to the next one. The arena gets a copy if something follows the chunk. */
static struct armada_state_chunk next_chunk(struct snapshot *s, struct arena *arena)
{
	const uint8_t *at = (s->file ? s->file : s->packed.data) + s->part_at;
	struct armada_state_chunk to;
	struct head h;
	char *data;

	memcpy(&h, at, sizeof(h));
	at += sizeof(h);
	s->part_next++;
	s->part_at += sizeof(h) + h.len;
	to = (struct armada_state_chunk){.data = at, .len = h.len};
	if (!arena || !h.tail)
		return to;
	to.len = h.len + h.tail->len;
	to.data = data = arena_alloc(arena, to.len);
	memcpy(data, at, h.len);
	memcpy(data + h.len, h.tail->data, h.tail->len);
	return to;
}

static void go_to(struct snapshot *s, size_t chunk)
{
	if (chunk < s->part_next)
		s->part_next = s->part_at = 0;
	while (s->part_next < chunk)
		next_chunk(s, NULL);
}

void snapshot_part(struct snapshot *s, size_t first, size_t bytes, struct arena *arena,
		   struct armada_state_part *ret_part)
{
	struct armada_state_chunk *chunks = NULL;
	size_t count = 0, cap = 0, taken = 0;

	go_to(s, first);
	while (s->part_next < s->count && taken < bytes) {
		GROW(chunks, cap, count + 1);
		chunks[count] = next_chunk(s, arena);
		taken += chunks[count++].len;
	}
	*ret_part = (struct armada_state_part){
		.seq = s->seq,
		.first = first,
		.total = s->count,
		.total_bytes = s->bytes,
		.chunks = arena_memdup(arena, chunks, count * sizeof(*chunks)),
		.count = count,
	};
	free(chunks);
}

/* ---- a file ---- */

struct file {
	struct snapshot *snapshot;
	int fd, rc;
};

static void flush(struct file *f, size_t at_least)
{
	struct buf *b = &f->snapshot->packed;
	size_t done = 0;

	if (b->len < at_least)
		return;
	while (f->rc == 0 && done < b->len) {
		ssize_t n = write(f->fd, b->data + done, b->len - done);

		if (n < 0 && errno != EINTR)
			f->rc = -errno;
		else if (n > 0)
			done += (size_t)n;
	}
	buf_clear(b);
}

static void write_chunk(void *arg, const void *data, size_t len, struct shared *tail)
{
	struct file *f = arg;

	snapshot_add(f->snapshot, data, len, tail);
	flush(f, WRITE_BYTES);
}

int snapshot_write(struct snapshot *s, const struct core *core, int fd)
{
	struct file f = {s, fd, 0};
	struct totals t;

	core_snapshot_shared(core, write_chunk, &f);
	t = (struct totals){s->count, s->bytes};
	buf_add(&s->packed, &t, sizeof(t));
	flush(&f, 0);
	return f.rc;
}

int snapshot_map(struct snapshot *s, int fd)
{
	struct totals t;
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0)
		return -errno;
	if ((size_t)st.st_size < sizeof(t))
		return -EBADMSG;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	s->file = p;
	s->file_len = (size_t)st.st_size;
	memcpy(&t, s->file + s->file_len - sizeof(t), sizeof(t));
	s->count = t.count;
	s->bytes = t.bytes;
	return 0;
}

void snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
	if (s->file)
		munmap((void *)s->file, s->file_len);
	buf_done(&s->packed);
	arena_free(s->arena);
	free(s);
}
