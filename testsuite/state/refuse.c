/*
 * What state/redis refuses, in words: servers that are away, of an old release or read-only, a wrong
 * password, TLS, another cluster, names. And the in-sync set: it shrinks after a time, never below two, and
 * a copy comes back; a sentinel's failover.
 */
#include "state/engine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 1500, STEP_US = 20000 };

static void refused(int want, const char *part, const char *what)
{
	void *h = NULL;
	int rc = state_open(harness_dir(), &h, NULL);

	is_int(rc, want, "%s: refused", what);
	has_str(rc ? err.text : "", part, "%s: in words", what);
	if (!rc)
		ops->close(h);
}

static void test_options(void)
{
	static const char *const bad[] = {"127.0.0.1"};

	engine_load_redis(false);
	harness_option(REDIS_TLS, 1);
	refused(-ENOTSUP, "tls = true: this plugin has no TLS", "TLS");
	engine_load_redis(false);
	harness_option_list(REDIS_SERVERS, bad, 1);
	refused(-EINVAL, "'127.0.0.1' is not HOST:PORT", "a server without a port");
	harness_option_list(REDIS_SERVERS, server_names, 0);
	refused(-EINVAL, "needs the names of the Redis servers", "no server");
	harness_option_list(REDIS_SERVERS, server_names, 1);
	refused(-EINVAL, "one server is no replicated state", "one server");
	engine_load_redis(false);
	harness_option_text(REDIS_COPIES, "some");
	refused(-EINVAL, "copies: 'some' is neither all nor a time", "a wrong time");
	engine_load_redis(false);
	harness_option_text(REDIS_PREFIX, "a b");
	refused(-EINVAL, "prefix: 'a b' must have", "a wrong prefix");
}

/* A user that may only read opens the state, and cannot lead. */
static void test_reader(const char *dir)
{
	struct armada_replica_lead lead;
	void *h = NULL;
	int rc;

	harness_option_text(REDIS_USER, "reader");
	rc = state_open(dir, &h, NULL);
	for (int i = 0; i < STEPS && !rc; i++) {
		rc = ops->replica->lead(h, 1, &lead, &err);
		if (rc != -EBUSY && rc != -EAGAIN)
			break;
		rc = 0;
		usleep(STEP_US);
	}
	is_int(rc, -EACCES, "a user that may only read cannot lead");
	has_str(err.text, "refuses user 'reader'", "a user that may only read: in words");
	ops->close(h);
	harness_option_text(REDIS_USER, "");
}

static void test_access(void)
{
	const char *dir = harness_dir(), *path;
	void *h = engine_fresh(&dir);

	ops->close(h);
	path = harness_path(dir, "password");
	write_file(path, "secret\n", 7);
	harness_option_text(REDIS_PASSWORD_FILE, path);
	refused(-EACCES, "refuses", "a password where there is none");
	chmod(path, 0644);
	refused(-EPERM, "mode 0600 or less", "a password file that others may read");
	chmod(path, 0600);
	for (int i = 0; i < SERVERS; i++) {
		server_ask(i, "ACL SETUSER reader on >secret ~* &* +@all -@write");
		server_ask(i, "ACL SETUSER open on nopass ~* &* +@all");
		server_ask(i, "CONFIG SET masterauth secret");
		server_ask(i, "CONFIG SET requirepass secret");
	}
	h = engine_reopen(dir);
	is_int(engine_append(h, 1, 3), 0, "a password of a file: records are written");
	ops->close(h);
	test_reader(dir);
	harness_option_text(REDIS_PASSWORD_FILE, "");
	refused(-EACCES, "NOAUTH", "no password where there is one");
	harness_option_text(REDIS_USER, "reader");
	refused(-EACCES, "WRONGPASS", "a user without the password that it has");
	harness_option_text(REDIS_USER, "open");
	h = engine_reopen(dir);
	is_int(engine_append(h, 4, 5), 0, "a user that needs no password: records are written");
	ops->close(h);
	harness_option_text(REDIS_USER, "");
}

static void test_places(void)
{
	const char *dir, *second = harness_dir();
	uint8_t id[16] = "another cluster";
	void *h = engine_fresh(&dir);

	ops->close(h);
	is_int(state_init(harness_dir()), -EEXIST, "a prefix that is not empty: --init is refused");
	has_str(err.text, "already holds", "a prefix that is not empty: in words");
	engine_next_prefix();
	refused(-ENOENT, "has no state under the prefix", "an empty prefix");
	if (ops->init(second, id, harness_values(), &err))
		bail("%s", err.text);
	is_int(state_open(dir, &h, NULL), -EINVAL, "another cluster under the prefix is refused");
	has_str(err.text, "different clusters", "another cluster: in words");
}

