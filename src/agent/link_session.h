/*
 * The session of a link with a controller: effects for the shell, and the pauses before it dials
 * again.
 */
#pragma once

#include "agent/link_state.h"

struct link_effect *link_effect_add(struct link_effects *out, enum link_effect_kind kind);
void link_log(struct link_effects *out, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void link_send(struct link *l, enum msg_type type, const void *message, struct link_effects *out);
/* Close the session, if any, and dial again later. */
void link_give_up(struct link *l, int64_t now_us, struct link_effects *out, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The session is closed already. */
void link_dial_later(struct link *l, int64_t now_us);
