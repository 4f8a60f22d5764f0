/*
 * Loads the plugin state/sqlite, makes temporary directories for states, writes records and
 * snapshots with known contents, and checks a replay. The directories are in memory where
 * possible, because the tests open thousands of states.
 */
#include "unit/state/harness.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRS_MAX    64
#define OPTIONS_MAX 20
#define BATCH_MAX   4096

const struct armada_state_ops *ops;
struct armada_error err;

static struct armada_option_value values[OPTIONS_MAX];
static char root[PATH_MAX / 2], dirs[DIRS_MAX][PATH_MAX / 2 + 16], logged[8192];
static int dir_count;

static void log_line(int level, const char *text)
{
	size_t len = strlen(logged);

	(void)level;
	snprintf(logged + len, sizeof(logged) - len, "%s\n", text);
}

static const struct armada_host host = {.abi = ARMADA_PLUGIN_ABI, .log = log_line};

void harness_load(void)
{
	harness_load_plugin("sqlite");
}

void harness_load_plugin(const char *name)
{
	const struct armada_plugin *plugin;
	const char *build = getenv("ARMADA_BUILDDIR");
	char path[PATH_MAX];
	void *dl;

	snprintf(path, sizeof(path), "%s/plugins/state/state_%s.so", build ? build : ".", name);
	dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	plugin = dl ? dlsym(dl, ARMADA_PLUGIN_SYMBOL) : NULL;
	if (!plugin)
		bail("%s", dlerror());
	ops = plugin->ops;
	if (plugin->option_count > OPTIONS_MAX)
		bail("more options than this test knows");
	memset(values, 0, sizeof(values));
	values[0].i = 200000;                        /* busy_timeout: 0.2 s */
	values[1].i = 64 << 10;                      /* wal_limit: the smallest */
	values[2].i = INT64_C(90) * 86400 * 1000000; /* shares_kept */
	if (root[0])
		return; /* another plugin was loaded before */
	/* Thousands of opens: use a file system in memory where there is one. */
	snprintf(root, sizeof(root), "%s/armada-state-XXXXXX",
		 getenv("TMPDIR")           ? getenv("TMPDIR")
		 : access("/dev/shm", W_OK) ? "/tmp"
					    : "/dev/shm");
	if (!mkdtemp(root))
		bail("%s: %s", root, strerror(errno));
}

void harness_option(size_t index, int64_t value)
{
	values[index].i = value;
}

void harness_option_text(size_t index, const char *value)
{
	values[index].s = value;
}

const struct armada_option_value *harness_values(void)
{
	return values;
}

void harness_option_list(size_t index, const char *const *list, size_t count)
{
	values[index].list = list;
	values[index].count = count;
}

const char *harness_logged(void)
{
	return logged;
}

const char *harness_dir(void)
{
	if (dir_count == DIRS_MAX)
		bail("too many directories");
	snprintf(dirs[dir_count], sizeof(dirs[0]), "%s/%d", root, dir_count);
	return dirs[dir_count++];
}

const char *harness_path(const char *dir, const char *name)
{
	static char paths[4][PATH_MAX];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", dir, name);
	return path;
}

