/*
 * armctld --migrate FROM TO. Input: the state of plugin FROM, whose controllers are stopped. Output: the same
 * state for plugin TO.
 *
 * One of the two plugins is that of armada.conf, with its options; the other one has its defaults. The
 * snapshot and the records after it are copied to a work directory (state_dir/migrate) and to what TO keeps
 * elsewhere, are read back and compared by number and hash. Only then the files of the log in state_dir are
 * exchanged. The history stays where it is: both plugins keep it in history.db. A failure before the
 * exchange leaves the old state as it was.
 */
#include "armctld/migrate.h"

#include "armctld/plugins.h"
#include "armctld/policy.h"
#include "armctld/setup.h"
#include "conf/conf.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/visible.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HASH = 16, BATCH = 100, BATCH_BYTES = 4 << 20, PATIENCE_S = 60, PAUSE_MS = 100 };

struct side {
	const struct plugin *plugin;
	const struct armada_state_ops *ops;
	char *dir;
	void *handle;
	struct armada_state_info info;
};

struct hash {
	uint8_t bytes[HASH];
};

struct migration {
	struct conf *conf;
	struct policy *policy;
	struct plugins plugins;
	struct plugin other;
	bool other_loaded;
	struct side from, to;
	struct arena *chunk_arena, *batch_arena;
	struct armada_state_chunk *chunks;
	size_t chunk_count, chunk_cap;
	struct armada_state_record batch[BATCH];
	size_t batch_count, batch_bytes;
	uint64_t snapshot_seq, first_seq, last_seq;
	struct hash *hashes; /* of all chunks, then of all records */
	size_t hash_count, hash_cap, compared;
	struct err err;
};

static int failed(struct migration *m, int rc, const char *doing, const struct armada_error *why)
{
	return m->err.text[0] ? rc : err_set(&m->err, rc, "%s: %s", doing, why->text);
}

static struct hash hash_of(uint64_t seq, const void *data, size_t len)
{
	crypto_generichash_state st;
	struct hash h;

	crypto_generichash_init(&st, NULL, 0, HASH);
	crypto_generichash_update(&st, (const uint8_t *)&seq, sizeof(seq));
	crypto_generichash_update(&st, data, len);
	crypto_generichash_final(&st, h.bytes, HASH);
	return h;
}

static void keep_hash(struct migration *m, uint64_t seq, const void *data, size_t len)
{
	GROW(m->hashes, m->hash_cap, m->hash_count + 1);
	m->hashes[m->hash_count++] = hash_of(seq, data, len);
}

/* A store that is shared: nobody else may lead. Waits for the end of a lease. */
static int take_lead(struct migration *m, struct side *s)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000};
	int64_t until_us = clock_us(CLOCK_BOOTTIME) + PATIENCE_S * INT64_C(1000000), busy_us = 0;
	struct armada_replica_lead lead = {0};
	struct armada_error why = {""};
	int rc;

	if (!s->ops->replica)
		return 0;
	do {
		rc = s->ops->replica->lead(s->handle, 1, &lead, &why);
		if (rc == -EBUSY && !busy_us)
			busy_us = clock_us(CLOCK_BOOTTIME) + lead.wait_us + lead.wait_us / 2 +
				  INT64_C(1000000);
		if (rc != -EBUSY && rc != -EAGAIN)
			break;
		nanosleep(&pause, NULL);
	} while (clock_us(CLOCK_BOOTTIME) < (busy_us ? busy_us : until_us));
	return rc < 0 ? failed(m, rc, s->plugin->desc->name, &why) : 0;
}

static int open_side(struct migration *m, struct side *s)
{
	struct armada_error why = {""};
	int rc = s->ops->open(&s->handle, s->dir, s->plugin->values, &plugin_host, &s->info, &why);

	if (rc < 0) {
		s->handle = NULL;
		return failed(m, rc, s->plugin->desc->name, &why);
	}
	return take_lead(m, s);
}

static void close_side(struct side *s)
{
	struct armada_error why;

	if (!s->handle)
		return;
	if (s->ops->replica && s->ops->replica->lease_until(s->handle))
		s->ops->replica->resign(s->handle, NULL, &why);
	s->ops->close(s->handle);
	s->handle = NULL;
}

static int write_batch(struct migration *m)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000};
	int64_t until_us = clock_us(CLOCK_BOOTTIME) + PATIENCE_S * INT64_C(1000000);
	struct armada_error why = {""};
	int rc;

	while ((rc = m->to.ops->append(m->to.handle, m->batch, m->batch_count, &why)) == -EAGAIN &&
	       clock_us(CLOCK_BOOTTIME) < until_us)
		nanosleep(&pause, NULL);
	m->batch_count = m->batch_bytes = 0;
	arena_clear(m->batch_arena);
	return rc < 0 ? failed(m, rc, m->to.plugin->desc->name, &why) : 0;
}

