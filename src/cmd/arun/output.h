/*
 * The output of tasks on its way to a descriptor of arun.
 *
 * The text of each task waits in a task_output until the sink of the descriptor takes it. The
 * window of the stream bounds the amount. Output of several tasks is passed on in whole lines, with
 * the rank before each line if labels are wanted; output of a single task is passed on as it
 * arrives.
 */
#pragma once

#include "util/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* One stream of one task. */
struct task_output {
	struct buf text;
	size_t searched; /* this much of text has no newline */
	bool ended;      /* no more text will be added */
};

struct sink {
	int fd;
	bool lines, label;
	int width;      /* of a label's number */
	size_t at_once; /* a longer write may block */
	struct buf out; /* refilled when all of it is written */
	size_t written; /* of out */
	bool broken;    /* the reader has closed: drop everything */
};

void sink_init(struct sink *s, int fd, uint32_t tasks, bool label);
void sink_done(struct sink *s);

/* Whether sink_fill() would take text. full: the task cannot send more until some is taken. */
bool task_output_ready(struct task_output *p, const struct sink *s, bool full);
/* Moves text to the sink; returns the number of bytes of the task that were taken. */
size_t sink_fill(struct sink *s, struct task_output *p, uint32_t rank, bool full);
/* Writes once; call it when the descriptor is ready. 0, or -EPIPE if the reader has closed. */
int sink_write(struct sink *s);
