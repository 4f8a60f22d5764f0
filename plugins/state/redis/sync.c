/*
 * Copies of what was written.
 *
 * WAIT counts copies, but does not say which, and counts any that is connected. So it is only the means to
 * wait: behind it INFO names each replica with the offset that it has acknowledged, which is compared with
 * the offset of the primary after our write. Both are read on the connection of the write, because WAIT on
 * another one says nothing about it. A replica that has acknowledged with `appendfsync always` has synced,
 * except in its first rewrite after a resync (link_look).
 */
#include "sync.h"
#include "../sqlite/error.h"
#include "link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAIT_SLICE_MS = 250, PAUSE_MS = 5 };

struct copy_set set_read(struct engine *e)
{
	struct copy_set set;

	pthread_mutex_lock(&e->lock);
	set = e->set;
	pthread_mutex_unlock(&e->lock);
	return set;
}

void set_note(struct engine *e, const struct copy_set *set)
{
	pthread_mutex_lock(&e->lock);
	e->set = *set;
	pthread_mutex_unlock(&e->lock);
}

bool set_has(const struct copy_set *set, const char *name)
{
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(set->names[i], name) == 0)
			return true;
	return false;
}

static int send_words(struct link *l, struct armada_error *err, size_t count,
		      const char *const *words)
{
	struct command *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		abort();
	command_words(c, words, count);
	rc = conn_send(l->engine, l->conn, c, err);
	free(c);
	return rc;
}

static int send_wait(struct link *l, size_t copies, struct armada_error *err)
{
	char count[16], ms[16];
	int rc;

	snprintf(count, sizeof(count), "%zu", copies);
	snprintf(ms, sizeof(ms), "%d", WAIT_SLICE_MS);
	rc = send_words(l, err, 3, (const char *const[]){"WAIT", count, ms});
	return rc ? rc
		  : send_words(l, err, 4,
			       (const char *const[]){"INFO", "server", "replication", "stats"});
}

int sync_send(struct link *l, struct armada_error *err)
{
	struct copy_set set = set_read(l->engine);
	int rc = send_words(l, err, 2, (const char *const[]){"INFO", "replication"});

	return rc ? rc : send_wait(l, set.count ? set.count - 1 : 0, err);
}

struct replica {
	size_t index; /* server_count: unknown */
	bool online;
	uint64_t offset;
};

/* Line slaveN: of INFO. */
static struct replica parse_replica(const struct engine *e, const char *info, uint64_t n)
{
	struct replica r = {.index = e->server_count};
	const char *line, *port, *at;
	char name[24 + NAME_BYTES];

	snprintf(name, sizeof(name), "slave%u", (unsigned)n);
	line = info_value(info, name);
	port = strstr(line, ",port=");
	at = strstr(line, ",offset=");
	if (!port || !at || strncmp(line, "ip=", 3) != 0)
		return r;
	snprintf(name, sizeof(name), "%.*s:%.*s", (int)(port - line - 3), line + 3,
		 (int)strcspn(port + 6, ","), port + 6);
	r.index = server_index(e, name);
	r.online = strstr(line, ",state=online,") != NULL;
	r.offset = read_u64(at + 8);
	return r;
}

static int read_view(struct link *l, const char *info, struct sync_view *v,
		     struct armada_error *err)
{
	uint64_t count = read_u64(info_value(info, "connected_slaves"));
	uint64_t offset = read_u64(info_value(info, "master_repl_offset"));

