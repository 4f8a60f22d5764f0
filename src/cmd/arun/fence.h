/*
 * The fences of a step whose tasks are ranks of an mpi plugin (armada/mpi.h).
 *
 * In a fence each rank hands over data and gets the data of all ranks, in the order of the ranks, when the
 * last one has arrived. arun does not look into the data. A step ends as a whole: when a rank aborts, when a
 * rank ends that others wait for or may wait for, and when the connection to a rank is lost. Then arun prints
 * the reason and the rank, and its exit code is that of the rank.
 */
#pragma once

#include "cmd/arun/links.h"

struct run;

struct fence {
	uint32_t arrived, gone; /* tasks that wait in the fence; tasks that have ended */
	const struct run_task *first_gone;
	int gone_code;     /* of that task */
	struct buf merged; /* of the last fence */
	bool over;         /* the step ends */
	int code;          /* the exit code of the step, when it is over */
	int64_t over_ms;
};

/* Tells the tasks on which nodes they are, before BEGIN. */
void fence_send_nodes(struct run *r);
/* A frame FENCE; false if the task may not send it. */
bool fence_receive(struct run *r, struct run_task *t, const struct stream_frame *f);
void fence_abort(struct run *r, struct run_task *t, const struct stream_frame *f);
/* Gives the task the next part of the data of all, as its connection takes it. */
void fence_feed(struct run *r, struct run_task *t);
/* A task has ended with this exit code; its connection was lost. */
void fence_task_gone(struct run *r, struct run_task *t, int code);
void fence_task_lost(struct run *r, struct run_task *t);
