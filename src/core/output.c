/* What one input yields: events into the record, effects for the shell. */
#include "core/depend.h"
#include "core/fold.h"
#include "util/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct effect *effect_add(struct core *c, enum effect_kind kind)
{
	struct effect *e;

	GROW(c->effects, c->effect_cap, c->effect_count + 1);
	e = &c->effects[c->effect_count++];
	*e = (struct effect){.kind = kind};
	return e;
}

void effect_send(struct core *c, uint64_t conn, uint32_t request, enum msg_type type,
		 const void *message)
{
	struct buf packed CLEANUP_BUF = {0};
	struct effect *e = effect_add(c, EFFECT_SEND);

	msg_pack(message, &packed);
	e->conn = conn;
	e->request = request;
	e->type = type;
	e->body = arena_memdup(c->arena, packed.data, packed.len);
	e->len = packed.len;
}

void effect_log(struct core *c, int level, const char *fmt, ...)
{
	char text[512];
	struct effect *e = effect_add(c, EFFECT_LOG);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	e->level = level;
	e->text = arena_strdup(c->arena, text);
}

Armada__Event *event_make(struct core *c, Armada__Event__KindCase kind, void *ret_message)
{
	Armada__Event *ev = arena_alloc(c->arena, sizeof(*ev));
	const ProtobufCFieldDescriptor *f =
		protobuf_c_message_descriptor_get_field(&armada__event__descriptor, kind);
	const ProtobufCMessageDescriptor *d = f->descriptor;
	void *m = arena_alloc(c->arena, d->sizeof_message);

	armada__event__init(ev);
	d->message_init(m);
	ev->kind_case = kind;
	ev->cluster_made = m; /* the members of the oneof share their place */
	*(void **)ret_message = m;
	return ev;
}

void emit(struct core *c, Armada__Event *ev)
{
	struct err err;
	int rc;

	if (!c->event_count)
		keys_expire(c);
	follow_event(c, ev);
	GROW(c->events, c->event_cap, c->event_count + 1);
	c->events[c->event_count++] = ev;
	rc = fold_event(c, ev, &err);
	if (rc < 0)
		effect_log(c, 3, "internal: an event does not fit the state: %s", err.text);
	assert(rc == 0);
}
