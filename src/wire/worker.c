/*
 * A pool of threads for blocking work (worker.h). Input: tasks from the loop's thread. Output: the
 * call of `done` on the loop's thread. Two lists under one mutex hold the tasks that wait and those
 * that have ended; loop_notify wakes the loop.
 */
#include "wire/worker.h"

#include "util/mem.h"
#include "wire/loop_notify.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

STAILQ_HEAD(task_list, worker_task);

struct workers {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct task_list todo, finished;
	bool stop;
	struct loop_notify *notify; /* something is finished */
	unsigned count;
	pthread_t threads[];
};

static struct worker_task *take(struct task_list *list)
{
	struct worker_task *t = STAILQ_FIRST(list);

	if (t)
		STAILQ_REMOVE_HEAD(list, entry);
	return t;
}

static void *thread_main(void *arg)
{
	struct workers *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		struct worker_task *t = take(&w->todo);

		if (!t) {
			pthread_cond_wait(&w->wake, &w->lock);
			continue;
		}
		pthread_mutex_unlock(&w->lock);
		t->run(t);
		pthread_mutex_lock(&w->lock);
		STAILQ_INSERT_TAIL(&w->finished, t, entry);
		loop_notify_ring(w->notify);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void on_finished(void *arg)
{
	struct task_list list = STAILQ_HEAD_INITIALIZER(list);
	struct workers *w = arg;

	pthread_mutex_lock(&w->lock);
	STAILQ_CONCAT(&list, &w->finished);
	pthread_mutex_unlock(&w->lock);
	for (struct worker_task *t; (t = take(&list));)
		t->done(t);
}

struct workers *workers_new(struct event_base *base, unsigned threads)
{
	struct workers *w = xcalloc(1, sizeof(*w) + threads * sizeof(w->threads[0]));
	sigset_t all, old;

	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	STAILQ_INIT(&w->todo);
	STAILQ_INIT(&w->finished);
	w->notify = loop_notify_new(base, on_finished, w);
	/* signals are for the loop */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (w->count = 0; w->count < threads; w->count++) {
		if (pthread_create(&w->threads[w->count], NULL, thread_main, w))
			abort();
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return w;
}

void workers_free(struct workers *w)
{
	struct worker_task *t;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->wake);
	pthread_mutex_unlock(&w->lock);
	for (unsigned i = 0; i < w->count; i++)
		pthread_join(w->threads[i], NULL);
	while ((t = take(&w->finished)) || (t = take(&w->todo)))
		t->drop ? t->drop(t) : t->done(t);
	loop_notify_free(w->notify);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void workers_give(struct workers *w, struct worker_task *t)
{
	pthread_mutex_lock(&w->lock);
	STAILQ_INSERT_TAIL(&w->todo, t, entry);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}
