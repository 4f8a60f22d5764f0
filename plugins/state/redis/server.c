/*
 * What a server must be.
 *
 * Each rule closes a hole that was reproduced: see plugins/state/redis/README.md. A server whose AOF is
 * rewritten for the first time after a resync answers as if it had stored everything, and its own disk holds
 * nothing; so it counts only after that.
 */
#include "server.h"
#include "../sqlite/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum how { EQUAL, AT_LEAST, FROM_ONE_TO };

static const struct rule {
	const char *name, *wanted;
	enum how how;
	const char *why;
} rules[] = {
	{"appendonly", "yes", EQUAL, "records are on no disk otherwise"},
	{"appendfsync", "always", EQUAL, "a power failure loses acknowledged records otherwise"},
	{"aof-load-truncated", "no", EQUAL,
	 "a server with a cut file would start otherwise, and cut the good copies"},
	{"maxmemory-policy", "noeviction", EQUAL, "records are deleted silently otherwise"},
	{"auto-aof-rewrite-percentage", "0", EQUAL,
	 "all servers rewrite at once otherwise; the leader starts rewrites, one server at a time"},
	{"repl-backlog-size", "268435456", AT_LEAST,
	 "a copy that was away for a moment is copied as a whole otherwise"},
	{"min-replicas-to-write", "1", AT_LEAST,
	 "a primary that is cut off goes on with writes otherwise"},
	{"min-replicas-max-lag", "10", FROM_ONE_TO,
	 "a primary that is cut off goes on with writes otherwise"},
};
enum { RULES = sizeof(rules) / sizeof(rules[0]), REWRITE_BYTES = 64 << 20 };

static bool keeps(const struct rule *rule, const char *value)
{
	uint64_t v = read_u64(value), wanted = read_u64(rule->wanted);

	switch (rule->how) {
	case EQUAL:
		return strcmp(value, rule->wanted) == 0;
	case AT_LEAST:
		return v >= wanted;
	case FROM_ONE_TO:
		return v >= 1 && v <= wanted;
	}
	return false;
}

static int check_rule(struct engine *e, redisContext *c, const struct rule *rule, const char *value,
		      struct armada_error *err)
{
	static const char *const words[] = {"", "at least ", "from 1 to "};

	/* a store of one server has no replicas */
	if (keeps(rule, value) || (e->server_count == 1 && strncmp(rule->name, "min-", 4) == 0))
		return 0;
	if (e->strict)
		return fail(
			err, -EINVAL,
			"%s: %s is '%s', but must be %s'%s': %s. durability = \"relaxed\" accepts it, "
			"with a warning",
			conn_name(c), rule->name, value, words[rule->how], rule->wanted, rule->why);
	store_log(&e->local, 4, "%s: %s is '%s' instead of %s'%s': %s", conn_name(c), rule->name,
		  value, words[rule->how], rule->wanted, rule->why);
	return 0;
}

static int check_release(struct engine *e, redisContext *c, struct armada_error *err)
{
	int rc = 0;
	redisReply *r = ASK(e, c, &rc, err, "INFO", "server");
	const char *release;

	if (!r)
		return rc;
	release = info_value(r->str, "redis_version");
	if (read_u64(release) < 7)
		rc = fail(err, -EINVAL, "%s is Redis %s, but must be 7.0 or later", conn_name(c),
			  release[0] ? release : "of an unknown release");
	else if (strcmp(info_value(r->str, "redis_mode"), "standalone") != 0)
		rc = fail(err, -EINVAL, "%s runs in mode '%s', but must be 'standalone'",
			  conn_name(c), info_value(r->str, "redis_mode"));
	freeReplyObject(r);
	return rc;
}

/*
 * At its start a server runs the transactions of its file as the default user, and leaves out what this user
 * may not run. The write of a script is a transaction. So the default user needs these rights, also where it
 * is off.
 */
static const char *const writes[][4] = {
	{"HSET", "f", "v", NULL},     {"HINCRBY", "f", "1", NULL},
	{"XADD", "1-0", "f", "v"},    {"XTRIM", "MINID", "1", NULL},
	{"UNLINK", NULL, NULL, NULL}, {"PEXPIREAT", "1", NULL, NULL}};
