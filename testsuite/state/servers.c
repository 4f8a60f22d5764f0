#include "state/servers.h"
#include "tap/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <hiredis.h>
#include <limits.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 20000, STEP_MS = 10 };

static char root[80], names[2 * SERVERS][32], dirs[2 * SERVERS][100];
static const char *name_list[2 * SERVERS];
static int ports[2 * SERVERS];
static pid_t pids[2 * SERVERS];
const char *const *const server_names = name_list;
const char *const *const sentinel_names = name_list + SERVERS;

static void step(void)
{
	const struct timespec ts = {.tv_nsec = STEP_MS * 1000000};

	nanosleep(&ts, NULL);
}

bool servers_exist(void)
{
	return access("/usr/bin/redis-server", X_OK) == 0;
}

/*
 * The kernel chooses; the port stays free until the server takes it, unless something else on this machine
 * does.
 */
static int free_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, len) ||
	    getsockname(fd, (struct sockaddr *)&a, &len))
		bail("no free port: %s", strerror(errno));
	close(fd);
	return ntohs(a.sin_port);
}

static void name_server(int i)
{
	ports[i] = free_port();
	snprintf(names[i], sizeof(names[i]), "127.0.0.1:%d", ports[i]);
	name_list[i] = names[i];
	snprintf(dirs[i], sizeof(dirs[i]), "%s/%d", root, i);
	if (mkdir(dirs[i], 0700) && errno != EEXIST)
		bail("%s: %s", dirs[i], strerror(errno));
}

const char *server_dir(int i)
{
	return dirs[i];
}

static void spawn(int i, const char *config, const char *mode)
{
	pids[i] = fork();
	if (pids[i] < 0)
		bail("fork: %s", strerror(errno));
	if (pids[i])
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd = 3; fd < 256; fd++)
		close(fd);
	if (chdir(dirs[i]) || !freopen("log", "a", stdout) || dup2(1, 2) < 0)
		_exit(126);
	execl("/usr/bin/redis-server", "redis-server", config, mode, (char *)NULL);
	_exit(127);
}

static redisContext *dial(int i)
{
	struct timeval tv = {.tv_sec = 2};
	redisContext *c = redisConnectWithTimeout("127.0.0.1", ports[i], tv);

	if (c && !c->err) {
		redisSetTimeout(c, tv);
		return c;
	}
	if (c)
		redisFree(c);
	return NULL;
}

const char *server_ask(int i, const char *fmt, ...)
{
	static char texts[4][16384];
	static int next;
	char *text = texts[next++ % 4];
	redisContext *c = dial(i);
	redisReply *r = NULL;
	va_list ap;

	text[0] = '\0';
	if (!c)
		return text;
	va_start(ap, fmt);
	r = redisvCommand(c, fmt, ap);
	va_end(ap);
	if (r && r->str)
		snprintf(text, sizeof(texts[0]), "%s", r->str);
	else if (r && r->type == REDIS_REPLY_INTEGER)
		snprintf(text, sizeof(texts[0]), "%lld", r->integer);
	else if (r && r->elements && r->element[0]->str)
		snprintf(text, sizeof(texts[0]), "%s", r->element[0]->str);
	if (r)
		freeReplyObject(r);
	redisFree(c);
	return text;
}

static void write_config(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0 || fclose(f))
		bail("%s: %s", path, strerror(errno));
}

void server_start(int i, const char *extra)
{
	char path[160], text[2048];

	snprintf(path, sizeof(path), "%s/redis.conf", dirs[i]);
	/* a sentinel has written into it who is the primary */
	if (access(path, F_OK) || extra) {
		snprintf(
			text, sizeof(text),
			"port %d\nbind 127.0.0.1\nsave \"\"\nappendonly yes\nappendfsync always\n"
			"aof-load-truncated no\nmaxmemory-policy noeviction\nmin-replicas-to-write 1\n"
			"min-replicas-max-lag 10\nrepl-backlog-size 256mb\nauto-aof-rewrite-percentage 0\n"
			"repl-diskless-sync-delay 0\nrepl-ping-replica-period 1\n%s%s\n",
			ports[i], extra ? extra : "", "");
		if (i && (!extra || !strstr(extra, "replicaof")))
			snprintf(text + strlen(text), sizeof(text) - strlen(text),
				 "replicaof 127.0.0.1 %d\n", ports[0]);
		write_config(path, text);
	}
	spawn(i, path, NULL);
	for (int n = 0; n < WAIT_MS / STEP_MS; n++) {
		if (strcmp(server_ask(i, "PING"), "PONG") == 0)
			return;
		if (waitpid(pids[i], NULL, WNOHANG) == pids[i]) {
			pids[i] = 0;
			return;
		}
		step();
	}
	bail("the Redis server in %s does not start", dirs[i]);
}

