/*
 * A few threads for what may block: auth plugins, the resolver, look-ups of users, reading armada.conf.
 *
 * A task is run on one of the threads and then handed to done on the loop's thread. It owns all it
 * needs; nothing else is shared, so there is nothing to lock.
 */
#pragma once

#include <sys/queue.h>

struct event_base;
struct workers;

struct worker_task {
	void (*run)(struct worker_task *t);  /* on a worker's thread */
	void (*done)(struct worker_task *t); /* on the loop's thread; frees the task */
	/* instead of done, when the workers end first; NULL: done */
	void (*drop)(struct worker_task *t);
	STAILQ_ENTRY(worker_task) entry;
};

/* Returns new workers; dies when the machine gives no threads. */
struct workers *workers_new(struct event_base *base, unsigned threads);
/* Lets running tasks end, drops those that have ended and then those that have not begun. */
void workers_free(struct workers *w);
/* Takes the task. From the loop's thread. */
void workers_give(struct workers *w, struct worker_task *t);
