#include "core/txn/reply.h"

#include "core/txn/effects.h"
#include "util/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void reply(struct txn *txn, enum msg_type type, const void *message)
{
	effect_send(txn, txn->in->conn, txn->in->request, type, message);
}

void reply_ok(struct txn *txn, const char *fmt, ...)
{
	Armada__OkReply m = ARMADA__OK_REPLY__INIT;
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text[utf8_whole(text, strlen(text))] = '\0'; /* do not cut within a character */
	m.text = text;
	reply(txn, MSG_OK, &m);
}

void reply_refuse(struct txn *txn, int code, const char *fmt, ...)
{
	Armada__ErrorReply m = ARMADA__ERROR_REPLY__INIT;
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text[utf8_whole(text, strlen(text))] = '\0';
	m.code = code;
	m.text = text;
	reply(txn, MSG_ERROR, &m);
}
