/*
 * state/shared: a state that several controllers of one machine share in a directory, for tests of
 * failover that need no other program, and as a second engine of <armada/replica.h>.
 *
 * Everything happens under flock of DIR/lock. DIR/log has the records, DIR/lead who leads: epoch, name, a
 * counter that each renewal moves, whether the lead was given up, and to whom. A standby takes the lead
 * when the counter has not moved for longer than a lease by its own clock. The history is that of
 * state/sqlite in state_dir. If DIR/away exists, one of the two pretended copies is away, and appends
 * wait.
 */
#define _GNU_SOURCE 1

#include <armada/plugin.h>
#include <armada/state.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LEASE_US = 2000000, WAIT_MORE_US = 500000, POLL_US = 10000, OPTION_DIR = 0 };

static const struct armada_option options[] = {
	[OPTION_DIR] = {.name = "dir",
			.type = ARMADA_OPTION_STRING,
			.def = "/tmp",
			.help = "The directory that the controllers share."},
};

/* DIR/lead */
struct lead {
	uint64_t epoch, counter;
	char name[ARMADA_REPLICA_NAME_MAX + 1];
	char heir[ARMADA_REPLICA_NAME_MAX + 1];
	bool resigned;
};

struct entry {
	uint64_t seq, len;
};

/* DIR/NAME.controller */
struct said {
	struct armada_replica_controller self;
	uint64_t counter, boot; /* boot: of the process */
};

enum { SEEN = 16 };

struct shared {
	const struct armada_state_ops *history;
	void *history_handle;
	char dir[3072], own_dir[3072];
	uint64_t epoch; /* of the lead; 0: none */
	_Atomic int64_t lease_until;
	atomic_bool interrupted;
	char name[ARMADA_REPLICA_NAME_MAX + 1];
	uint64_t process; /* a random number */
	uint64_t said;    /* announcements */
	/* when the counter of the leader was seen to move */
	uint64_t seen_epoch, seen_counter;
	int64_t seen_us;
	off_t log_at; /* where the record after `at_seq` begins */
	uint64_t at_seq;
	struct {
		char name[ARMADA_REPLICA_NAME_MAX + 1];
		uint64_t counter;
		int64_t moved_us; /* 0: it has not moved since this process looks */
	} seen[SEEN];
};

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}

static int fail(struct armada_error *err, int code, const char *what)
{
	snprintf(err->text, sizeof(err->text), "%.400s: %s", what, strerror(-code));
	return code;
}

static int open_file(const char *dir, const char *name, int flags)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open(path, flags | O_CLOEXEC, 0600);
}

static int lock(const char *dir)
{
	int fd = open_file(dir, "lock", O_RDWR | O_CREAT);

	if (fd >= 0)
		while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
			;
	return fd;
}

/* The file as it is; missing or short: zeroes. */
static void load(const char *dir, const char *name, void *to, size_t size)
{
	int fd = open_file(dir, name, O_RDONLY);

	memset(to, 0, size);
	if (fd < 0)
		return;
	if (read(fd, to, size) != (ssize_t)size)
		memset(to, 0, size);
	close(fd);
}

static int store(const char *dir, const char *name, const void *from, size_t size)
{
	char old_path[4096], path[4096];
	int fd = open_file(dir, "new", O_WRONLY | O_CREAT | O_TRUNC);
	bool good = fd >= 0 && write(fd, from, size) == (ssize_t)size && fdatasync(fd) == 0;

	if (fd >= 0)
		close(fd);
	snprintf(old_path, sizeof(old_path), "%s/new", dir);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return good && rename(old_path, path) == 0 ? 0 : -EIO;
}

/* ---- the history ---- */

