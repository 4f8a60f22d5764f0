/* Commands (command.h). Only those that state/redis sends are known; another one is an error. */
#include "asim/replicated/command.h"
#include "asim/replicated/reply.h"
#include "asim/replicated/script.h"
#include "util/buf.h"

#include <stdlib.h>
#include <string.h>

struct run {
	struct world *w;
	struct server *s;
	const struct blob *args;
	size_t count;
	size_t *ret_wrote;
	struct command_wait *ret_wait;
};

const char *command_refusal(struct world *w, const struct server *s)
{
	if (!s->primary)
		return "READONLY You can't write against a read only replica.";
	if (s->full_memory)
		return "OOM command not allowed when used memory > 'maxmemory'.";
	if (!server_good_replicas(w, s))
		return "NOREPLICAS Not enough good replicas to write.";
	return NULL;
}

static redisReply *run_role(struct run *r)
{
	redisReply *reply = reply_array(1);

	reply->element[0] = reply_text(r->s->primary ? "master" : "slave", r->s->primary ? 6 : 5);
	return reply;
}

static void info_copies(const struct run *r, struct buf *text)
{
	int n = 0;

	for (int i = 0; i < SERVERS; i++)
		n += r->s->copies[i].known;
	buf_addf(text, "role:%s\r\nconnected_slaves:%d\r\nmaster_link_status:%s\r\n",
		 r->s->primary ? "master" : "slave", n, r->s->link_up ? "up" : "down");
	n = 0;
	for (int i = 0; i < SERVERS; i++)
		if (r->s->copies[i].known)
			buf_addf(text, "slave%d:ip=r%d,port=6379,state=%s,offset=%zu,lag=0\r\n",
				 n++, i, r->s->copies[i].online ? "online" : "send_bulk",
				 r->s->copies[i].acked);
}

static redisReply *run_info(struct run *r)
{
	const struct server *s = r->s;
	CLEANUP_BUF struct buf text = {0};

	buf_addf(&text,
		 "redis_version:7.0.15\r\nredis_mode:standalone\r\nrun_id:%s\r\nloading:0\r\n",
		 s->run_id);
	buf_addf(&text,
		 "aof_enabled:1\r\naof_last_write_status:ok\r\naof_last_bgrewrite_status:ok\r\n"
		 "aof_rewrite_scheduled:0\r\naof_rewrite_in_progress:%d\r\n",
		 server_rewrites(r->w, s));
	/* large enough that the leader has them rewritten now and then */
	buf_addf(&text, "aof_base_size:%zu\r\naof_current_size:%zu\r\n", s->rewritten << 8,
		 (s->rewritten << 8) + ((s->count - s->rewritten) << 18));
	buf_addf(&text, "sync_full:%" PRIu64 "\r\nmaster_repl_offset:%zu\r\n", s->full_syncs,
		 s->count);
	info_copies(r, &text);
	return reply_text((const char *)text.data, text.len);
}

static redisReply *run_config(struct run *r)
{
	static const struct {
		const char *name, *value, *bad;
		enum server_conf conf;
	} rows[] = {
		{"appendonly", "yes", NULL, CONF_GOOD},
		{"appendfsync", "always", "everysec", CONF_FSYNC},
		{"aof-load-truncated", "no", "yes", CONF_TRUNCATED},
		{"maxmemory-policy", "noeviction", "allkeys-lru", CONF_EVICTS},
		{"auto-aof-rewrite-percentage", "0", NULL, CONF_GOOD},
		{"repl-backlog-size", "268435456", NULL, CONF_GOOD},
		{"min-replicas-to-write", "1", NULL, CONF_GOOD},
		{"min-replicas-max-lag", "1", NULL, CONF_GOOD},
	};
	redisReply *reply;

	for (size_t i = 0; r->count == 3 && i < ARRAY_SIZE(rows); i++) {
		const char *value =
			rows[i].bad && r->s->conf == rows[i].conf ? rows[i].bad : rows[i].value;

		if (strcmp(r->args[2].data, rows[i].name) != 0)
			continue;
		reply = reply_array(2);
		reply->element[0] = reply_text(rows[i].name, strlen(rows[i].name));
		reply->element[1] = reply_text(value, strlen(value));
		return reply;
	}
	return reply_array(0);
}

static redisReply *run_acl(struct run *r)
{
	return r->s->conf == CONF_DEFAULT_USER ? reply_text("no permissions", 14)
					       : reply_status("OK");
}

static redisReply *run_scan(struct run *r)
{
	redisReply *reply = reply_array(2);
	size_t n = 0;

	for (int i = 0; i < DATA_KEYS; i++)
		n += data_exists(&r->s->data, i);
	reply->element[0] = reply_text("0", 1);
	reply->element[1] = reply_array(n);
	for (size_t i = 0; i < n; i++)
		reply->element[1]->element[i] = reply_text("key", 3);
	return reply;
}

