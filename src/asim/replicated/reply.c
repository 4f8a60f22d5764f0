/* Building and freeing of replies (reply.h). */
#include "asim/replicated/reply.h"

#include <string.h>

redisReply *reply_new(int type)
{
	redisReply *r = xcalloc(1, sizeof(*r));

	r->type = type;
	return r;
}

static redisReply *with_text(int type, const char *data, size_t len)
{
	redisReply *r = reply_new(type);

	r->str = xmalloc(len + 1);
	if (len)
		memcpy(r->str, data, len);
	r->str[len] = '\0';
	r->len = len;
	return r;
}

redisReply *reply_status(const char *text)
{
	return with_text(REDIS_REPLY_STATUS, text, strlen(text));
}

redisReply *reply_error(const char *text)
{
	return with_text(REDIS_REPLY_ERROR, text, strlen(text));
}

redisReply *reply_text(const char *data, size_t len)
{
	return with_text(REDIS_REPLY_STRING, data, len);
}

redisReply *reply_blob(const struct blob *b)
{
	return b ? reply_text(b->data, b->len) : reply_new(REDIS_REPLY_NIL);
}

redisReply *reply_number(int64_t n)
{
	redisReply *r = reply_new(REDIS_REPLY_INTEGER);

	r->integer = n;
	return r;
}

redisReply *reply_array(size_t count)
{
	redisReply *r = reply_new(REDIS_REPLY_ARRAY);

	r->elements = count;
	r->element = count ? xcalloc(count, sizeof(redisReply *)) : NULL;
	return r;
}

redisReply *reply_hash(const struct hash *h)
{
	redisReply *r = reply_array(h->count * 2);

	for (size_t i = 0; i < h->count; i++) {
		r->element[2 * i] = reply_text(h->fields[i].name, strlen(h->fields[i].name));
		r->element[2 * i + 1] = reply_blob(&h->fields[i].value);
	}
	return r;
}

/* The plugin calls it. */
__attribute__((visibility("default"))) void freeReplyObject(void *reply)
{
	redisReply *r = reply;

	if (!r)
		return;
	for (size_t i = 0; i < r->elements; i++)
		freeReplyObject(r->element[i]);
	free(r->element);
	free(r->str);
	free(r);
}
