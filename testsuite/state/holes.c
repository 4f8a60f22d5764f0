/*
 * The holes of Redis that plugins/state/redis/README.md lists: each test opens one, shows where that is
 * possible that it is open, and that the engine neither acknowledges what may vanish nor goes on with less.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "state/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *dir;

/* New servers, a new state and ten records. */
static void *begin(void)
{
	void *h;

	servers_stop();
	servers_start();
	engine_load_redis(false);
	h = engine_fresh(&dir);
	if (engine_append(h, 1, 10))
		bail("%s", err.text);
	return h;
}

/* The server becomes the primary, and the others copy it. */
static void promote(int i)
{
	const char *colon = strrchr(server_names[i], ':');

	server_ask(i, "REPLICAOF NO ONE");
	for (int k = 0; k < SERVERS; k++)
		if (k != i)
			server_ask(k, "REPLICAOF 127.0.0.1 %s", colon + 1);
}

/* A server that was killed comes back as a replica of another one. */
static void come_back(int i, int primary)
{
	char line[64];

	snprintf(line, sizeof(line), "replicaof 127.0.0.1 %s",
		 strrchr(server_names[primary], ':') + 1);
	server_start(i, line);
}

static void test_split(void)
{
	void *h = begin();
	struct replayed seen;

	server_pause(2, true);
	is_int(state_append(h, 11, 20), -EAGAIN,
	       "1: with one copy cut off nothing is acknowledged");
	server_kill(0);
	server_pause(2, false);
	promote(2);
	come_back(0, 2);
	server_has_replicas(2, 2);
	is_int(engine_append(h, 11, 20), 0,
	       "1: the other side has taken over, and the records follow");
	state_replay(h, &seen);
	ok(seen.last == 20 && !seen.wrong, "1: each is there once");
	ops->close(h);
}

static void test_first_rewrite(void)
{
	void *h = begin();

	server_ask(0, "EVAL %s 0", "for i = 1, 1000 do redis.call('SET', 'fill' .. i, i) end");
	server_kill(2);
	server_start(2, "rdb-key-save-delay 4000");
	ok(server_has_replicas(0, 2), "2: a copy has resynced");
	ok(strstr(server_ask(2, "INFO persistence"), "aof_rewrite_in_progress:1") != NULL,
	   "2: its first rewrite runs");
	is_int(state_append(h, 11, 12), -EAGAIN, "2: it does not count");
	has_str(err.text, "its disk is not complete", "2: the message says why");
	is_int(engine_append(h, 11, 12), 0, "2: it counts after that");
	ok(strstr(server_ask(2, "INFO persistence"), "aof_rewrite_in_progress:0") != NULL,
	   "2: when the rewrite has ended");
	ops->close(h);
}

/* The file that the server appends to. */
static const char *aof(int i)
{
	static char path[240];

	for (int n = 9; n > 0; n--) {
		snprintf(path, sizeof(path), "%s/appendonlydir/appendonly.aof.%d.incr.aof",
			 server_dir(i), n);
		if (access(path, F_OK) == 0)
			return path;
	}
	return path;
}

static void kill_all(void)
{
	for (int i = 0; i < SERVERS; i++)
		server_kill(i);
}

static void test_cut_file(void)
{
	void *h = begin(), *again;
	size_t len = 0;
	void *data;
	int rc;

	engine_append(h, 11, 40);
	ops->close(h);
	kill_all();
	data = read_file(aof(0), &len);
	if (truncate(aof(0), (off_t)len - 6000))
		bail("truncate");
	free(data);
	server_start(0, NULL);
	is_str(server_ask(0, "PING"), "", "3: a server with a cut file does not start");
	server_start(0, "aof-load-truncated yes");
	server_start(1, NULL);
	server_start(2, NULL);
	server_has_replicas(0, 2);
	is_int(state_open(dir, &again, NULL), -EINVAL,
	       "3: it does with aof-load-truncated, which is refused");
	has_str(err.text, "aof-load-truncated is 'yes', but must be 'no'", "3: in words");
	harness_option(REDIS_DURABILITY, 1);
	rc = state_open(dir, &again, NULL);
	is_int(rc, -EUCLEAN, "3: and the loss is found where that is accepted");
	has_str(err.text, "record 40 was acknowledged", "3: the message has both positions");
	has_str(harness_logged(), "aof-load-truncated is 'yes'", "3: after a warning");
}

