/*
 * The records whose rows are missing (history_gap.h). The file is a hash of 32 bytes and a packed HistoryGap;
 * it is replaced by rename(2).
 */
#include "armctld/history_gap.h"

#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HASH = 32, FILE_MAX = 65536 };

static const char NAME[] = "history.gap";

static void set_place(struct history_gap *g, const Armada__HistoryPlace *place)
{
	struct arena *arena = arena_new(0);

	g->place = *place;
	g->place.queue = arena_strdup(arena, place->queue);
	g->place.job_set = arena_strdup(arena, place->job_set);
	arena_free(g->arena);
	g->arena = arena;
}

static void begin_again(struct history_gap *g)
{
	const Armada__HistoryPlace none = ARMADA__HISTORY_PLACE__INIT;

	set_place(g, &none);
}

void history_gap_done(struct history_gap *g)
{
	arena_free(g->arena);
	g->arena = NULL;
}

static bool parse(const uint8_t *data, size_t len, struct history_gap *g)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	uint8_t hash[HASH];
	struct err ignored;
	const Armada__HistoryGap *m;

	if (len < HASH)
		return false;
	crypto_generichash(hash, HASH, data + HASH, len - HASH, NULL, 0);
	if (memcmp(hash, data, HASH) != 0)
		return false;
	m = msg_unpack_as(&armada__history_gap__descriptor, data + HASH, len - HASH, arena,
			  &ignored);
	if (!m || !m->place || m->target > m->upto || m->after >= m->upto)
		return false;
	g->after = m->after;
	g->upto = m->upto;
	g->target = m->target;
	set_place(g, m->place);
	return true;
}

int history_gap_read(const char *state_dir, struct history_gap *ret_gap, bool *ret_damaged,
		     struct err *err)
{
	CLEANUP_FREE char *path = xasprintf("%s/%s", state_dir, NAME);
	CLEANUP_FREE uint8_t *data = xmalloc(FILE_MAX);
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n;

	*ret_gap = (struct history_gap){.after = 0};
	*ret_damaged = false;
	begin_again(ret_gap);
	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, -errno, "%s", path);
	n = read(fd, data, FILE_MAX);
	if (n < 0)
		return err_sys(err, -errno, "%s", path);
	*ret_damaged = !parse(data, (size_t)n, ret_gap);
	return 0;
}

static int write_file(int fd, const struct buf *b)
{
	if (write(fd, b->data, b->len) != (ssize_t)b->len)
		return -EIO;
	return fsync(fd) < 0 ? -errno : 0;
}

static int sync_dir(const char *state_dir)
{
	CLEANUP_CLOSE int fd = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

static void pack(const struct history_gap *g, struct buf *out)
{
	Armada__HistoryGap m = ARMADA__HISTORY_GAP__INIT;
	CLEANUP_BUF struct buf packed = {0};
	uint8_t hash[HASH];

	m.after = g->after;
	m.upto = g->upto;
	m.target = g->target;
	m.place = (Armada__HistoryPlace *)(uintptr_t)&g->place;
	msg_pack(&m, &packed);
	crypto_generichash(hash, HASH, packed.data, packed.len, NULL, 0);
	buf_add(out, hash, HASH);
	buf_add(out, packed.data, packed.len);
}

int history_gap_write(const char *state_dir, const struct history_gap *g, struct err *err)
{
	CLEANUP_FREE char *path = xasprintf("%s/%s", state_dir, NAME);
	CLEANUP_FREE char *temp = xasprintf("%s.new", path);
	CLEANUP_BUF struct buf bytes = {0};
	int fd, rc = 0;

	if (!history_gap_is_open(g)) {
		if (unlink(path) < 0 && errno != ENOENT)
			return err_sys(err, -errno, "%s", path);
		return 0;
	}
	pack(g, &bytes);
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_sys(err, -errno, "%s", temp);
	rc = write_file(fd, &bytes);
	close(fd);
	if (rc == 0 && rename(temp, path) < 0)
		rc = -errno;
	if (rc == 0)
		rc = sync_dir(state_dir);
	return rc < 0 ? err_sys(err, rc, "%s", path) : 0;
}

void history_gap_add(struct history_gap *g, uint64_t after, uint64_t upto)
{
	bool open = history_gap_is_open(g);

	if (after >= upto)
		return;
	if (!open || after < g->after) {
		g->after = after;
		g->target = 0;
		begin_again(g);
	}
	g->upto = open && g->upto > upto ? g->upto : upto;
}

bool history_gap_begin(struct history_gap *g, uint64_t complete)
{
	if (g->target && complete >= g->target)
		return true;
	g->target = complete < g->upto ? complete : g->upto;
	begin_again(g);
	if (g->target <= g->after)
		g->target = 0;
	return g->target != 0;
}

bool history_gap_move(struct history_gap *g, const Armada__HistoryPlace *place)
{
	set_place(g, place);
	if (place->part != ARMADA__HISTORY_PART__HISTORY_END)
		return false;
	g->after = g->target;
	g->target = 0;
	begin_again(g);
	return true;
}
