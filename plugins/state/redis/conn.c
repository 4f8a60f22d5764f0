/*
 * Connections to servers, commands and replies.
 *
 * hiredis writes and parses; this file waits, so that a wait has an end and can be interrupted. An error
 * reply becomes an errno and a sentence: what a server may say of itself (it loads, it has no replica, it
 * is one) passes, and is -EAGAIN; what an administrator has to change is not.
 */
#include "conn.h"
#include "../sqlite/error.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * INT64_C(1000000) + ts.tv_nsec / 1000;
}

uint64_t read_u64(const char *text)
{
	return text ? strtoull(text, NULL, 10) : 0;
}

void command_blob(struct command *c, const void *data, size_t len)
{
	if (c->count == ARGS_MAX)
		abort();
	c->arg[c->count] = len ? data : "";
	c->len[c->count++] = len;
}

void command_text(struct command *c, const char *text)
{
	command_blob(c, text, strlen(text));
}

void command_u64(struct command *c, uint64_t v)
{
	char *text = c->number[c->numbers++];

	if (c->numbers > NUMBERS_MAX)
		abort();
	snprintf(text, sizeof(c->number[0]), "%" PRIu64, v);
	command_text(c, text);
}

void command_words(struct command *c, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		command_text(c, words[i]);
}

bool engine_sleep(struct engine *e, int ms)
{
	struct pollfd fd = {.fd = e->wake_fd, .events = POLLIN};

	return poll(&fd, 1, ms) <= 0;
}

static int host_and_port(const char *name, char host[ARMADA_REPLICA_NAME_MAX + 1])
{
	const char *colon = strrchr(name, ':');
	size_t len = colon ? (size_t)(colon - name) : strlen(name);

	snprintf(host, ARMADA_REPLICA_NAME_MAX + 1, "%.*s", (int)len, name);
	return colon ? atoi(colon + 1) : 6379;
}

const char *conn_name(const redisContext *c)
{
	static _Thread_local char names[2][320];
	static _Thread_local int next;
	char *name = names[next++ % 2];

	snprintf(name, sizeof(names[0]), "%s:%d", c->tcp.host ? c->tcp.host : "?", c->tcp.port);
	return name;
}

static int authenticate(struct engine *e, redisContext *c, struct armada_error *err)
{
	redisReply *r;
	int rc = 0;

	if (!e->password && !e->user[0])
		return 0;
	/* a user of the list with "nopass" takes any password */
	r = e->user[0] ? ASK(e, c, &rc, err, "AUTH", e->user, e->password ? e->password : "")
		       : ASK(e, c, &rc, err, "AUTH", e->password);
	if (r)
		freeReplyObject(r);
	return rc;
}

int conn_open(struct engine *e, const char *name, bool sentinel, redisContext **ret_conn,
	      struct armada_error *err)
{
	struct timeval tv = {e->timeout_ms / 1000, e->timeout_ms % 1000 * 1000};
	char host[ARMADA_REPLICA_NAME_MAX + 1];
	int port = host_and_port(name, host), rc = 0;
	redisContext *c = redisConnectWithTimeout(host, port, tv);

	if (!c)
		return fail(err, -ENOMEM, "%s: out of memory", name);
	if (c->err) {
		rc = fail(err, -EAGAIN, "%s cannot be reached: %s", name, c->errstr);
		redisFree(c);
		return rc;
	}
	redisSetTimeout(c, tv);
	redisEnableKeepAlive(c);
	if (!sentinel)
		rc = authenticate(e, c, err);
	if (rc) {
		redisFree(c);
		return rc;
	}
	*ret_conn = c;
	return 0;
}

int conn_send(struct engine *e, redisContext *c, const struct command *cmd,
	      struct armada_error *err)
{
	(void)e;
	if (redisAppendCommandArgv(c, cmd->count, (const char **)cmd->arg, cmd->len) != REDIS_OK)
		return fail(err, -EAGAIN, "%s: %s", conn_name(c), c->errstr);
	return 0;
}

static const struct {
	const char *word;
	int code;
} errors[] = {
	{"WRONGPASS", -EACCES},   {"NOAUTH", -EACCES},
	{"NOPERM", -EACCES},      {"OOM", -ENOSPC},
	{"READONLY", -EAGAIN},    {"NOREPLICAS", -EAGAIN},
	{"LOADING", -EAGAIN},     {"MISCONF", -EAGAIN},
	{"MASTERDOWN", -EAGAIN},  {"BUSY", -EAGAIN},
	{"NOSCRIPT", -ENOEXEC},   {"UNBLOCKED", -EAGAIN},
	{"NOGOODSLAVE", -EAGAIN}, {"The user executing the script", -EACCES},
};

