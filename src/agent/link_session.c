#include "agent/link_session.h"

#include <stdarg.h>
#include <stdio.h>

struct link_effect *link_effect_add(struct link_effects *out, enum link_effect_kind kind)
{
	out->list = arena_grow(out->arena, out->list, &out->cap, out->count, sizeof(*out->list));
	out->list[out->count] = (struct link_effect){.kind = kind};
	return &out->list[out->count++];
}

__attribute__((format(printf, 2, 0))) static char *text_in(struct arena *arena, const char *fmt,
							   va_list ap)
{
	char text[512];

	vsnprintf(text, sizeof(text), fmt, ap);
	return arena_strdup(arena, text);
}

void link_log(struct link_effects *out, int level, const char *fmt, ...)
{
	struct link_effect *x = link_effect_add(out, LINK_LOG);
	va_list ap;

	va_start(ap, fmt);
	x->level = level;
	x->text = text_in(out->arena, fmt, ap);
	va_end(ap);
}

void link_send(struct link *l, enum msg_type type, const void *message, struct link_effects *out)
{
	struct link_effect *x = link_effect_add(out, LINK_SEND);

	x->session = l->session;
	x->type = type;
	x->message = message;
}

/* Between half of max_us and all of it: xorshift, seeded by the shell. */
static int64_t jitter(struct link *l, int64_t max_us)
{
	l->random ^= l->random << 13;
	l->random ^= l->random >> 7;
	l->random ^= l->random << 17;
	return max_us / 2 + (int64_t)(l->random % (uint64_t)(max_us / 2 + 1));
}

/* Dial the next address soon; after a round over all addresses, after a pause that doubles. */
void link_dial_later(struct link *l, int64_t now_us)
{
	int64_t pause_us = l->config.reconnect_min_us;

	if (l->state != LINK_OPEN) {
		l->address = (l->address + 1) % l->config.address_count;
		if (l->address == 0)
			l->failures++;
		if (l->address == 0)
			l->named = false;
		if (l->address == 0)
			for (unsigned i = 1;
			     i < l->failures && pause_us < l->config.reconnect_max_us; i++)
				pause_us *= 2;
	}
	if (pause_us > l->config.reconnect_max_us)
		pause_us = l->config.reconnect_max_us;
	l->state = LINK_WAITING;
	l->due_us = now_us + jitter(l, pause_us);
}

void link_give_up(struct link *l, int64_t now_us, struct link_effects *out, const char *fmt, ...)
{
	struct link_effect *x = link_effect_add(out, LINK_CLOSE);
	va_list ap;

	va_start(ap, fmt);
	x->session = l->session;
	x->text = text_in(out->arena, fmt, ap);
	va_end(ap);
	link_log(out, LOG_WARN, "controller %s: %s", l->config.addresses[l->address], x->text);
	link_dial_later(l, now_us);
}
