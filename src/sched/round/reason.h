/*
 * Why a job waits, in one line with its numbers.
 */
#pragma once

#include "sched/model/model.h"

struct sched;

/* A row of the catalogue (why.h), and the text. */
struct reason {
	enum sched_why why;
	const char *text;
};

/* A reason with a text as by arena_printf. */
#define reason_printf(a, why, ...) ((struct reason){(why), arena_printf((a), __VA_ARGS__)})

/* Why a gang of this shape does not fit now. found: members with room; NIL: not known. */
struct reason reason_blocked(struct sched *s, struct arena *a, uint32_t shape, uint32_t found);
/* Why a job with waiting elements is not ready. */
struct reason reason_unready(struct arena *a, const struct job *j);
/* Why a queue starts nothing. */
struct reason reason_closed(const struct queue *q);
