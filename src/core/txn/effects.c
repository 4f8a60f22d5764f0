/*
 * Adding effects to the input that is handled.
 *
 * Input: what a handler wants to happen. Output: entries in txn->effects, in the order of the
 * calls, which is the order in which the shell carries them out. Messages are packed at once, so a
 * handler may change or free a message after the call. Caveats: a pointer to an effect is valid
 * only until the next effect is added, because the array may move. spec_open() keeps only the spec
 * that was unpacked last.
 */
#include "core/txn/effects.h"

#include "util/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct effect *effect_add(struct txn *txn, enum effect_kind kind)
{
	struct effect *e;

	GROW(txn->effects, txn->effect_cap, txn->effect_count + 1);
	e = &txn->effects[txn->effect_count++];
	*e = (struct effect){.kind = kind};
	return e;
}

static struct effect *add_packed(struct txn *txn, enum effect_kind kind, uint64_t conn,
				 uint32_t request, enum msg_type type, const void *message)
{
	struct buf packed CLEANUP_BUF = {0};
	struct effect *e = effect_add(txn, kind);

	msg_pack(message, &packed);
	e->conn = conn;
	e->request = request;
	e->type = type;
	e->body = arena_memdup(txn->arena, packed.data, packed.len);
	e->len = packed.len;
	return e;
}

struct effect *effect_later(struct txn *txn, enum effect_kind kind)
{
	struct effect *e = effect_add(txn, kind);

	e->conn = txn->in->conn;
	e->request = txn->in->request;
	return e;
}

struct effect *effect_later_with(struct txn *txn, enum effect_kind kind, enum msg_type type,
				 const void *message)
{
	return add_packed(txn, kind, txn->in->conn, txn->in->request, type, message);
}

void effect_close(struct txn *txn, uint64_t conn, const char *text)
{
	struct effect *e = effect_add(txn, EFFECT_CLOSE);

	e->conn = conn;
	e->text = text;
}

void effect_send(struct txn *txn, uint64_t conn, uint32_t request, enum msg_type type,
		 const void *message)
{
	add_packed(txn, EFFECT_SEND, conn, request, type, message);
}

static const char *dup(struct txn *txn, const char *text)
{
	return text && *text ? arena_strdup(txn->arena, text) : NULL;
}

void effect_log_about(struct txn *txn, struct log_from from, int level,
		      const struct log_about *about, const char *fmt, ...)
{
	char text[512];
	struct effect *e = effect_add(txn, EFFECT_LOG);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	e->conn = txn->in->kind == INPUT_MESSAGE ? txn->in->conn : 0;
	e->level = level;
	e->text = arena_strdup(txn->arena, text);
	e->from = from;
	if (about)
		e->about = (struct log_about){about->job, dup(txn, about->node),
					      dup(txn, about->queue), dup(txn, about->user)};
}

const Armada__JobSpec *spec_open(const struct txn *txn, const struct spec *s, struct arena *a)
{
	struct opened_spec *o = txn->opened;

	if (a != txn->arena)
		return spec_unpack(s, a);
	if (o->spec != s || memcmp(o->hash, s->hash, HASH_SIZE) != 0) {
		o->message = spec_unpack(s, a);
		o->spec = s;
		memcpy(o->hash, s->hash, HASH_SIZE);
	}
	return o->message;
}
