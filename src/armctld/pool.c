#include "armctld/pool.h"
#include "armctld/wake.h"
#include "util/mem.h"

#include <pthread.h>
#include <stdbool.h>

struct item {
	struct item *next;
	void (*work)(void *arg);
	void (*done)(void *arg);
	void *arg;
};

struct queue {
	struct item *head, **tail;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct queue todo, ended; /* under lock */
	bool stopping;            /* under lock */
	struct wake *wake;
	pthread_t *threads;
	unsigned thread_count;
};

static void put(struct queue *q, struct item *it)
{
	it->next = NULL;
	*q->tail = it;
	q->tail = &it->next;
}

static struct item *take(struct queue *q)
{
	struct item *it = q->head;

	if (!it)
		return NULL;
	q->head = it->next;
	if (!q->head)
		q->tail = &q->head;
	return it;
}

static void *worker(void *arg)
{
	struct pool *p = arg;
	struct item *it;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (!p->stopping && !p->todo.head)
			pthread_cond_wait(&p->more, &p->lock);
		if (p->stopping)
			break;
		it = take(&p->todo);
		pthread_mutex_unlock(&p->lock);
		it->work(it->arg);
		pthread_mutex_lock(&p->lock);
		put(&p->ended, it);
		wake_ring(p->wake);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void finish(struct pool *p, struct queue *q)
{
	struct item *it;

	for (;;) {
		pthread_mutex_lock(&p->lock);
		it = take(q);
		pthread_mutex_unlock(&p->lock);
		if (!it)
			return;
		it->done(it->arg);
		free(it);
	}
}

static void on_ring(void *arg)
{
	struct pool *p = arg;

	finish(p, &p->ended);
}

struct pool *pool_new(struct event_base *base, unsigned threads)
{
	struct pool *p = xcalloc(1, sizeof(*p));

	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->more, NULL);
	p->todo.tail = &p->todo.head;
	p->ended.tail = &p->ended.head;
	p->wake = wake_new(base, on_ring, p);
	p->threads = xcalloc(threads, sizeof(*p->threads));
	for (; p->thread_count < threads; p->thread_count++)
		if (pthread_create(&p->threads[p->thread_count], NULL, worker, p))
			abort();
	return p;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stopping = true;
	pthread_cond_broadcast(&p->more);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->thread_count; i++)
		pthread_join(p->threads[i], NULL);
	finish(p, &p->ended);
	finish(p, &p->todo);
	wake_free(p->wake);
	pthread_cond_destroy(&p->more);
	pthread_mutex_destroy(&p->lock);
	free(p->threads);
	free(p);
}

void pool_run(struct pool *p, void (*work)(void *arg), void (*done)(void *arg), void *arg)
{
	struct item *it = xcalloc(1, sizeof(*it));

	it->work = work;
	it->done = done;
	it->arg = arg;
	pthread_mutex_lock(&p->lock);
	put(&p->todo, it);
	pthread_cond_signal(&p->more);
	pthread_mutex_unlock(&p->lock);
}