enum { WRITES = sizeof(writes) / sizeof(writes[0]) };

static int check_write(struct engine *e, redisContext *c, const char *const write[4],
		       struct armada_error *err)
{
	char key[KEY_BYTES];
	const char *words[8] = {"ACL", "DRYRUN", "default", write[0],
				key,   write[1], write[2],  write[3]};
	size_t count = 5;
	redisReply *r;
	int rc = 0;
	bool may;

	snprintf(key, sizeof(key), "%shead", e->prefix);
	while (count < 8 && words[count])
		count++;
	r = conn_ask(e, c, &rc, err, count, words);
	if (!r)
		return rc;
	may = r->type == REDIS_REPLY_STATUS;
	freeReplyObject(r);
	if (may)
		return 0;
	if (e->strict)
		return fail(
			err, -EINVAL,
			"%s: the user 'default' may not run %s on %s: at its next start the "
			"server would leave out records of its own file. Write 'user default off "
			"~* &* +@all' into its ACL file: with off nobody can log in as this user",
			conn_name(c), write[0], key);
	store_log(&e->local, 4,
		  "%s: the user 'default' may not run %s on %s: a start loses records",
		  conn_name(c), write[0], key);
	return 0;
}

int server_check(struct engine *e, redisContext *c, struct armada_error *err)
{
	int rc = check_release(e, c, err);

	for (int i = 0; i < WRITES && !rc; i++)
		rc = check_write(e, c, writes[i], err);
	for (int i = 0; i < RULES && !rc; i++) {
		redisReply *r = ASK(e, c, &rc, err, "CONFIG", "GET", rules[i].name);

		if (!r)
			return rc;
		rc = r->elements == 2 ? check_rule(e, c, &rules[i], r->element[1]->str, err)
				      : fail(err, -EINVAL, "%s has no configuration %s",
					     conn_name(c), rules[i].name);
		freeReplyObject(r);
	}
	return rc;
}

static bool says(const char *info, const char *name, const char *wanted, char why[128])
{
	const char *value = info_value(info, name);

	if (strcmp(value, wanted) == 0)
		return true;
	snprintf(why, 128, "%s is '%.60s'", name, value);
	return false;
}

bool server_is_durable(struct engine *e, redisContext *c, bool primary, char why[128])
{
	struct armada_error err = {""};
	int rc = 0;
	redisReply *r = ASK(e, c, &rc, &err, "INFO");
	bool good;

	why[0] = '\0';
	if (!r) {
		snprintf(why, 128, "%.120s", err.text);
		return false;
	}
	good = says(r->str, "loading", "0", why) &&
	       says(r->str, "role", primary ? "master" : "slave", why) &&
	       (primary || says(r->str, "master_link_status", "up", why));
	if (good && e->strict)
		good = says(r->str, "aof_enabled", "1", why) &&
		       says(r->str, "aof_last_write_status", "ok", why) &&
		       says(r->str, "aof_last_bgrewrite_status", "ok", why) &&
		       says(r->str, "aof_rewrite_scheduled", "0", why) &&
		       says(r->str, "aof_rewrite_in_progress", "0", why);
	freeReplyObject(r);
	return good;
}

bool server_rewrite(struct engine *e, redisContext *c)
{
	struct armada_error err;
	int rc = 0;
	redisReply *r = ASK(e, c, &rc, &err, "INFO", "persistence");
	uint64_t base, now;
	bool runs, due;

	if (!r)
		return false;
	base = read_u64(info_value(r->str, "aof_base_size"));
	now = read_u64(info_value(r->str, "aof_current_size"));
	runs = strcmp(info_value(r->str, "aof_rewrite_in_progress"), "0") != 0;
	due = now > 2 * base + REWRITE_BYTES;
	freeReplyObject(r);
	if (runs || !due)
		return runs;
	r = ASK(e, c, &rc, &err, "BGREWRITEAOF");
	if (r)
		freeReplyObject(r);
	return r != NULL;
}
