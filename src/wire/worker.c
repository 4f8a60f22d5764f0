#include "wire/worker.h"

#include "util/mem.h"
#include "wire/loop_notify.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

struct queue {
	struct worker_task *first, **end;
};

struct workers {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct queue todo, finished;
	bool stop;
	struct loop_notify *notify; /* something is finished */
	unsigned count;
	pthread_t threads[];
};

static void queue_init(struct queue *q)
{
	q->first = NULL;
	q->end = &q->first;
}

static void queue_put(struct queue *q, struct worker_task *t)
{
	t->next = NULL;
	*q->end = t;
	q->end = &t->next;
}

static struct worker_task *queue_get(struct queue *q)
{
	struct worker_task *t = q->first;

	if (t) {
		q->first = t->next;
		if (!q->first)
			q->end = &q->first;
	}
	return t;
}

static void *thread_main(void *arg)
{
	struct workers *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		struct worker_task *t = queue_get(&w->todo);

		if (!t) {
			pthread_cond_wait(&w->wake, &w->lock);
			continue;
		}
		pthread_mutex_unlock(&w->lock);
		t->run(t);
		pthread_mutex_lock(&w->lock);
		queue_put(&w->finished, t);
		loop_notify_ring(w->notify);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void on_finished(void *arg)
{
	struct workers *w = arg;
	struct worker_task *t, *next;

	pthread_mutex_lock(&w->lock);
	t = w->finished.first;
	queue_init(&w->finished);
	pthread_mutex_unlock(&w->lock);
	for (; t; t = next) {
		next = t->next;
		t->done(t);
	}
}

struct workers *workers_new(struct event_base *base, unsigned threads)
{
	struct workers *w = xcalloc(1, sizeof(*w) + threads * sizeof(w->threads[0]));
	sigset_t all, old;

	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	queue_init(&w->todo);
	queue_init(&w->finished);
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
	while ((t = queue_get(&w->finished)) || (t = queue_get(&w->todo)))
		t->drop ? t->drop(t) : t->done(t);
	loop_notify_free(w->notify);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void workers_give(struct workers *w, struct worker_task *t)
{
	pthread_mutex_lock(&w->lock);
	queue_put(&w->todo, t);
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}