/* state/sqlite, which is in the directory of this plugin. */
static const struct armada_plugin *sqlite(struct armada_error *err)
{
	char path[4096];
	Dl_info self;
	void *dl, *desc;
	char *slash;

	if (!dladdr(options, &self) || !self.dli_fname)
		return fail(err, -ENOENT, "dladdr"), NULL;
	snprintf(path, sizeof(path), "%s", self.dli_fname);
	slash = strrchr(path, '/');
	snprintf(slash ? slash + 1 : path, 64, "state_sqlite.so");
	dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	desc = dl ? dlsym(dl, ARMADA_PLUGIN_SYMBOL) : NULL;
	if (!desc)
		fail(err, -ENOENT, path);
	return desc;
}

static const struct armada_option_value *sqlite_values(const struct armada_plugin *p)
{
	static struct armada_option_value values[32];

	for (size_t i = 0; i < p->option_count && i < 32; i++) {
		values[i].s = "";
		if (strcmp(p->options[i].name, "busy_timeout") == 0)
			values[i].i = 5000000;
		else if (strcmp(p->options[i].name, "wal_limit") == 0)
			values[i].i = 4 << 20;
		else if (strcmp(p->options[i].name, "shares_kept") == 0)
			values[i].i = INT64_C(86400000000);
	}
	return values;
}

static int shared_init(const char *dir, const uint8_t cluster_id[16],
		       const struct armada_option_value *values, struct armada_error *err)
{
	const struct armada_plugin *p = sqlite(err);
	const char *shared = values[OPTION_DIR].s;
	uint8_t id[16], none[16] = {0};
	int rc;

	if (!p)
		return -ENOENT;
	load(shared, "cluster", id, sizeof(id));
	if (memcmp(id, none, sizeof(id)) != 0)
		return fail(err, -EEXIST, shared);
	rc = ((const struct armada_state_ops *)p->ops)
		     ->init(dir, cluster_id, sqlite_values(p), err);
	return rc < 0 ? rc : store(shared, "cluster", cluster_id, 16);
}

static uint64_t last_seq(struct shared *s)
{
	int fd = open_file(s->dir, "log", O_RDONLY);
	struct entry e;
	uint64_t last = 0;

	while (fd >= 0 && read(fd, &e, sizeof(e)) == sizeof(e)) {
		last = e.seq;
		lseek(fd, (off_t)e.len, SEEK_CUR);
	}
	if (fd >= 0)
		close(fd);
	return last;
}

static int shared_open(void **ret_handle, const char *dir, const struct armada_option_value *values,
		       const struct armada_host *host, struct armada_state_info *ret_info,
		       struct armada_error *err)
{
	const struct armada_plugin *p = sqlite(err);
	struct shared *s = calloc(1, sizeof(*s));
	uint8_t id[16];
	int rc, fd;

	if (!p || !s) {
		free(s);
		return -ENOENT;
	}
	s->history = p->ops;
	snprintf(s->dir, sizeof(s->dir), "%s", values[OPTION_DIR].s);
	load(s->dir, "cluster", id, sizeof(id));
	rc = s->history->open(&s->history_handle, dir, sqlite_values(p), host, ret_info, err);
	if (rc == -ENOENT && s->history->init(dir, id, sqlite_values(p), err) == 0)
		rc = s->history->open(&s->history_handle, dir, sqlite_values(p), host, ret_info,
				      err);
	if (rc < 0) {
		free(s);
		return rc;
	}
	memcpy(ret_info->cluster_id, id, sizeof(id));
	snprintf(s->own_dir, sizeof(s->own_dir), "%s", dir);
	load(dir, "history.mark", &ret_info->history_seq, sizeof(ret_info->history_seq));
	fd = lock(s->dir);
	ret_info->last_seq = last_seq(s);
	close(fd);
	ret_info->snapshot_seq = 0;
	s->process = (uint64_t)now_us() ^ (uint64_t)getpid() << 40;
	s->seen_us = now_us();
	*ret_handle = s;
	return 0;
}

static void shared_close(void *handle)
{
	struct shared *s = handle;

	s->history->close(s->history_handle);
	free(s);
}