static void test_away(void)
{
	const char *dir;
	void *h = engine_fresh(&dir);

	ops->close(h);
	for (int i = 0; i < SERVERS; i++)
		server_kill(i);
	is_int(state_open(dir, &h, NULL), -EAGAIN, "all servers away: open can be repeated");
	has_str(err.text, "cannot be reached", "all servers away: in words");
	for (int i = 0; i < SERVERS; i++)
		server_start(i, NULL);
	server_has_replicas(0, 2);
	h = engine_reopen(dir);
	server_ask(1, "REPLICAOF NO ONE");
	ops->close(h);
	is_int(state_open(dir, &h, NULL), -EAGAIN, "two primaries: open can be repeated");
	has_str(err.text, "both say that they are the primary", "two primaries: in words");
	server_ask(1, "REPLICAOF 127.0.0.1 %s", strrchr(server_names[0], ':') + 1);
	server_has_replicas(0, 2);
}

/* Answers ROLE and INFO as a primary with these lines does, and other commands with an error. */
static void answer(int fd, const char *info)
{
	char words[4096], text[600];
	ssize_t n;

	while ((n = read(fd, words, sizeof(words) - 1)) > 0) {
		words[n] = '\0';
		if (strstr(words, "ROLE"))
			snprintf(text, sizeof(text), "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n");
		else if (strstr(words, "INFO"))
			snprintf(text, sizeof(text), "$%zu\r\n%s\r\n", strlen(info), info);
		else
			snprintf(text, sizeof(text), "-ERR unknown command\r\n");
		if (write(fd, text, strlen(text)) < 0)
			break;
	}
	close(fd);
}

/* A server of another release, on a free port; a child of the test. */
static pid_t old_server(const char *info, char name[32])
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t pid;

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, len) || listen(fd, 8) ||
	    getsockname(fd, (struct sockaddr *)&a, &len))
		bail("socket");
	snprintf(name, 32, "127.0.0.1:%d", ntohs(a.sin_port));
	pid = fork();
	if (pid < 0)
		bail("fork");
	while (pid == 0) {
		int conn = accept(fd, NULL, NULL);

		if (conn < 0)
			_exit(1);
		answer(conn, info);
	}
	close(fd);
	return pid;
}

