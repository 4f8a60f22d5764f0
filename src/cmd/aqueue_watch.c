/*
 * Waits for changes of a listing (aqueue_watch.h). Input: rows of jobs, and the filter. Output: the time to
 * list again. The sets are followed on one connection, from the present on; it is opened again when the rows
 * have other sets. Caveats: of very many sets only the first are followed. While a set of the rows may not be
 * watched, the listing is made again at intervals.
 */
#include "cmd/aqueue_watch.h"

#include "client/events.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

enum { SETS_MAX = 100, LEAST_MS = 1000, MOST_MS = 60000, EMPTY_MS = 10000 };

struct set_name {
	char *queue, *job_set;
};

struct aqueue_watch {
	struct connection *c;
	struct events *events; /* NULL: no set is followed */
	struct set_name sets[SETS_MAX];
	size_t count;
	int64_t last_ms;
};

struct aqueue_watch *aqueue_watch_new(void)
{
	return xcalloc(1, sizeof(struct aqueue_watch));
}

static void forget(struct aqueue_watch *w)
{
	events_free(w->events);
	connection_free(w->c);
	w->events = NULL;
	w->c = NULL;
	for (size_t i = 0; i < w->count; i++) {
		free(w->sets[i].queue);
		free(w->sets[i].job_set);
	}
	w->count = 0;
}

void aqueue_watch_free(struct aqueue_watch *w)
{
	if (!w)
		return;
	forget(w);
	free(w);
}

static bool has_set(const struct aqueue_watch *w, const char *queue, const char *job_set)
{
	for (size_t i = 0; i < w->count; i++)
		if (strcmp(w->sets[i].queue, queue) == 0 &&
		    strcmp(w->sets[i].job_set, job_set) == 0)
			return true;
	return false;
}

static void add_set(struct aqueue_watch *w, const char *queue, const char *job_set)
{
	if (w->count == SETS_MAX || has_set(w, queue, job_set))
		return;
	w->sets[w->count++] = (struct set_name){xstrdup(queue), xstrdup(job_set)};
}

/* True if all sets of the rows are followed, as far as there may be more. */
static bool follows(const struct aqueue_watch *w, const struct job_rows *found)
{
	if (!w->events)
		return false;
	for (size_t i = 0; i < found->count && w->count < SETS_MAX; i++)
		if (!has_set(w, found->list[i].row->queue, found->list[i].row->job_set))
			return false;
	return true;
}

static int open_sets(struct aqueue_watch *w, struct err *err)
{
	int rc = connection_new(&w->c, NULL, err);

	if (rc < 0)
		return rc;
	w->events = events_new(w->c);
	for (size_t i = 0; i < w->count; i++)
		events_add(w->events, &(struct events_set){.queue = w->sets[i].queue,
							   .job_set = w->sets[i].job_set,
							   .new_only = true});
	return events_open(w->events, err);
}

static void follow(struct aqueue_watch *w, const struct filter *f, const struct job_rows *found)
{
	const Armada__JobFilter *m = &f->message;
	struct err why;

	forget(w);
	for (size_t i = 0; i < found->count; i++)
		add_set(w, found->list[i].row->queue, found->list[i].row->job_set);
	for (size_t q = 0; q < m->n_queues && !found->count; q++)
		for (size_t s = 0; s < m->n_job_sets; s++)
			add_set(w, m->queues[q], m->job_sets[s]);
	if (w->count && open_sets(w, &why) < 0)
		forget(w);
}

/* All events that have come. True: there was one. */
static bool drain(struct aqueue_watch *w, int timeout_ms)
{
	const Armada__JobEvent *ev;
	bool any = false;
	struct err err;
	size_t set;
	int rc;

	while ((rc = events_next(w->events, any ? 0 : timeout_ms, &ev, &set, &err)) == 0)
		any = true;
	if (rc != -ETIMEDOUT) { /* a set was forgotten: begin again */
		forget(w);
		any = true;
	}
	return any;
}

int aqueue_watch_wait(struct aqueue_watch *w, const struct filter *f, const struct job_rows *found,
		      struct err *err)
{
	int64_t rest_ms;

	(void)err;
	if (!follows(w, found)) {
		follow(w, f, found);
		if (w->events) { /* list what happened before they were followed */
			sleep_ms(LEAST_MS / 4);
			return 0;
		}
	}
	if (w->events)
		drain(w, MOST_MS);
	else
		sleep_ms(EMPTY_MS);
	rest_ms = w->last_ms + LEAST_MS - steady_ms();
	if (rest_ms > 0)
		sleep_ms(rest_ms);
	w->last_ms = steady_ms();
	return 0;
}
