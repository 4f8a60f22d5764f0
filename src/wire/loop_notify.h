/*
 * Notification of the loop by any thread.
 *
 * Notifications before the loop handles them are combined into one, so on_ring must check everything that
 * may have happened. The base is borrowed.
 */
#pragma once

struct event_base;
struct loop_notify;

struct loop_notify *loop_notify_new(struct event_base *base, void (*on_ring)(void *arg), void *arg);
void loop_notify_free(struct loop_notify *w);
/* From any thread. */
void loop_notify_ring(struct loop_notify *w);