static void test_release(void)
{
	static const struct {
		const char *info, *part, *what;
	} cases[] = {
		{"redis_version:6.2.14\r\nredis_mode:standalone\r\n",
		 "is Redis 6.2.14, but must be 7.0 or later", "a server of an old release"},
		{"redis_mode:standalone\r\n", "is Redis of an unknown release",
		 "a server that does not say its release"},
		{"redis_version:7.0.15\r\nredis_mode:cluster\r\n",
		 "runs in mode 'cluster', but must be 'standalone'", "a server of a Redis cluster"},
	};
	char name[32];
	const char *names[2] = {name, "127.0.0.1:1"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pid_t pid = old_server(cases[i].info, name);

		engine_load_redis(false);
		harness_option_list(REDIS_SERVERS, names, 2);
		refused(-EINVAL, cases[i].part, cases[i].what);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	engine_load_redis(false);
}

/* The primary becomes a replica, and so read-only, while a controller leads. */
static void test_read_only(void)
{
	struct replayed seen;
	const char *dir;
	void *h = engine_fresh(&dir), *again;

	is_int(engine_append(h, 1, 10), 0, "read-only: records are written");
	server_ask(0, "REPLICAOF 127.0.0.1 1");
	is_int(state_append(h, 11, 20), -EAGAIN, "read-only: records wait for a primary");
	ok(strstr(err.text, "READONLY") || strstr(err.text, "none of the servers is a primary"),
	   "read-only: in words");
	is_int(state_open(harness_dir(), &again, NULL), -EAGAIN, "read-only: open can be repeated");
	has_str(err.text, "none of the servers is a primary", "read-only: open says why");
	server_ask(0, "REPLICAOF NO ONE");
	is_int(engine_append(h, 11, 20), 0, "read-only: they are written when it is one again");
	is_int(state_replay(h, &seen), 0, "read-only: the log is read");
	ok(seen.last == 20 && !seen.wrong, "read-only: each record is there once");
	ops->close(h);
}

static size_t members(void *h, struct armada_replica_copies *ret)
{
	size_t n = 0;

	if (ops->replica->copies(h, ret, &err))
		return 0;
	for (size_t i = 0; i < ret->count; i++)
		n += ret->copies[i].member;
	return n;
}

/* Renews until the set has so many copies. */
static bool set_has_size(void *h, size_t want, struct armada_replica_copies *c)
{
	for (int i = 0; i < STEPS; i++) {
		ops->replica->renew(h, &err);
		if (members(h, c) == want)
			return true;
		usleep(STEP_US);
	}
	return false;
}

static bool holds(void *h, int copy, uint64_t seq, struct armada_replica_copies *ret)
{
	for (int i = 0; i < 10000000 / STEP_US; i++) {
		members(h, ret);
		if (ret->copies[copy].seq >= seq &&
		    ret->copies[copy].state == ARMADA_REPLICA_IN_SYNC)
			return true;
		usleep(STEP_US);
	}
	return false;
}

static void test_copies(void)
{
	struct armada_replica_copies c;
	const char *dir, *pair[2] = {server_names[0], server_names[1]};
	const char *third = server_names[2], *all[3] = {pair[0], pair[1], third};
	void *h;

	engine_load_redis(false);
	harness_option_text(REDIS_COPIES, "1s");
	h = engine_fresh(&dir);
	is_int(engine_append(h, 1, 3), 0, "copies: records are written");
	is_int((long long)members(h, &c), 3, "copies: three hold them");
	is_int((long long)c.version, 1, "copies: in the first version of the set");
	is_int(ops->replica->set_copies(h, pair, 1, NULL, 0, &err), -EINVAL,
	       "copies: a set of one is refused");
	server_kill(2);
	is_int(state_append(h, 4, 5), -EAGAIN, "copies: with one away records wait");
	ok(set_has_size(h, 2, &c), "copies: after a second the set has two");
	is_int(c.copies[2].state, ARMADA_REPLICA_AWAY, "copies: the third one is away");
	is_int(engine_append(h, 4, 5), 0, "copies: records are written again");
	server_pause(1, true);
	is_int(state_append(h, 6, 6), -EAGAIN, "copies: with the second one away records wait");
	usleep(2000000);
	ops->replica->renew(h, &err);
	is_int(state_append(h, 6, 6), -EAGAIN, "copies: the set has never less than two");
	server_pause(1, false);
	server_start(2, NULL);
	ok(set_has_size(h, 3, &c), "copies: one that has caught up comes back");
	is_int(engine_append(h, 6, 7), 0, "copies: and records are on three again");
	is_int(ops->replica->set_copies(h, pair, 2, pair, 1, &err), -EINVAL,
	       "copies: one that is in the set and out of it is refused");
	is_int(ops->replica->set_copies(h, pair, 2, &third, 1, &err), 0,
	       "copies: an administrator takes one out");
	is_int(engine_append(h, 8, 9), 0, "copies: records are written");
	for (int i = 0; i < 3; i++)
		ops->replica->renew(h, &err);
	is_int((long long)members(h, &c), 2, "copies: it does not come back by itself");
	ok(holds(h, 2, 9, &c) && c.copies[2].removed && c.copies[0].seq >= 9 &&
		   !c.copies[0].removed,
	   "copies: it is shown as removed, with the records that it holds");
	server_pause(2, true);
	is_int(ops->replica->set_copies(h, all, 3, NULL, 0, &err), -EAGAIN,
	       "copies: one that does not answer is not taken back");
	is_int((long long)members(h, &c), 2, "copies: and is no member yet");
	is_int(engine_append(h, 10, 11), 0, "copies: records do not wait for it");
	server_pause(2, false);
	ok(holds(h, 2, 11, &c), "copies: it answers again");
	is_int(ops->replica->set_copies(h, all, 3, NULL, 0, &err), 0,
	       "copies: an administrator takes it back");
	is_int((long long)members(h, &c), 3, "copies: three hold the records again");
	ops->close(h);
}

static void test_failover(void)
{
	struct replayed seen;
	const char *dir;
	void *h;

	sentinels_start(500);
	engine_load_redis(true);
	h = engine_fresh(&dir);
	is_int(engine_append(h, 1, 10), 0,
	       "failover: records are written to the primary of the sentinels");
	server_kill(0);
	state_append(h, 11, 20);
	for (int i = 0; i < STEPS && server_primary() <= 0; i++)
		usleep(STEP_US);
	ok(server_primary() > 0, "failover: the sentinels choose another primary");
	server_start(0, NULL);
	is_int(engine_append(h, 11, 20), 0,
	       "failover: records are written to it when all copies are there");
	is_int(state_replay(h, &seen), 0, "failover: the log is read");
	ok(seen.last == 20 && !seen.wrong, "failover: each record is there once");
	ops->close(h);
}

int main(void)
{
	if (!servers_exist()) {
		skip("redis-server is not installed");
		return done();
	}
	servers_start();
	engine_load_redis(false);
	test_options();
	test_places();
	test_away();
	test_release();
	test_read_only();
	test_copies();
	test_failover();
	servers_stop();
	servers_start();
	engine_load_redis(false);
	test_access();
	servers_stop();
	return harness_done();
}