/* ---- the log ---- */

/* Calls on_record for the records after `after`; the lock is not held: records only come. */
static int read_log(struct shared *s, uint64_t after, armada_state_record_fn *on_record, void *arg)
{
	int fd = open_file(s->dir, "log", O_RDONLY), rc = 0;
	off_t at = s->at_seq <= after ? s->log_at : 0;
	struct entry e;
	struct stat st;
	char *data;

	if (fd < 0)
		return 0;
	fstat(fd, &st);
	while (rc == 0 && !s->interrupted && pread(fd, &e, sizeof(e), at) == sizeof(e) &&
	       at + (off_t)sizeof(e) + (off_t)e.len <= st.st_size) {
		data = malloc(e.len + 1);
		if (e.seq > after &&
		    pread(fd, data, e.len, at + (off_t)sizeof(e)) == (ssize_t)e.len)
			rc = on_record(arg, e.seq, data, e.len);
		free(data);
		at += (off_t)sizeof(e) + (off_t)e.len;
		s->log_at = at;
		s->at_seq = e.seq;
	}
	close(fd);
	return rc;
}

/* Cuts a record that a killed leader has left incomplete; under the lock. */
static void cut(struct shared *s)
{
	int fd = open_file(s->dir, "log", O_RDWR | O_CREAT);
	struct entry e;
	struct stat st;
	off_t at = 0;

	fstat(fd, &st);
	while (pread(fd, &e, sizeof(e), at) == sizeof(e) &&
	       at + (off_t)sizeof(e) + (off_t)e.len <= st.st_size)
		at += (off_t)sizeof(e) + (off_t)e.len;
	if (at < st.st_size && ftruncate(fd, at) < 0)
		abort();
	close(fd);
}

static int shared_replay(void *handle, armada_state_record_fn *on_chunk,
			 armada_state_record_fn *on_record, void *arg, struct armada_error *err)
{
	struct shared *s = handle;

	(void)on_chunk, (void)err;
	return read_log(s, 0, on_record, arg);
}

static bool is_away(struct shared *s)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/away", s->dir);
	return access(path, F_OK) == 0;
}

static int lost(struct shared *s, struct armada_error *err)
{
	s->lease_until = 0;
	s->epoch = 0;
	snprintf(err->text, sizeof(err->text), "another controller has taken the lead");
	return -ESTALE;
}

static int write_records(struct shared *s, const struct armada_state_record *records, size_t count)
{
	int fd = open_file(s->dir, "log", O_WRONLY | O_CREAT | O_APPEND);
	int rc = fd < 0 ? -errno : 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct entry e = {records[i].seq, records[i].len};

		if (write(fd, &e, sizeof(e)) != sizeof(e) ||
		    write(fd, records[i].data, e.len) != (ssize_t)e.len)
			rc = -EIO;
	}
	if (rc == 0 && fdatasync(fd) < 0)
		rc = -errno;
	if (fd >= 0)
		close(fd);
	return rc;
}

static int shared_append(void *handle, const struct armada_state_record *records, size_t count,
			 struct armada_error *err)
{
	struct shared *s = handle;
	struct lead now;
	int fd, rc;

	if (is_away(s)) {
		snprintf(err->text, sizeof(err->text), "copy two is away");
		return -EAGAIN;
	}
	fd = lock(s->dir);
	load(s->dir, "lead", &now, sizeof(now));
	if (!s->epoch || now.epoch != s->epoch)
		rc = lost(s, err);
	else
		rc = write_records(s, records, count);
	close(fd);
	return rc < 0 && rc != -ESTALE ? fail(err, rc, s->dir) : rc;
}

static int shared_snapshot(void *handle, uint64_t seq, const struct armada_state_chunk *chunks,
			   size_t count, struct armada_error *err)
{
	(void)handle, (void)seq, (void)chunks, (void)count, (void)err;
	return 0;
}

/* ---- the lead ---- */

