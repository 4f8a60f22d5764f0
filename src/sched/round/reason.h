/*
 * Why a job waits, in one line with its numbers.
 */
#pragma once

#include "sched/model/model.h"

struct sched;

/* From the catalogue, and in words. */
struct reason {
	enum sched_why why;
	const char *text;
};

/* With a text as by arena_printf, in the arena. */
#define reason_printf(a, why, ...) ((struct reason){(why), arena_printf((a), __VA_ARGS__)})

/* Why a gang of this shape does not fit now, in the arena. found: members with room, or NIL. */
struct reason reason_blocked(struct sched *s, struct arena *a, uint32_t shape, uint32_t found);
/* Why a job that has something to wait for is not ready. */
struct reason reason_unready(struct arena *a, const struct job *j);
/* Why a queue starts nothing. */
struct reason reason_closed(const struct queue *q);
/* "in at most 1h 20m": rounded up, more so the longer it is. */
void reason_format_wait(int64_t us, char *out, size_t size);
