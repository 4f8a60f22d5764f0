/* Connections to servers, commands and replies. */
#pragma once

#include "redis.h"

/* A command that is put together; texts are borrowed until it is sent. */
enum { ARGS_MAX = 640, NUMBERS_MAX = 40 };
struct command {
	const char *arg[ARGS_MAX];
	size_t len[ARGS_MAX];
	int count;
	char number[NUMBERS_MAX][24];
	int numbers;
};

void command_text(struct command *c, const char *text);
void command_blob(struct command *c, const void *data, size_t len);
void command_u64(struct command *c, uint64_t v);
/* Begins with these words, which are separated by spaces; the text is not copied, so it is a constant. */
void command_words(struct command *c, const char *const *words, size_t count);

/* Connects and authenticates. name: host:port. Sentinels take no password of ours. */
int conn_open(struct engine *e, const char *name, bool sentinel, redisContext **ret_conn,
	      struct armada_error *err);
int conn_send(struct engine *e, redisContext *c, const struct command *cmd,
	      struct armada_error *err);
/*
 * The next reply, which the caller frees. An error reply becomes an error, and NULL: *ret_rc says which.
 * -EAGAIN after a reply that never came: the connection is of no use.
 */
redisReply *conn_read(struct engine *e, redisContext *c, int timeout_ms, int *ret_rc,
		      struct armada_error *err);
redisReply *conn_call(struct engine *e, redisContext *c, const struct command *cmd, int *ret_rc,
		      struct armada_error *err);
/* The same for words. */
redisReply *conn_ask(struct engine *e, redisContext *c, int *ret_rc, struct armada_error *err,
		     size_t count, const char *const *words);
#define ASK(e, c, rc, err, ...)                                                                    \
	conn_ask(e, c, rc, err, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),       \
		 (const char *const[]){__VA_ARGS__})
/* Waits for this time, or until an interrupt. False: interrupted. */
bool engine_sleep(struct engine *e, int ms);
/*
 * The value of a line name:value in the answer of INFO; "" if there is none. Valid until the fourth later
 * call.
 */
const char *info_value(const char *info, const char *name);
const char *conn_name(const redisContext *c);