static void each_file(const char *path, void (*fn)(const char *path, const char *name, void *arg),
		      void *arg)
{
	DIR *d = opendir(path);

	for (struct dirent *e; d && (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			fn(path, e->d_name, arg);
	if (d)
		closedir(d);
}

static void remove_one(const char *path, const char *name, void *arg)
{
	char full[PATH_MAX];

	(void)arg;
	snprintf(full, sizeof(full), "%s/%s", path, name);
	unlink(full);
}

int harness_done(void)
{
	for (int i = 0; i < dir_count; i++) {
		chmod(dirs[i], 0700);
		each_file(dirs[i], remove_one, NULL);
		rmdir(dirs[i]);
	}
	rmdir(root);
	return done();
}

size_t record_text(uint64_t seq, char text[RECORD_MAX])
{
	size_t len = seq * 7919 % RECORD_MAX;
	uint64_t x = seq * UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = 0; i < len; i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		text[i] = (char)(x >> 56);
	}
	return len;
}

int state_init(const char *dir)
{
	uint8_t id[16] = "test cluster 01";

	return ops->init(dir, id, values, &err);
}

int state_open(const char *dir, void **ret_handle, struct armada_state_info *ret_info)
{
	struct armada_state_info info;
	int rc;

	logged[0] = '\0';
	rc = ops->open(ret_handle, dir, values, &host, &info, &err);

	if (!rc && ret_info)
		*ret_info = info;
	return rc;
}

int state_append(void *handle, uint64_t first, uint64_t last)
{
	static struct armada_state_record records[BATCH_MAX];
	static char texts[BATCH_MAX][RECORD_MAX];
	size_t n = 0;

	for (uint64_t seq = first; seq <= last && n < BATCH_MAX; seq++, n++)
		records[n] =
			(struct armada_state_record){seq, texts[n], record_text(seq, texts[n])};
	return ops->append(handle, records, n, &err);
}

int state_append_by(void *handle, uint64_t first, uint64_t last, uint64_t n)
{
	for (; first <= last; first += n) {
		int rc = state_append(handle, first, first + n - 1 < last ? first + n - 1 : last);

		if (rc)
			return rc;
	}
	return 0;
}

/* Chunk i of the snapshot at seq, of up to a few pages. */
static size_t chunk_text(uint64_t seq, uint64_t i, char text[RECORD_MAX * 16])
{
	size_t len = 0;

	for (uint64_t part = 0; part < 16; part++)
		len += record_text(seq * 1000003 + i * 17 + part, text + len);
	return len;
}

int state_snapshot_at(void *handle, uint64_t seq, size_t count)
{
	struct armada_state_chunk *chunks = calloc(count + 1, sizeof(*chunks));
	int rc;

	for (size_t i = 0; i < count; i++) {
		char *text = malloc(RECORD_MAX * 16);

		chunks[i] = (struct armada_state_chunk){text, chunk_text(seq, i, text)};
	}
	rc = ops->snapshot(handle, seq, chunks, count, &err);
	for (size_t i = 0; i < count; i++)
		free((void *)chunks[i].data);
	free(chunks);
	return rc;
}

static int see_chunk(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct replayed *seen = arg;
	char text[RECORD_MAX * 16];

	if (chunk_text(seq, seen->chunks, text) != len || memcmp(text, data, len) != 0 ||
	    seen->first)
		seen->wrong++;
	seen->snapshot_seq = seq;
	seen->chunks++;
	return 0;
}

static int see_record(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct replayed *seen = arg;
	char text[RECORD_MAX];

	if (record_text(seq, text) != len || memcmp(text, data, len) != 0)
		seen->wrong++;
	if (seq != (seen->first ? seen->last : seen->snapshot_seq) + 1)
		seen->wrong++;
	if (!seen->first)
		seen->first = seq;
	seen->last = seq;
	return 0;
}

int state_replay(void *handle, struct replayed *ret_seen)
{
	struct replayed seen = {0};
	int rc = ops->replay(handle, see_chunk, see_record, &seen, &err);

	*ret_seen = seen;
	return rc;
}

void *read_file(const char *path, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *data;

	*ret_len = 0;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st))
		bail("%s: %s", path, strerror(errno));
	data = malloc((size_t)st.st_size + 1);
	if (!data || read(fd, data, (size_t)st.st_size) != st.st_size)
		bail("%s: cannot be read", path);
	close(fd);
	*ret_len = (size_t)st.st_size;
	return data;
}

void write_file(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		bail("%s: cannot be written", path);
	close(fd);
}

static void copy_one(const char *path, const char *name, void *arg)
{
	char from[PATH_MAX], to[PATH_MAX];
	size_t len;
	void *data;

	snprintf(from, sizeof(from), "%s/%s", path, name);
	snprintf(to, sizeof(to), "%s/%s", (const char *)arg, name);
	data = read_file(from, &len);
	write_file(to, data, len);
	free(data);
}

/* Copies the directory; other files in `to` are removed. */
void copy_dir(const char *from, const char *to)
{
	if (mkdir(to, 0700) && errno != EEXIST)
		bail("%s: %s", to, strerror(errno));
	each_file(to, remove_one, NULL);
	each_file(from, copy_one, (void *)to);
}
