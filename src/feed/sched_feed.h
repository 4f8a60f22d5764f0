/*
 * The scheduler's picture, kept up to date by folding the same records as everyone else.
 *
 * Runs on the scheduler's thread: it touches the sched and the record only.
 */
#pragma once

#include "proto/msg.h"
#include "sched/sched.h"

struct mirror;

/* Resources the mirror knows, in the sched's order. s is borrowed. */
struct mirror *mirror_new(struct sched *s, const char *const *resources, size_t resource_count);
void mirror_free(struct mirror *m);
struct core;
/* Bring a fresh mirror up to date with this state; later records follow through mirror_apply. */
void mirror_fill(struct mirror *m, const struct core *c);
void mirror_apply(struct mirror *m, const Armada__Record *record);