/* The new log, with the snapshot if there is one. */
static int make_target(struct migration *m)
{
	struct side *to = &m->to;
	struct armada_error why = {""};
	char suffix[64];
	int rc = to->ops->init(to->dir, m->from.info.cluster_id, to->plugin->values, &why);

	if (rc == 0 && m->snapshot_seq)
		rc = to->ops->replace_log(to->dir, to->plugin->values, m->from.info.cluster_id,
					  m->snapshot_seq, m->chunks, m->chunk_count, suffix, &why);
	return rc < 0 ? failed(m, rc, to->plugin->desc->name, &why) : open_side(m, to);
}

static int on_chunk(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct migration *m = arg;

	keep_hash(m, seq, data, len);
	m->snapshot_seq = seq;
	GROW(m->chunks, m->chunk_cap, m->chunk_count + 1);
	m->chunks[m->chunk_count++] = (struct armada_state_chunk){
		.data = arena_memdup(m->chunk_arena, data, len), .len = len};
	return 0;
}

static int on_record(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct migration *m = arg;
	int rc = m->to.handle ? 0 : make_target(m);

	if (rc < 0)
		return rc;
	keep_hash(m, seq, data, len);
	m->first_seq = m->first_seq ? m->first_seq : seq;
	m->last_seq = seq;
	m->batch[m->batch_count++] = (struct armada_state_record){
		.seq = seq, .data = arena_memdup(m->batch_arena, data, len), .len = len};
	m->batch_bytes += len;
	return m->batch_count == BATCH || m->batch_bytes >= BATCH_BYTES ? write_batch(m) : 0;
}

static int copy(struct migration *m)
{
	struct armada_error why = {""};
	int rc = m->from.ops->replay(m->from.handle, on_chunk, on_record, m, &why);

	if (rc < 0)
		return failed(m, rc, m->from.plugin->desc->name, &why);
	if (!m->to.handle)
		rc = make_target(m);
	return rc == 0 && m->batch_count ? write_batch(m) : rc;
}

static int compare(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct migration *m = arg;
	const struct hash h = hash_of(seq, data, len);

	if (m->compared < m->hash_count &&
	    memcmp(m->hashes[m->compared++].bytes, h.bytes, HASH) == 0)
		return 0;
	return err_set(&m->err, -EIO, "what was read back at record %" PRIu64 " differs", seq);
}

static int verify(struct migration *m)
{
	struct armada_error why = {""};
	int rc;

	close_side(&m->to);
	rc = open_side(m, &m->to);
	if (rc == 0)
		rc = m->to.ops->replay(m->to.handle, compare, compare, m, &why);
	if (rc < 0)
		return failed(m, rc, m->to.plugin->desc->name, &why);
	if (m->compared != m->hash_count)
		return err_set(&m->err, -EIO, "of %zu chunks and records, %zu were read back",
			       m->hash_count, m->compared);
	return 0;
}

/* The files of a log; the history is not one of them. log.db is last, because it makes a state. */
static const char *const files[] = {"log.mark", "log.db-wal", "log.db"};

