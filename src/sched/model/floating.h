/*
 * Floating resources: of the cluster, not of a node, such as licences.
 *
 * A job asks for an amount for each of its elements as a whole. It is in use from the start of the
 * element until its end, also while its tasks end. Totals may fall below the use: nothing starts
 * then until the use has fallen, too.
 */
#pragma once

#include "sched/limits.h"

#include <stddef.h>

struct model;
struct sched_config;
struct task;

struct floating {
	int64_t total[SCHED_RESOURCES], outside[SCHED_RESOURCES], used[SCHED_RESOURCES];
	/* The amounts that are reserved for queues. */
	struct floating_kept {
		char *queue;
		size_t resource;
		int64_t amount;
	} * reserved;
	size_t reserved_count;
	uint32_t *holders; /* the tasks that hold some */
	size_t holder_count, holder_cap;
	/* round: the text about the holders */
	const char *text[SCHED_RESOURCES];
	uint32_t text_round[SCHED_RESOURCES];
};

/* The task begins: it takes what its shape asks for. _give: it ends. */
void floating_take(struct model *m, struct task *t);
void floating_give(struct model *m, struct task *t);
/* A part of what the task holds is free. NULL: nothing is. */
void floating_give_part(struct model *m, struct task *t, const int64_t *amounts);
void floating_set_reserved(struct model *m, const struct sched_config *config);
void floating_done(struct model *m);