static bool may_lead(struct shared *s, const struct lead *now, int64_t *ret_wait_us)
{
	int64_t left_us;

	if (now->epoch != s->seen_epoch || now->counter != s->seen_counter)
		s->seen_us = now_us();
	s->seen_epoch = now->epoch;
	s->seen_counter = now->counter;
	left_us = s->seen_us + LEASE_US + WAIT_MORE_US - now_us();
	*ret_wait_us = left_us;
	if (now->resigned && (!now->heir[0] || strcmp(now->heir, s->name) == 0))
		return true;
	return !now->epoch || now->epoch == s->epoch || left_us <= 0;
}

static int shared_lead(void *handle, uint64_t least, struct armada_replica_lead *ret_lead,
		       struct armada_error *err)
{
	struct shared *s = handle;
	int64_t begin_us = now_us();
	struct lead now;
	int fd = lock(s->dir), rc;

	load(s->dir, "lead", &now, sizeof(now));
	if (!may_lead(s, &now, &ret_lead->wait_us)) {
		close(fd);
		snprintf(ret_lead->leader, sizeof(ret_lead->leader), "%s", now.name);
		snprintf(err->text, sizeof(err->text), "controller %s leads", now.name);
		return -EBUSY;
	}
	now = (struct lead){.epoch = now.epoch + 1 > least ? now.epoch + 1 : least};
	memcpy(now.name, s->name, sizeof(now.name));
	rc = store(s->dir, "lead", &now, sizeof(now));
	cut(s);
	ret_lead->last_seq = last_seq(s);
	close(fd);
	if (rc < 0)
		return fail(err, rc, s->dir);
	s->epoch = ret_lead->epoch = now.epoch;
	ret_lead->lease_us = LEASE_US;
	s->lease_until = begin_us + LEASE_US;
	return 0;
}

static int shared_follow(void *handle, uint64_t after, int timeout_ms,
			 armada_state_record_fn *on_record, void *arg, uint64_t *ret_seq,
			 uint64_t *ret_acked, struct armada_error *err)
{
	const struct timespec pause = {.tv_nsec = POLL_US * 1000};
	int64_t until_us = now_us() + timeout_ms * INT64_C(1000);
	struct shared *s = handle;
	int rc;

	(void)err;
	for (;;) {
		rc = read_log(s, after, on_record, arg);
		*ret_seq = *ret_acked = s->at_seq > after ? s->at_seq : after;
		if (rc < 0 || *ret_seq > after || now_us() >= until_us)
			return rc;
		if (s->interrupted)
			return -EINTR;
		nanosleep(&pause, NULL);
	}
}

static int change_lead(struct shared *s, bool resign, const char *heir, struct armada_error *err)
{
	struct lead now;
	int fd = lock(s->dir), rc;

	load(s->dir, "lead", &now, sizeof(now));
	if (!s->epoch || now.epoch != s->epoch) {
		close(fd);
		return lost(s, err);
	}
	now.counter++;
	now.resigned = resign;
	snprintf(now.heir, sizeof(now.heir), "%s", heir ? heir : "");
	rc = store(s->dir, "lead", &now, sizeof(now));
	close(fd);
	return rc < 0 ? fail(err, rc, s->dir) : 0;
}

static int shared_renew(void *handle, struct armada_error *err)
{
	struct shared *s = handle;
	int64_t begin_us = now_us();
	int rc;

	if (begin_us >= s->lease_until)
		return lost(s, err);
	rc = change_lead(s, false, NULL, err);
	if (rc == 0)
		s->lease_until = begin_us + LEASE_US;
	return rc;
}

static int64_t shared_lease_until(void *handle)
{
	struct shared *s = handle;

	return s->lease_until;
}

static int shared_resign(void *handle, const char *heir, struct armada_error *err)
{
	struct shared *s = handle;

	s->lease_until = 0;
	return change_lead(s, true, heir, err);
}

/* ---- the controllers ---- */

