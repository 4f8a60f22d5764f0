/*
 * The scripts. The server runs a script as one step, so its comparison and its writes belong together. All
 * of them answer OK, or a status that begins with EPOCH or OTHER.
 */
#include "script.h"
#include "../sqlite/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OTHER(text) "return redis.status_reply('OTHER " text "') "
#define OK          "return redis.status_reply('OK')"
/* KEYS[1]: the head; ARGV[1]: our epoch. */
#define FENCE                                                                                      \
	"local e = redis.call('HGET', KEYS[1], 'epoch') "                                          \
	"if e ~= ARGV[1] then return redis.status_reply('EPOCH ' .. (e or 'none')) end "

static const char *const texts[SCRIPT_COUNT] = {
	/* cluster id, hash of the beginning, set, seq, epoch */
	[SCRIPT_INIT] = "if redis.call('EXISTS', KEYS[1], KEYS[2]) ~= 0 then " OTHER(
		"exists") "end "
			  "redis.call('HSET', KEYS[1], 'layout', '1', 'cluster', ARGV[1], 'hash', "
			  "ARGV[2], 'set', ARGV[3], 'setv', '1', 'seq', ARGV[4], 'acked', ARGV[4], "
			  "'epoch', ARGV[5], 'beat', '1') " OK,
	/* epoch and beat that were seen, new epoch, name, incarnation, time of a lease */
	[SCRIPT_LEAD] = FENCE "if redis.call('HGET', KEYS[1], 'beat') ~= ARGV[2] then " OTHER(
		"beat") "end "
			"redis.call('HSET', KEYS[1], 'epoch', ARGV[3], 'leader', ARGV[4], "
			"'owner', ARGV[5], 'lease', ARGV[6], 'heir', '') "
			"redis.call('HINCRBY', KEYS[1], 'beat', 1) " OK,
	/* epoch, acknowledged record */
	[SCRIPT_RENEW] = FENCE "redis.call('HSET', KEYS[1], 'acked', ARGV[2]) "
			       "redis.call('HINCRBY', KEYS[1], 'beat', 1) " OK,
	/* epoch, acknowledged record, heir */
	[SCRIPT_RESIGN] = FENCE
	"redis.call('HSET', KEYS[1], 'acked', ARGV[2], 'leader', '', 'owner', '', 'heir', ARGV[3]) "
	"redis.call('HINCRBY', KEYS[1], 'beat', 1) " OK,
	/*
	 * epoch, last record and its hash, hash of the new last one, acknowledged record, then four for
	 * each
	 */
	[SCRIPT_APPEND] = FENCE
	"local h = redis.call('HMGET', KEYS[1], 'seq', 'hash') "
	"if h[1] ~= ARGV[2] or h[2] ~= ARGV[3] then " OTHER(
		"head") "end "
			"for i = 6, #ARGV, 4 do redis.call('XADD', KEYS[2], ARGV[i] .. '-0', 'e', ARGV[1], "
			"'c', ARGV[i + 1], 'p', ARGV[i + 2], 'd', ARGV[i + 3]) end "
			"redis.call('HSET', KEYS[1], 'seq', ARGV[#ARGV - 3], 'hash', ARGV[4], 'acked', "
			"ARGV[5]) redis.call('HINCRBY', KEYS[1], 'beat', 1) " OK,
	/* epoch, number of the first chunk, then the chunks */
	[SCRIPT_CHUNKS] = FENCE
	"if ARGV[2] == '0' then redis.call('UNLINK', KEYS[2]) end "
	"for i = 3, #ARGV do redis.call('HSET', KEYS[2], tostring(tonumber(ARGV[2]) + i - 3), "
	"ARGV[i]) end " OK,
	/* epoch, seq, hash, chunks and slot; then the same of the older one, which is kept */
	[SCRIPT_SNAPSHOT] =
		FENCE "redis.call('HSET', KEYS[1], 'snap', ARGV[2], 'snaphash', ARGV[3], 'chunks', "
		      "ARGV[4], 'slot', ARGV[5], 'older', ARGV[6], 'olderhash', ARGV[7], "
		      "'olderchunks', ARGV[8], 'olderslot', ARGV[9]) " OK,
	/* epoch, first record that stays */
	[SCRIPT_TRIM] = FENCE "redis.call('XTRIM', KEYS[2], 'MINID', ARGV[2] .. '-0') " OK,
	/* epoch, version that was seen, set, servers that stay out of it */
	[SCRIPT_SET] = FENCE "if redis.call('HGET', KEYS[1], 'setv') ~= ARGV[2] then " OTHER(
		"set") "end redis.call('HSET', KEYS[1], 'set', ARGV[3], 'out', ARGV[4]) "
		       "redis.call('HINCRBY', KEYS[1], 'setv', 1) " OK,
	/* epoch, then number, time, job, first element, last element, kind and body of each */
	[SCRIPT_EVENTS] = FENCE
	"local last = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1) "
	"last = last[1] and tonumber(string.match(last[1][1], '^%d+')) or 0 "
	"for i = 2, #ARGV, 7 do if tonumber(ARGV[i]) > last then "
	"redis.call('XADD', KEYS[2], 'MAXLEN', '~', '10000', ARGV[i] .. '-0', 'time_us', ARGV[i + 1], 'job', "
	"ARGV[i + 2], 'first', ARGV[i + 3], 'last', ARGV[i + 4], 'kind', ARGV[i + 5], 'body', "
	"ARGV[i + 6]) end end redis.call('PEXPIRE', KEYS[2], 7776000000) " OK,
};

int script_load(struct link *l, struct armada_error *err)
{
	for (int i = 0; i < SCRIPT_COUNT; i++) {
		int rc = 0;
		redisReply *r = ASK(l->engine, l->conn, &rc, err, "SCRIPT", "LOAD", texts[i]);

		if (!r)
			return rc;
		snprintf(l->sha[i], sizeof(l->sha[i]), "%s", r->str ? r->str : "");
		freeReplyObject(r);
	}
	return 0;
}

void script_begin(struct link *l, struct command *c, enum script script, char *keys,
		  const char *first, const char *second)
{
	int len = snprintf(keys, KEYS_BYTES / 2, "%s%s", l->engine->prefix, first);

	c->count = c->numbers = 0;
	command_text(c, "EVALSHA");
	command_text(c, l->sha[script]);
	command_text(c, second ? "2" : "1");
	command_text(c, keys);
	if (!second)
		return;
	snprintf(keys + len + 1, KEYS_BYTES / 2, "%s%s", l->engine->prefix, second);
	command_text(c, keys + len + 1);
}

int script_read(struct link *l, struct armada_error *err)
{
	int rc = 0;
	redisReply *r = conn_read(l->engine, l->conn, l->engine->timeout_ms, &rc, err);

	if (!r)
		return rc;
	if (r->type != REDIS_REPLY_STATUS)
		rc = fail(err, -EIO, "%s: a script gave no status", conn_name(l->conn));
	else if (strncmp(r->str, "EPOCH ", 6) == 0)
		rc = fail(err, -ESTALE, "%s: the epoch in the store is %s, not ours",
			  conn_name(l->conn), r->str + 6);
	else if (strcmp(r->str, "OK") != 0)
		rc = fail(err, -ECANCELED, "%s: %s", conn_name(l->conn), r->str);
	freeReplyObject(r);
	return rc;
}
