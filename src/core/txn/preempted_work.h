/*
 * The work that rounds ended by preemptions, by queue: the run time of preempted elements times their part of
 * the cluster, in seconds of the whole cluster. It is lost unless the jobs save it.
 *
 * The first PREEMPTED_QUEUES queues that lose work have a count of their own until the controller ends, and
 * all others have one together. So each count only grows.
 */
#pragma once

#include <stddef.h>

enum { PREEMPTED_QUEUES = 50 };

struct preempted_work {
	struct {
		char *queue;
		double cluster_s;
	} list[PREEMPTED_QUEUES];
	size_t count;
	double others_s; /* of all further queues */
};

/* O(PREEMPTED_QUEUES). */
void preempted_work_add(struct preempted_work *w, const char *queue, double cluster_s);
void preempted_work_done(struct preempted_work *w);
