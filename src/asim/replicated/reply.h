/* Replies as hiredis gives them; the caller owns a new one. */
#pragma once

#include "asim/replicated/data.h"

#include <hiredis.h>

redisReply *reply_new(int type);
redisReply *reply_status(const char *text);
redisReply *reply_error(const char *text);
redisReply *reply_text(const char *data, size_t len);
redisReply *reply_blob(const struct blob *b); /* NULL: nil */
redisReply *reply_number(int64_t n);
redisReply *reply_array(size_t count);
/* Fields and values in turn. */
redisReply *reply_hash(const struct hash *h);