static int error_reply(const struct engine *e, const redisContext *c, const char *text,
		       struct armada_error *err)
{
	if (strncmp(text, "ERR invalid password", 20) == 0 || strncmp(text, "ERR AUTH", 8) == 0)
		return fail(err, -EACCES, "%s refuses the password: %s", conn_name(c), text);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		const char *at = strstr(text, errors[i].word);

		/* an error of a command in a script has the word further on in some releases */
		if (!at || (at != text && at[-1] != ' ' && at[-1] != '-'))
			continue;
		if (errors[i].code == -EACCES)
			return fail(err, -EACCES, "%s refuses user '%s': %s", conn_name(c), e->user,
				    text);
		if (errors[i].code == -ENOSPC)
			return fail(err, -ENOSPC,
				    "%s is out of memory (maxmemory), and has written nothing",
				    conn_name(c));
		return fail(err, errors[i].code, "%s: %s", conn_name(c), text);
	}
	return fail(err, -EIO, "%s: %s", conn_name(c), text);
}

/* Waits until the connection can be read. */
static int wait_input(struct engine *e, redisContext *c, int64_t until_us, struct armada_error *err)
{
	struct pollfd fds[] = {{.fd = c->fd, .events = POLLIN},
			       {.fd = e->wake_fd, .events = POLLIN}};
	int64_t left_ms = (until_us - now_us() + 999) / 1000;

	if (left_ms < 0 || poll(fds, 2, (int)left_ms) == 0)
		return fail(err, -EAGAIN, "%s does not answer", conn_name(c));
	if (fds[1].revents)
		return fail(err, -EINTR, "interrupted");
	return 0;
}

redisReply *conn_read(struct engine *e, redisContext *c, int timeout_ms, int *ret_rc,
		      struct armada_error *err)
{
	int64_t until_us = now_us() + timeout_ms * INT64_C(1000);
	void *reply = NULL;
	int done = 0, rc = 0;

	while (!done && !rc)
		if (redisBufferWrite(c, &done) != REDIS_OK)
			rc = fail(err, -EAGAIN, "%s: %s", conn_name(c), c->errstr);
	while (!rc && !reply) {
		if (redisGetReplyFromReader(c, &reply) != REDIS_OK)
			rc = fail(err, -EAGAIN, "%s: %s", conn_name(c), c->errstr);
		else if (!reply && (rc = wait_input(e, c, until_us, err)) == 0 &&
			 redisBufferRead(c) != REDIS_OK)
			rc = fail(err, -EAGAIN, "%s: %s", conn_name(c), c->errstr);
	}
	if (rc && !c->err)
		c->err = REDIS_ERR_OTHER; /* replies would be taken for those of other commands */
	if (!rc && ((redisReply *)reply)->type == REDIS_REPLY_ERROR) {
		rc = error_reply(e, c, ((redisReply *)reply)->str, err);
		freeReplyObject(reply);
		reply = NULL;
	}
	*ret_rc = rc;
	return rc ? NULL : reply;
}

redisReply *conn_call(struct engine *e, redisContext *c, const struct command *cmd, int *ret_rc,
		      struct armada_error *err)
{
	*ret_rc = conn_send(e, c, cmd, err);
	return *ret_rc ? NULL : conn_read(e, c, e->timeout_ms, ret_rc, err);
}

redisReply *conn_ask(struct engine *e, redisContext *c, int *ret_rc, struct armada_error *err,
		     size_t count, const char *const *words)
{
	struct command *cmd = calloc(1, sizeof(*cmd));
	redisReply *r;

	if (!cmd)
		abort();
	command_words(cmd, words, count);
	r = conn_call(e, c, cmd, ret_rc, err);
	free(cmd);
	return r;
}

const char *info_value(const char *info, const char *name)
{
	static _Thread_local char values[4][256];
	static _Thread_local int next;
	char *value = values[next++ % 4];
	size_t len = strlen(name);

	for (const char *line = info; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) != 0 || line[len] != ':')
			continue;
		snprintf(value, sizeof(values[0]), "%.*s", (int)strcspn(line + len + 1, "\r\n"),
			 line + len + 1);
		return value;
	}
	return "";
}
