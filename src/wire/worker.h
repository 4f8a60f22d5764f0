/*
 * Threads for blocking work: auth plugins, the resolver, look-ups of users, reading armada.conf.
 *
 * A task runs on one of the threads; then done is called on the loop's thread. The task owns all its data.
 * Nothing else is shared, so no locks are needed.
 */
#pragma once

#include <sys/queue.h>

struct event_base;
struct workers;

struct worker_task {
	void (*run)(struct worker_task *t);  /* on a worker's thread */
	void (*done)(struct worker_task *t); /* on the loop's thread; frees the task */
	/* called instead of done if the workers end first; NULL: done */
	void (*drop)(struct worker_task *t);
	STAILQ_ENTRY(worker_task) entry;
};

/* Returns new workers; aborts if no thread can be created. */
struct workers *workers_new(struct event_base *base, unsigned threads);
/* Waits for running tasks, drops those that have ended and then those that have not begun. */
void workers_free(struct workers *w);
/* Takes the task. From the loop's thread. */
void workers_give(struct workers *w, struct worker_task *t);
