/*
 * Runs the programs that say what others use of floating resources, without blocking the loop.
 *
 * Each resource has at most one running program, with a time limit. A program that fails, hangs or prints
 * anything but one whole number changes nothing; the reason is logged once, and passed on. The last number
 * is dropped after source_keep.
 */
#pragma once

#include "conf/types.h"

#include <stdint.h>

struct event_base;
struct floating_sources;
struct state;

/* outside: what others use; text: why the program has no answer, "" if it has. Borrowed for the call. */
typedef void outside_said(void *arg, const char *resource, int64_t outside, const char *text);

struct floating_sources *floating_sources_new(struct event_base *base, outside_said *said,
					      void *arg);
/* Running programs are killed; said is not called for them. */
void floating_sources_free(struct floating_sources *s);
/* Once a second for each resource: start its program if it is due. */
void floating_sources_poll(struct floating_sources *s, const struct conf_floating *f,
			   const struct state *state);