	if (strcmp(info_value(info, "role"), "master") != 0 ||
	    strcmp(info_value(info, "run_id"), l->run_id) != 0) {
		l->conn->err = REDIS_ERR_OTHER;
		return fail(err, -EAGAIN, "%s is no longer the primary", conn_name(l->conn));
	}
	*v = (struct sync_view){.offset = v->offset};
	v->holds[l->primary] = v->connected[l->primary] = true;
	count = count < COPIES_MAX * 2 ? count : COPIES_MAX * 2;
	for (uint64_t i = 0; i < count; i++)
		v->connected[parse_replica(l->engine, info, i).index] = true;
	link_look(l, read_u64(info_value(info, "sync_full")), v->connected);
	for (uint64_t i = 0; i < count; i++) {
		const struct replica r = parse_replica(l->engine, info, i);

		v->lag[r.index] = offset > r.offset ? offset - r.offset : 0;
		v->holds[r.index] = r.online && l->good[r.index] && r.offset >= v->offset;
	}
	return 0;
}

/* 0: enough copies hold it; 1: not yet, and err says which do not. */
static int judge(struct link *l, const struct sync_view *v, const struct copy_set *wanted, bool all,
		 struct armada_error *err)
{
	struct copy_set set = wanted ? *wanted : set_read(l->engine);
	size_t held = 0, len = 0;
	char missing[300] = "";

	for (size_t i = 0; i < set.count; i++) {
		size_t k = server_index(l->engine, set.names[i]);

		if (k < l->engine->server_count && v->holds[k]) {
			held++;
			continue;
		}
		len += (size_t)snprintf(missing + len, sizeof(missing) - len, "%s%s%s",
					len ? ", " : "", set.names[i],
					k == l->engine->server_count ? " (not in servers)"
					: !v->connected[k]           ? " (away)"
					: !l->good[k]                ? " (its disk is not complete)"
								     : " (behind)");
		len = len < sizeof(missing) ? len : sizeof(missing) - 1;
	}
	if (held == set.count || (!all && held > set.count / 2))
		return 0;
	fail(err, -EAGAIN, "records wait for copies of the in-sync set: %s", missing);
	return 1;
}

/*
 * Behind an answer that is missing or an error there are others: a server that has become a replica refuses
 * WAIT. They would be taken for the answers to later commands, so the connection ends.
 */
static redisReply *read_reply(struct link *l, int *ret_rc, struct armada_error *err)
{
	redisReply *r =
		conn_read(l->engine, l->conn, l->engine->timeout_ms + WAIT_SLICE_MS, ret_rc, err);

	if (!r && !l->conn->err)
		l->conn->err = REDIS_ERR_OTHER;
	return r;
}

/* Reads the answers of WAIT and INFO. */
static int read_answers(struct link *l, struct sync_view *v, struct armada_error *err)
{
	int rc = 0;
	redisReply *r = read_reply(l, &rc, err);

	if (!r)
		return rc;
	freeReplyObject(r);
	r = read_reply(l, &rc, err);
	if (!r)
		return rc;
	rc = read_view(l, r->str, v, err);
	freeReplyObject(r);
	return rc;
}

int sync_wait(struct link *l, const struct copy_set *set, bool all, struct armada_error *err)
{
	int64_t until_us = now_us() + l->engine->timeout_ms * INT64_C(1000);
	struct sync_view v = {0};
	int rc = 0;
	redisReply *r = read_reply(l, &rc, err);

	if (!r)
		return rc;
	v.offset = read_u64(info_value(r->str, "master_repl_offset"));
	freeReplyObject(r);
	while ((rc = read_answers(l, &v, err)) == 0 && (rc = judge(l, &v, set, all, err)) == 1) {
		if (now_us() >= until_us)
			return -EAGAIN;
		if (!engine_sleep(l->engine, PAUSE_MS))
			return fail(err, -EINTR, "interrupted");
		/* another copy may have answered first: wait for one more */
		rc = send_wait(l, l->engine->server_count - 1, err);
		if (rc)
			return rc;
	}
	return rc;
}

int sync_look(struct link *l, struct sync_view *v, struct armada_error *err)
{
	int rc = 0;
	redisReply *r = ASK(l->engine, l->conn, &rc, err, "INFO", "server", "replication", "stats");

	if (!r)
		return rc;
	v->offset = 0;
	rc = read_view(l, r->str, v, err);
	freeReplyObject(r);
	return rc;
}
