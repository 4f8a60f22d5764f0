/*
 * A temporary directory with a spool, bodies of tasks that run a command, and the probe: this
 * program, started by a task, which writes its uid, groups, capabilities, limits and environment
 * to a file.
 */
#include "box.h"

#include "tap/tap.h"
#include "util/mem.h"
#include "util/rlimits.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NOBODY = 65534, WORDS_MAX = 16, WAIT_US = 10000000 };

const struct armada_option_value box_contain_values[] = {{.i = 0}};

int64_t box_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void copy_self(const char *to)
{
	CLEANUP_CLOSE int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	CLEANUP_CLOSE int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	char bytes[65536];
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(fd, bytes, (size_t)n) != n)
			bail("cannot copy the test program");
	fchmod(fd, 0755);
}

void box_open(struct box *b)
{
	const char *tmp = getenv("TMPDIR");
	char path[300];
	struct err err;

	memset(b, 0, sizeof(*b));
	snprintf(b->dir, sizeof(b->dir), "%s/armada-box.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(b->dir))
		bail("cannot make %s", b->dir);
	chmod(b->dir, 0755);
	b->uid = geteuid() == 0 ? NOBODY : geteuid();
	b->gid = geteuid() == 0 ? NOBODY : getegid();
	snprintf(b->out, sizeof(b->out), "%s/out", b->dir);
	mkdir(b->out, 0755);
	if (chown(b->out, b->uid, b->gid) < 0)
		bail("cannot give %s away", b->out);
	snprintf(b->probe, sizeof(b->probe), "%s/probe", b->dir);
	copy_self(b->probe);
	snprintf(path, sizeof(path), "%s/spool", b->dir);
	if (spool_open(&b->spool, path, &err) < 0)
		bail("%s", err.text);
	b->arena = arena_new(0);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

void box_close(struct box *b)
{
	spool_close(&b->spool);
	nftw(b->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	arena_free(b->arena);
}

const struct armada_contain_ops *box_contain(void)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	const struct armada_plugin *p;
	char path[4096];
	void *dl;

	snprintf(path, sizeof(path), "%s/plugins/contain/contain_rlimit.so", build ? build : ".");
	dl = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	p = dl ? dlsym(dl, ARMADA_PLUGIN_SYMBOL) : NULL;
	if (!p)
		bail("cannot load %s: %s", path, dlerror());
	return p->ops;
}

Armada__TaskBody *box_body(struct box *b, uint64_t job, ...)
{
	Armada__TaskBody *body = arena_alloc(b->arena, sizeof(*body));
	char **words = arena_zalloc(b->arena, WORDS_MAX, sizeof(*words));
	va_list ap;

	armada__task_body__init(body);
	body->key = arena_alloc(b->arena, sizeof(*body->key));
	armada__task_key__init(body->key);
	body->key->job = job;
	body->key->attempt = 1;
	body->argv = words;
	va_start(ap, job);
	while ((words[body->n_argv] = arena_strdup(b->arena, va_arg(ap, char *))))
		body->n_argv++;
	va_end(ap);
	body->job_name = arena_strdup(b->arena, "box");
	body->user = arena_strdup(b->arena, geteuid() == 0 ? "nobody" : "box");
	body->uid = b->uid;
	body->gid = b->gid;
	body->gids = arena_memdup(b->arena, &b->gid, sizeof(b->gid));
	body->n_gids = 1;
	body->chdir = b->out;
	body->output = arena_printf(b->arena, "%s/%llu.out", b->out, (unsigned long long)job);
	body->umask = 022;
	body->grace_ms = 10000;
	return body;
}

struct task_key box_key(const Armada__TaskBody *body)
{
	struct task_key key;

	memset(&key, 0, sizeof(key));
	key.job = body->key->job;
	key.element = body->key->element;
	key.rank = body->key->rank;
	key.attempt = body->key->attempt;
	return key;
}

struct buf box_pack(const Armada__TaskBody *body)
{
	struct buf out = {0};

	msg_pack(body, &out);
	return out;
}

const char *box_read(struct box *b, const char *path)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = arena_zalloc(b->arena, 1, 65536);
	ssize_t n = fd < 0 ? 0 : read(fd, text, 65535);

	return n >= 0 ? text : "";
}

bool box_wait_file(const char *path)
{
	int64_t until_us = box_now_us() + WAIT_US;
	struct stat st;

	while (box_now_us() < until_us) {
		if (stat(path, &st) == 0 && st.st_size > 0)
			return true;
		poll(NULL, 0, 2);
	}
	return false;
}

static void tell_files(FILE *f)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *de;

	fprintf(f, "fds");
	while ((de = readdir(dir)))
		if (de->d_name[0] != '.' && atoi(de->d_name) != dirfd(dir) &&
		    atoi(de->d_name) != fileno(f))
			fprintf(f, " %s", de->d_name);
	fprintf(f, "\n");
	closedir(dir);
}

static void tell_identity(FILE *f)
{
	gid_t gids[64];
	uid_t u[3];
	gid_t g[3];
	int n = getgroups(64, gids);

	getresuid(&u[0], &u[1], &u[2]);
	getresgid(&g[0], &g[1], &g[2]);
	fprintf(f, "uid %u %u %u\ngid %u %u %u\ngroups", u[0], u[1], u[2], g[0], g[1], g[2]);
	for (int i = 0; i < n; i++)
		fprintf(f, " %u", gids[i]);
	fprintf(f, "\n");
}

/* Capabilities, blocked and ignored signals, and other properties of the process in the kernel. */
static void tell_rest(FILE *f)
{
	static const char *const keys[] = {"Cap", "Sig", "Seccomp:", "TracerPid:"};
	FILE *status = fopen("/proc/self/status", "re");
	struct rlimit limit;
	char line[256];

	while (status && fgets(line, sizeof(line), status))
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			if (strncmp(line, keys[i], strlen(keys[i])) == 0)
				fputs(line, f);
	fclose(status);
	for (int i = 0; i < RLIMIT_NAMES; i++) {
		getrlimit((__rlimit_resource_t)rlimit_names[i].resource, &limit);
		fprintf(f, "limit %s %lld\n", rlimit_names[i].name, (long long)limit.rlim_cur);
	}
	fprintf(f, "nice %d\n", getpriority(PRIO_PROCESS, 0));
}

void box_be_probe(int argc, char **argv)
{
	char cwd[4096];
	mode_t mask;
	FILE *f;

	if (argc < 3 || strcmp(argv[1], "probe") != 0)
		return;
	mask = umask(0);
	umask(mask);
	f = fopen(argv[2], "w");
	if (!f)
		exit(9);
	tell_files(f);
	tell_identity(f);
	tell_rest(f);
	fprintf(f, "umask %03o\n", mask);
	fprintf(f, "nnp %d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	fprintf(f, "session %d\n", getsid(0) == getpid());
	fprintf(f, "cwd %s\n", getcwd(cwd, sizeof(cwd)));
	for (char **e = environ; *e; e++)
		fprintf(f, "env %s\n", *e);
	fclose(f);
	exit(0);
}
