/*
 * A bell that any thread may ring and the loop hears.
 *
 * Rings that arrive before the loop gets to them are one: on_ring must look at everything that may
 * have happened. Borrows the base.
 */
#ifndef ARMCTLD_WAKE_H
#define ARMCTLD_WAKE_H

struct event_base;
struct wake;

struct wake *wake_new(struct event_base *base, void (*on_ring)(void *arg), void *arg);
void wake_free(struct wake *w);
/* From any thread. */
void wake_ring(struct wake *w);

#endif