static void test_empty_primary(void)
{
	void *h = begin();
	struct armada_replica_lead lead;

	server_kill(0);
	server_empty(0);
	server_start(0, NULL);
	server_has_replicas(0, 2);
	is_int(engine_append(h, 11, 12), -EUCLEAN,
	       "4: a primary that has restarted empty is noticed");
	has_str(err.text, "its log ends at record 0, but record 10 was acknowledged",
		"4: the message has both positions");
	has_str(err.text, "restore a later backup", "4: and what can be done");
	is_int(state_append(h, 11, 12), -EUCLEAN, "4: nothing more is written");
	is_int(ops->replica->lead(h, 1, &lead, &err), -EUCLEAN, "4: nor led");
	is_str(server_ask(0, "EXISTS %s:head", engine_prefix()), "0",
	       "4: nothing was written over it");
	ops->close(h);
	is_int(state_open(dir, &h, NULL), -EUCLEAN, "4: nor is it opened again");
}

static void test_flipped_byte(void)
{
	void *h = begin();
	char text[RECORD_MAX];
	struct replayed seen;
	size_t len, n = record_text(5, text);
	char *data, *at;

	ops->close(h);
	kill_all();
	data = read_file(aof(0), &len);
	at = data ? memmem(data, len, text, n) : NULL;
	if (!at)
		bail("record 5 is not in %s", aof(0));
	at[3] ^= 1;
	write_file(aof(0), data, len);
	free(data);
	for (int i = 0; i < SERVERS; i++)
		server_start(i, NULL);
	server_has_replicas(0, 2);
	h = engine_reopen(dir);
	is_int(state_replay(h, &seen), -EUCLEAN,
	       "5: a flipped byte is found, which Redis serves as good");
	has_str(err.text, "record 5 of the log is damaged", "5: the message names the record");
	ops->close(h);
}

static void test_other_connection(void)
{
	void *h = begin();

	server_pause(1, true);
	server_pause(2, true);
	is_int(state_append(h, 11, 12), -EAGAIN,
	       "6: with both replicas stopped nothing is acknowledged");
	is_str(server_ask(0, "WAIT 2 100"), "2", "6: WAIT on another connection is content");
	server_ask(0, "CLIENT KILL TYPE normal");
	is_int(state_append(h, 11, 12), -EAGAIN, "6: also after the connection was lost");
	server_pause(1, false);
	server_pause(2, false);
	is_int(engine_append(h, 11, 12), 0, "6: then they have it");
	ops->close(h);
}

static void test_epoch(void)
{
	struct armada_replica_lead lead = {0};
	void *h = begin(), *other = NULL;
	const char *second = harness_dir();
	int rc = 0;

	if (state_open(second, &other, NULL))
		bail("%s", err.text);
	server_ask(0, "CONFIG SET min-replicas-to-write 0");
	server_kill(1);
	server_kill(2);
	for (int i = 0; i < 200 && (rc = ops->replica->lead(other, 1, &lead, &err)) == -EBUSY; i++)
		usleep(20000);
	is_int(rc, -EAGAIN, "7: an epoch that is on the primary alone is not taken");
	is_int(ops->replica->lease_until(other), 0, "7: nobody leads with it");
	is_str(server_ask(0, "HGET %s:head epoch", engine_prefix()), "2",
	       "7: though the primary has it");
	server_kill(0);
	server_start(1, "# without replicaof");
	come_back(0, 1);
	come_back(2, 1);
	server_has_replicas(1, 2);
	is_int(engine_append(h, 11, 12), 0,
	       "7: after a failover the old epoch is valid, and its leader writes");
	is_int(state_append(other, 11, 12), -ESTALE, "7: the other one does not");
	is_int(engine_lead(other, &lead), 0, "7: it leads when that lease has run out");
	is_int(state_append(h, 13, 13), -ESTALE, "7: and then fences");
	ops->close(other);
	ops->close(h);
}