static void file_of(const char *name, char ret[ARMADA_REPLICA_NAME_MAX + 16])
{
	snprintf(ret, ARMADA_REPLICA_NAME_MAX + 16, "%s.controller", name);
}

/* Another process announces itself under this name: its counter moves. */
static int check_name(struct shared *s, const char *file, struct armada_error *err)
{
	const struct timespec pause = {.tv_nsec = 100000000};
	struct said before, now;

	load(s->dir, file, &before, sizeof(before));
	for (int i = 0; before.boot && i < 15 && !s->interrupted; i++) {
		load(s->dir, file, &now, sizeof(now));
		if (now.counter != before.counter || now.boot != before.boot) {
			snprintf(err->text, sizeof(err->text),
				 "another controller with the name '%s' is running", s->name);
			return -EEXIST;
		}
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int shared_announce(void *handle, const struct armada_replica_controller *self,
			   struct armada_error *err)
{
	char file[ARMADA_REPLICA_NAME_MAX + 16], facts[ARMADA_REPLICA_NAME_MAX + 32];
	struct shared *s = handle;
	struct said said = {.self = *self, .counter = s->said + 1, .boot = s->process};
	int fd, rc = 0;

	snprintf(s->name, sizeof(s->name), "%s", self->name);
	file_of(s->name, file);
	snprintf(facts, sizeof(facts), "%s.facts", s->name);
	if (!s->said)
		rc = check_name(s, file, err);
	if (rc < 0)
		return rc;
	fd = lock(s->dir);
	said.self.data = NULL;
	rc = store(s->dir, file, &said, sizeof(said));
	if (rc == 0 && !s->said)
		rc = store(s->dir, facts, self->data, self->len);
	close(fd);
	s->said++;
	return rc < 0 ? fail(err, rc, s->dir) : 0;
}

/* How long ago the counter of a controller moved; -1: it has not while this process looked. */
static int64_t age_of(struct shared *s, const struct said *said)
{
	for (size_t i = 0; i < SEEN; i++) {
		if (s->seen[i].name[0] && strcmp(s->seen[i].name, said->self.name) != 0)
			continue;
		if (!s->seen[i].name[0]) {
			memcpy(s->seen[i].name, said->self.name, sizeof(s->seen[i].name));
			s->seen[i].counter = said->counter;
		} else if (s->seen[i].counter != said->counter) {
			s->seen[i].counter = said->counter;
			s->seen[i].moved_us = now_us();
		}
		return s->seen[i].moved_us ? now_us() - s->seen[i].moved_us : -1;
	}
	return -1;
}

/* Controllers of tests are called armctld1, armctld2 ... */
static int shared_controllers(void *handle, armada_replica_controller_fn *on_controller, void *arg,
			      struct armada_error *err)
{
	static char data[ARMADA_REPLICA_DATA_MAX];
	char file[ARMADA_REPLICA_NAME_MAX + 16], name[32];
	struct shared *s = handle;
	struct said said;
	int rc = 0, fd;

	(void)err;
	for (int i = 1; rc == 0 && i < 10; i++) {
		snprintf(name, sizeof(name), "armctld%d", i);
		file_of(name, file);
		load(s->dir, file, &said, sizeof(said));
		if (!said.boot)
			continue;
		snprintf(file, sizeof(file), "%s.facts", name);
		fd = open_file(s->dir, file, O_RDONLY);
		said.self.data = data;
		if (fd < 0 || read(fd, data, said.self.len) != (ssize_t)said.self.len)
			said.self.len = 0;
		if (fd >= 0)
			close(fd);
		said.self.age_us = age_of(s, &said);
		rc = on_controller(arg, &said.self);
	}
	return rc;
}

static int shared_copies(void *handle, struct armada_replica_copies *ret, struct armada_error *err)
{
	struct shared *s = handle;

	(void)err;
	memset(ret, 0, sizeof(*ret));
	ret->count = 2;
	snprintf(ret->copies[0].name, sizeof(ret->copies[0].name), "one");
	snprintf(ret->copies[1].name, sizeof(ret->copies[1].name), "two");
	ret->copies[0].state = ret->copies[1].state = ARMADA_REPLICA_IN_SYNC;
	ret->copies[0].member = ret->copies[1].member = ret->copies[0].primary = true;
	if (is_away(s))
		ret->copies[1].state = ARMADA_REPLICA_AWAY;
	return 0;
}

static int shared_set_copies(void *handle, const char *const *names, size_t count,
			     const char *const *out, size_t out_count, struct armada_error *err)
{
	(void)handle, (void)names, (void)count, (void)out, (void)out_count;
	return fail(err, -EINVAL, "the copies are always the same");
}

static void shared_interrupt(void *handle, bool on)
{
	struct shared *s = handle;

	s->interrupted = on;
}

static const struct armada_replica_ops replica = {
	.size = sizeof(replica),
	.lead = shared_lead,
	.follow = shared_follow,
	.renew = shared_renew,
	.lease_until = shared_lease_until,
	.resign = shared_resign,
	.announce = shared_announce,
	.controllers = shared_controllers,
	.copies = shared_copies,
	.set_copies = shared_set_copies,
	.interrupt = shared_interrupt,
};

/* ---- operations of the history ---- */

#define H(op, handle, ...)                                                                         \
	((struct shared *)(handle))                                                                \
		->history->op(((struct shared *)(handle))->history_handle, __VA_ARGS__)

static int put(void *h, uint64_t seq, const struct armada_history_row *rows, size_t n,
	       const struct armada_history_job *jobs, size_t m, struct armada_error *err)
{
	struct shared *s = h;
	int rc = H(history_put, h, 0, rows, n, jobs, m, err);

	/* the log of state/sqlite is empty, and so is its own mark */
	return rc < 0 ? rc : store(s->own_dir, "history.mark", &seq, sizeof(seq));
}

static int find(void *h, const struct armada_history_filter *f, armada_state_row_fn *fn, void *arg,
		struct armada_error *err)
{
	return H(history_find, h, f, fn, arg, err);
}

static int job(void *h, uint64_t id, void **d, size_t *dl, void **s, size_t *sl, void **e,
	       size_t *el, struct armada_error *err)
{
	return H(history_job, h, id, d, dl, s, sl, e, el, err);
}

static int space(void *h, struct armada_state_space *s, struct armada_error *err)
{
	return H(space, h, s, err);
}

static int attempts_put(void *h, const struct armada_history_row *rows, size_t n,
			struct armada_error *err)
{
	return H(attempts_put, h, rows, n, err);
}

static int attempts_find(void *h, const struct armada_history_filter *f, armada_state_row_fn *fn,
			 void *arg, struct armada_error *err)
{
	return H(attempts_find, h, f, fn, arg, err);
}

static int events_put(void *h, const struct armada_history_event *e, size_t n,
		      struct armada_error *err)
{
	return H(events_put, h, e, n, err);
}

static int events_find(void *h, const char *queue, const char *set, uint64_t from, uint32_t limit,
		       armada_state_event_fn *fn, void *arg, uint64_t *first, uint64_t *last,
		       struct armada_error *err)
{
	return H(events_find, h, queue, set, from, limit, fn, arg, first, last, err);
}

static const struct armada_state_ops ops = {
	.init = shared_init,
	.open = shared_open,
	.close = shared_close,
	.replay = shared_replay,
	.append = shared_append,
	.snapshot = shared_snapshot,
	.history_put = put,
	.history_find = find,
	.history_job = job,
	.space = space,
	.attempts_put = attempts_put,
	.attempts_find = attempts_find,
	.events_put = events_put,
	.events_find = events_find,
	.replica = &replica,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_STATE, "shared", "state in a directory that several controllers share",
	      options, ops);
