/*
 * A few threads for what may block: auth plugins and the resolver.
 *
 * A task is run on one of the threads and then handed to done on the loop's thread. It owns all it
 * needs; nothing else is shared, so there is nothing to lock.
 */
#ifndef WIRE_WORKER_H
#define WIRE_WORKER_H

struct event_base;
struct workers;

struct task {
	void (*run)(struct task *t);  /* on a worker's thread */
	void (*done)(struct task *t); /* on the loop's thread; frees the task */
	void (*drop)(struct task *t); /* instead of done, when the workers end first */
	struct task *next;
};

/* Returns new workers; dies when the machine gives no threads. */
struct workers *workers_new(struct event_base *base, unsigned threads);
/* Lets running tasks end, drops the others. */
void workers_free(struct workers *w);
/* Takes the task. From the loop's thread. */
void workers_give(struct workers *w, struct task *t);

#endif
