/*
 * A bell that any thread may ring and the loop hears.
 *
 * Rings that arrive before the loop gets to them are one: on_ring must look at everything that may
 * have happened. Borrows the base.
 */
#pragma once

struct event_base;
struct loop_notify;

struct loop_notify *loop_notify_new(struct event_base *base, void (*on_ring)(void *arg), void *arg);
void loop_notify_free(struct loop_notify *w);
/* From any thread. */
void loop_notify_ring(struct loop_notify *w);