static int exchange(struct migration *m, const char *suffix)
{
	for (size_t i = ARRAY_SIZE(files); i-- > 0;) {
		CLEANUP_FREE char *name = xasprintf("%s/%s", m->from.dir, files[i]);
		CLEANUP_FREE char *kept = xasprintf("%s%s", name, suffix);

		if (rename(name, kept) && errno != ENOENT)
			return err_sys(&m->err, -errno, "%s: cannot be renamed", name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		CLEANUP_FREE char *name = xasprintf("%s/%s", m->to.dir, files[i]);
		CLEANUP_FREE char *target = xasprintf("%s/%s", m->from.dir, files[i]);

		if (rename(name, target) && errno != ENOENT)
			return err_sys(&m->err, -errno, "%s: cannot be renamed", name);
	}
	return 0;
}

static void remove_work(const struct migration *m)
{
	DIR *d = m->to.dir ? opendir(m->to.dir) : NULL;

	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	if (m->to.dir)
		rmdir(m->to.dir);
}

static int sync_dir(struct migration *m)
{
	int fd = open(m->from.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 || fsync(fd) ? err_sys(&m->err, -errno, "%s", m->from.dir) : 0;

	if (fd >= 0)
		close(fd);
	return rc;
}

static int load(struct migration *m, const char *conf_file, const char *self, const char *from,
		const char *to)
{
	char host[256] = "localhost";
	const struct plugin *chosen = &m->plugins.kinds[ARMADA_PLUGIN_STATE];
	const char *name;
	int rc = sodium_init() < 0 ? err_set(&m->err, -ENOSYS, "libsodium cannot be used here")
				   : conf_load(&m->conf, conf_file, &m->err);

	gethostname(host, sizeof(host) - 1);
	if (rc == 0)
		rc = setup_take_name(m->conf, self, host, &m->err);
	if (rc == 0)
		rc = policy_new(&m->policy, m->conf, &m->err);
	if (rc == 0)
		rc = setup_check_user(m->conf, m->policy, &m->err);
	if (rc == 0)
		rc = plugins_load(&m->plugins, m->conf, &m->err);
	if (rc < 0)
		return rc;
	name = m->conf->plugins[ARMADA_PLUGIN_STATE].name;
	if (strcmp(from, to) == 0 || (strcmp(name, from) != 0 && strcmp(name, to) != 0))
		return err_set(&m->err, -EINVAL,
			       "%s: plugins: state is '%s': --migrate FROM TO takes two different "
			       "plugins, one of them this one with its options",
			       m->conf->file, name);
	rc = plugin_load(&m->other, m->conf->plugin_dir, ARMADA_PLUGIN_STATE,
			 strcmp(name, from) == 0 ? to : from, &m->err);
	if (rc < 0)
		return rc;
	m->other_loaded = true;
	m->from.plugin = strcmp(name, from) == 0 ? chosen : &m->other;
	m->to.plugin = strcmp(name, from) == 0 ? &m->other : chosen;
	m->from.ops = m->from.plugin->ops;
	m->to.ops = m->to.plugin->ops;
	if (!m->to.ops->replace_log)
		return err_set(&m->err, -ENOTSUP, "the state plugin '%s' cannot take a log over",
			       to);
	return 0;
}

static int begin(struct migration *m)
{
	int rc;

	m->from.dir = xasprintf("%s", m->conf->state_dir);
	rc = open_side(m, &m->from);
	if (rc < 0)
		return rc;
	m->to.dir = xasprintf("%s/migrate", m->conf->state_dir);
	if (mkdir(m->to.dir, 0700) == 0)
		return 0;
	rc = err_sys(&m->err, -errno, "%s: cannot be made (is it left from an earlier migration?)",
		     m->to.dir);
	free(m->to.dir); /* it is not ours */
	m->to.dir = NULL;
	return rc;
}

static int migrate(struct migration *m, const char *from, const char *to)
{
	char suffix[64], stamp[32];
	time_t now = time(NULL);
	struct tm tm;
	int rc = begin(m);

	m->chunk_arena = arena_new(0);
	m->batch_arena = arena_new(0);
	if (rc == 0)
		rc = copy(m);
	if (rc == 0)
		rc = verify(m);
	close_side(&m->to);
	close_side(&m->from);
	if (rc == 0) {
		localtime_r(&now, &tm);
		strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%S", &tm);
		snprintf(suffix, sizeof(suffix), ".%.20s-%s", from, stamp);
		rc = exchange(m, suffix);
	}
	remove_work(m);
	if (rc == 0)
		rc = sync_dir(m);
	if (rc < 0)
		return rc;
	printf("moved the state from %s to %s: a snapshot of %zu chunks at record %" PRIu64
	       " and %zu records after it, each of which was read back and compared\n"
	       "history.db is as it was; files of the old log that were in %s have names that end with "
	       "%s\n",
	       from, to, m->chunk_count, m->snapshot_seq, m->hash_count - m->chunk_count,
	       m->from.dir, suffix);
	if (strcmp(m->conf->plugins[ARMADA_PLUGIN_STATE].name, to) != 0)
		printf("now set plugins: state to '%s' in %s, then start armctld\n", to,
		       m->conf->file);
	return 0;
}

static void release(struct migration *m)
{
	free(m->from.dir);
	free(m->to.dir);
	free(m->chunks);
	free(m->hashes);
	arena_free(m->chunk_arena);
	arena_free(m->batch_arena);
	if (m->other_loaded)
		plugin_free(&m->other);
	policy_free(m->policy);
	if (m->conf)
		conf_free(m->conf);
	plugins_done(&m->plugins);
}

int migrate_state(const char *conf_file, const char *name, const char *from, const char *to)
{
	struct migration m = {0};
	int rc;

	log_open("armctld", STDERR_FILENO, LOG_WARN);
	rc = load(&m, conf_file, name, from, to);
	if (rc == 0)
		rc = migrate(&m, from, to);
	if (rc < 0)
		visible_complain("armctld", m.err.text);
	release(&m);
	return rc < 0;
}