void server_repair(int i)
{
	char path[160];
	int ends[2], status;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/appendonlydir/appendonly.aof.manifest", dirs[i]);
	if (pipe(ends) || write(ends[1], "y\n", 2) != 2)
		bail("pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		dup2(ends[0], 0);
		if (!freopen("/dev/null", "a", stdout) || dup2(1, 2) < 0)
			_exit(126);
		execl("/usr/bin/redis-check-aof", "redis-check-aof", "--fix", path, (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	close(ends[1]);
	waitpid(pid, &status, 0);
}

void server_kill(int i)
{
	if (pids[i] <= 0)
		return;
	kill(pids[i], SIGKILL);
	kill(pids[i], SIGCONT);
	waitpid(pids[i], NULL, 0);
	pids[i] = 0;
}

void server_pause(int i, bool on)
{
	kill(pids[i], on ? SIGSTOP : SIGCONT);
}

static void remove_tree(const char *path, bool itself)
{
	DIR *d = opendir(path);

	for (struct dirent *e; d && (e = readdir(d));) {
		char full[PATH_MAX];

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(full, sizeof(full), "%s/%s", path, e->d_name);
		if (unlink(full))
			remove_tree(full, true);
	}
	if (d)
		closedir(d);
	if (itself)
		rmdir(path);
}

void server_empty(int i)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/appendonlydir", dirs[i]);
	remove_tree(path, true);
	snprintf(path, sizeof(path), "%s/dump.rdb", dirs[i]);
	unlink(path);
}

bool server_has_replicas(int i, int count)
{
	for (int n = 0; n < WAIT_MS / STEP_MS; n++) {
		const char *at = server_ask(i, "INFO replication");
		int online = 0;

		while ((at = strstr(at, "state=online")) && ++online)
			at++;
		if (online >= count)
			return true;
		step();
	}
	return false;
}

int server_primary(void)
{
	int found = -1;

	for (int i = 0; i < SERVERS; i++)
		if (strcmp(server_ask(i, "ROLE"), "master") == 0)
			found = found == -1 ? i : -2;
	return found < 0 ? -1 : found;
}

void servers_start(void)
{
	const char *tmp = getenv("TMPDIR");
	char *real = realpath(tmp ? tmp : access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", NULL);

	snprintf(root, sizeof(root), "%.48s/redis-XXXXXX", real ? real : "/tmp");
	free(real);
	if (!mkdtemp(root))
		bail("%s: %s", root, strerror(errno));
	for (int i = 0; i < 2 * SERVERS; i++)
		name_server(i);
	for (int i = 0; i < SERVERS; i++)
		server_start(i, NULL);
	if (!server_has_replicas(0, SERVERS - 1))
		bail("the replicas do not connect");
}

void sentinels_start(int down_after_ms)
{
	for (int i = SERVERS; i < 2 * SERVERS; i++) {
		char path[160], text[512];

		snprintf(path, sizeof(path), "%s/sentinel.conf", dirs[i]);
		snprintf(
			text, sizeof(text),
			"port %d\nbind 127.0.0.1\nsentinel monitor armada 127.0.0.1 %d 2\n"
			"sentinel down-after-milliseconds armada %d\nsentinel failover-timeout armada "
			"10000\n",
			ports[i], ports[0], down_after_ms);
		write_config(path, text);
		spawn(i, path, "--sentinel");
	}
	for (int i = SERVERS; i < 2 * SERVERS; i++)
		for (int n = 0;
		     n < WAIT_MS / STEP_MS &&
		     strcmp(server_ask(i, "SENTINEL CKQUORUM armada"),
			    "OK 3 usable Sentinels. Quorum and failover authorization can be reached");
		     n++)
			step();
}

void servers_stop(void)
{
	for (int i = 2 * SERVERS - 1; i >= 0; i--)
		server_kill(i);
	if (root[0])
		remove_tree(root, true);
	root[0] = '\0';
}