static void test_lost_append(void)
{
	void *h = begin();
	struct replayed seen;

	server_pause(1, true);
	server_pause(2, true);
	is_int(state_append(h, 11, 20), -EAGAIN, "8: records wait");
	server_kill(0);
	server_pause(1, false);
	server_pause(2, false);
	promote(1);
	come_back(0, 1);
	server_has_replicas(1, 2);
	is_int(engine_append(h, 11, 20), 0,
	       "8: they are sent again where the primary has died with them");
	state_replay(h, &seen);
	ok(seen.last == 20 && !seen.wrong, "8: each is there once");
	ops->close(h);
}

static void test_no_fence(void)
{
	void *h = begin(), *other = NULL;
	const char *second = harness_dir();

	if (state_open(second, &other, NULL))
		bail("%s", err.text);
	server_ask(0, "CONFIG SET min-replicas-to-write 0");
	engine_lead(other, NULL);
	is_int(state_append(h, 11, 11), -ESTALE,
	       "9: an old leader is refused without min-replicas-to-write");
	ops->close(other);
	ops->close(h);
	is_int(state_open(dir, &h, NULL), -EINVAL, "9: which is demanded nevertheless");
	has_str(err.text, "min-replicas-to-write is '0'", "9: in words");
}

static void test_memory(void)
{
	void *h = begin();

	server_ask(0, "CONFIG SET maxmemory 1");
	is_int(state_append(h, 11, 20), -ENOSPC, "10: a server without memory refuses the batch");
	has_str(err.text, "out of memory", "10: in words");
	is_str(server_ask(0, "XLEN %s:log", engine_prefix()), "10", "10: and has written nothing");
	server_ask(0, "CONFIG SET maxmemory 0");
	is_int(engine_append(h, 11, 20), 0, "10: it can be repeated");
	ops->close(h);
	server_ask(0, "CONFIG SET maxmemory-policy allkeys-lru");
	is_int(state_open(dir, &h, NULL), -EINVAL, "10: a server that evicts is refused");
	has_str(err.text, "maxmemory-policy is 'allkeys-lru', but must be 'noeviction'",
		"10: in words");
}

static void test_replica_without_head(void)
{
	void *h = begin();

	server_ask(1, "CONFIG SET replica-read-only no");
	server_ask(1, "DEL %s:head", engine_prefix());
	server_kill(0);
	promote(1);
	come_back(0, 1);
	server_has_replicas(1, 2);
	is_int(engine_append(h, 11, 11), -EUCLEAN, "11: a primary without the head is noticed");
	has_str(err.text, "record 10 was acknowledged", "11: the message has the position");
	ops->close(h);
}

/* How many records a server has. */
static const char *records(int i)
{
	return server_ask(i, "EVAL %s 0",
			  "local n = 0 for _, k in ipairs(redis.call('KEYS', '*log')) do "
			  "n = n + redis.call('XLEN', k) end return n");
}

static void test_default_user(void)
{
	void *h = begin(), *again;

	ops->close(h);
	is_str(records(0), "10", "12: a server has ten records");
	server_kill(0);
	server_start(0, "user default on nopass ~* &* +@all -@write");
	is_str(records(0), "0",
	       "12: none after a start, because the default user may not write them");
	is_int(state_open(dir, &again, NULL), -EINVAL, "12: such a server is refused");
	has_str(err.text, "the user 'default' may not run HSET", "12: in words");
	harness_option(REDIS_DURABILITY, 1);
	is_int(state_open(dir, &again, NULL), -EUCLEAN,
	       "12: and the loss is found where that is accepted");
	has_str(err.text, "record 10 was acknowledged", "12: the message has the position");
}

int main(void)
{
	if (!servers_exist()) {
		skip("redis-server is not installed");
		return done();
	}
	test_split();
	test_first_rewrite();
	test_cut_file();
	test_empty_primary();
	test_flipped_byte();
	test_other_connection();
	test_epoch();
	test_lost_append();
	test_no_fence();
	test_memory();
	test_replica_without_head();
	test_default_user();
	servers_stop();
	return harness_done();
}