static const struct hash *hash_of(const struct run *r)
{
	enum data_key key = r->count > 1 ? data_key_of(r->args[1].data) : DATA_KEYS;
	static const struct hash none;

	return key < KEY_LOG ? &r->s->data.hashes[key] : &none;
}

static redisReply *run_hgetall(struct run *r)
{
	return reply_hash(hash_of(r));
}

static const struct blob *field_of(const struct hash *h, const char *name)
{
	for (size_t i = 0; i < h->count; i++)
		if (strcmp(h->fields[i].name, name) == 0)
			return &h->fields[i].value;
	return NULL;
}

static redisReply *run_hget(struct run *r)
{
	return reply_blob(field_of(hash_of(r), r->args[2].data));
}

static redisReply *run_hmget(struct run *r)
{
	redisReply *reply = reply_array(r->count - 2);

	for (size_t i = 2; i < r->count; i++)
		reply->element[i - 2] = reply_blob(field_of(hash_of(r), r->args[i].data));
	return reply;
}

static redisReply *run_hset(struct run *r)
{
	const char *why = command_refusal(r->w, r->s);
	struct batch *b;

	if (why)
		return reply_error(why);
	b = batch_new(r->w->run, false);
	for (size_t i = 2; i + 1 < r->count; i += 2)
		batch_field(r->w->run, b, data_key_of(r->args[1].data), r->args[i].data,
			    r->args[i + 1]);
	server_execute(r->w, r->s, b);
	*r->ret_wrote = r->s->count;
	return reply_number(1);
}

static redisReply *entry_reply(const struct entry *e)
{
	redisReply *reply = reply_array(2);
	char id[32];
	int n = snprintf(id, sizeof(id), "%" PRIu64 "-0", e->seq);

	reply->element[0] = reply_text(id, (size_t)n);
	reply->element[1] = reply_array((size_t)2 * ENTRY_FIELDS);
	for (int i = 0; i < ENTRY_FIELDS; i++) {
		reply->element[1]->element[2 * i] = reply_text(entry_names[i], 1);
		reply->element[1]->element[2 * i + 1] = reply_blob(&e->fields[i]);
	}
	return reply;
}

static redisReply *run_xrange(struct run *r)
{
	const struct data *d = &r->s->data;
	bool open = strcmp(r->args[3].data, "+") == 0;
	uint64_t first = strtoull(r->args[2].data, NULL, 10),
		 last = strtoull(r->args[3].data, NULL, 10);
	size_t limit = strtoul(r->args[5].data, NULL, 10), n = 0, at = d->from;
	redisReply *reply;

	while (at < d->count && d->log[at]->seq < first)
		at++;
	while (at + n < d->count && n < limit && (open || d->log[at + n]->seq <= last))
		n++;
	reply = reply_array(n);
	for (size_t i = 0; i < n; i++)
		reply->element[i] = entry_reply(d->log[at + i]);
	return reply;
}

static redisReply *run_wait(struct run *r)
{
	if (!r->s->primary)
		return reply_error("ERR WAIT cannot be used with replica instances.");
	r->ret_wait->replicas = strtoul(r->args[1].data, NULL, 10);
	r->ret_wait->ms = strtol(r->args[2].data, NULL, 10);
	return NULL;
}

static redisReply *run_rewrite(struct run *r)
{
	server_rewrite(r->w, r->s, 300 * MS + (int64_t)world_random(r->w, SECOND), false);
	world_trace(r->w, "redis%d rewrites its file", r->s->number);
	return reply_status("Background append only file rewriting started");
}

static redisReply *run_script(struct run *r)
{
	return script_load_text(r->s, r->args[2].data);
}

static redisReply *run_evalsha(struct run *r)
{
	return script_run(r->w, r->s, r->args, r->count, r->ret_wrote);
}

static const struct {
	const char *name;
	size_t least;
	redisReply *(*run)(struct run *r);
} commands[] = {
	{"ROLE", 1, run_role},     {"INFO", 1, run_info},       {"CONFIG", 3, run_config},
	{"ACL", 3, run_acl},       {"SCAN", 2, run_scan},       {"HGETALL", 2, run_hgetall},
	{"HGET", 3, run_hget},     {"HMGET", 3, run_hmget},     {"HSET", 4, run_hset},
	{"XRANGE", 6, run_xrange}, {"WAIT", 3, run_wait},       {"BGREWRITEAOF", 1, run_rewrite},
	{"SCRIPT", 3, run_script}, {"EVALSHA", 4, run_evalsha},
};

redisReply *command_run(struct world *w, struct server *s, const struct sim_command *c,
			size_t *ret_wrote, struct command_wait *ret_wait)
{
	struct run r = {w, s, c->args, c->count, ret_wrote, ret_wait};

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strcmp(c->args[0].data, commands[i].name) == 0 && c->count >= commands[i].least)
			return commands[i].run(&r);
	return reply_error("ERR unknown command");
}
