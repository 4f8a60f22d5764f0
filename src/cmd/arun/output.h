/*
 * What tasks write, on its way to one of our own descriptors.
 *
 * Each task's text waits in a spout until the descriptor takes it; how much may wait there is up to
 * the stream's window. Of several tasks whole lines are passed on, each with its rank before it if
 * asked; of one, bytes as they come.
 */
#pragma once

#include "util/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* One stream of one task. */
struct task_output {
	struct buf text;
	size_t searched; /* of text: no newline in it */
	bool ended;      /* nothing will be added */
};

struct sink {
	int fd;
	bool lines, label;
	int width;      /* of a label's number */
	size_t at_once; /* a write of more may block */
	struct buf out; /* refilled when all of it is written */
	size_t written; /* of out */
	bool broken;    /* nobody reads there: drop everything */
};

void sink_init(struct sink *s, int fd, uint32_t tasks, bool label);
void sink_done(struct sink *s);

/* Is there something that sink_fill would take? full: the task may not send more until it is. */
bool task_output_ready(struct task_output *p, const struct sink *s, bool full);
/* Move it; returns how many of the task's bytes have gone. */
size_t sink_fill(struct sink *s, struct task_output *p, uint32_t rank, bool full);
/* Write once; call it when the descriptor is ready. 0, or -EPIPE when it has just broken. */
int sink_write(struct sink *s);
