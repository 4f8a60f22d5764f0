/*
 * libarmada: job events (armada_events_* of <armada/events.h>). An event with several ranges of elements is
 * returned once for each range.
 */
#include <armada/events.h>

#include "client/events.h"
#include "proto/job_event_table.h"
#include "util/hostlist.h"
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct armada_events {
	struct connection *c;
	struct events *events;
	const Armada__JobEvent
		*event; /* its ranges from `range` on are to be returned; NULL: none */
	size_t range, set;
};

static int return_error(struct armada_error *to, const struct err *from, int rc)
{
	if (to && rc < 0)
		snprintf(to->text, sizeof(to->text), "%s", from->text);
	return rc;
}

void armada_events_close(struct armada_events *e)
{
	if (!e)
		return;
	events_free(e->events);
	connection_free(e->c);
	free(e);
}

static int make(struct armada_events **ret, const char *conf_file, struct err *err)
{
	struct armada_events *e = xcalloc(1, sizeof(*e));
	int rc = connection_new(&e->c, conf_file, err);

	if (rc < 0) {
		free(e);
		return rc;
	}
	e->events = events_new(e->c);
	*ret = e;
	return 0;
}

static int finish(struct armada_events *e, int rc, struct armada_events **ret, struct err *why,
		  struct armada_error *err)
{
	if (rc == 0)
		rc = events_open(e->events, why);
	if (rc < 0) {
		armada_events_close(e);
		return return_error(err, why, rc);
	}
	*ret = e;
	return 0;
}

int armada_events_open(struct armada_events **ret_events, const char *conf_file, const char *queue,
		       const char *job_set, uint64_t from, struct armada_error *err)
{
	struct events_set set = {
		.queue = queue ? queue : "",
		.job_set = job_set ? job_set : "",
		.from = from == ARMADA_EVENTS_NEW ? 0 : from,
		.new_only = from == ARMADA_EVENTS_NEW,
	};
	struct armada_events *e;
	struct err why = {0};
	int rc = make(&e, conf_file, &why);

	if (rc < 0)
		return return_error(err, &why, rc);
	events_add(e->events, &set);
	return finish(e, 0, ret_events, &why, err);
}

int armada_events_open_jobs(struct armada_events **ret_events, const char *conf_file,
			    const uint64_t *jobs, size_t count, struct armada_error *err)
{
	struct armada_events *e;
	struct err why = {0};
	int rc = make(&e, conf_file, &why);

	if (rc < 0)
		return return_error(err, &why, rc);
	rc = count ? events_add_jobs(e->events, jobs, count, &why)
		   : err_set(&why, -EINVAL, "no jobs are given");
	return finish(e, rc, ret_events, &why, err);
}

static void fill_texts(struct armada_events *e, const Armada__JobEvent *ev, struct armada_event *to)
{
	const struct events_set *set = events_set_of(e->events, e->set);
	const struct job_event_kind *kind = job_event_kind(ev->kind);
	CLEANUP_BUF struct buf nodes = {0};

	hostlist_compress((const char *const *)ev->nodes, ev->n_nodes, &nodes);
	snprintf(to->kind_name, sizeof(to->kind_name), "%s", kind ? kind->name : "other");
	snprintf(to->queue, sizeof(to->queue), "%s", set->queue);
	snprintf(to->job_set, sizeof(to->job_set), "%s", set->job_set);
	snprintf(to->name, sizeof(to->name), "%s", ev->name);
	snprintf(to->user, sizeof(to->user), "%s", ev->user);
	snprintf(to->by, sizeof(to->by), "%s", ev->by);
	snprintf(to->reason, sizeof(to->reason), "%s", ev->reason);
	snprintf(to->nodes, sizeof(to->nodes), "%s", nodes.data ? (char *)nodes.data : "");
	snprintf(to->for_queue, sizeof(to->for_queue), "%s", ev->for_queue);
}

static void fill(struct armada_events *e, struct armada_event *to)
{
	const Armada__JobEvent *ev = e->event;
	const Armada__IndexRange *r = ev->n_elements ? ev->elements[e->range] : NULL;

	to->number = ev->number;
	to->job = ev->job;
	to->time_us = ev->time_us;
	to->kind = (int32_t)ev->kind;
	to->attempt = ev->attempt;
	to->first_element = r ? r->first : 0;
	to->last_element = r ? r->last : UINT32_MAX;
	to->step = r && r->step ? r->step : 1;
	to->uid = ev->uid;
	to->exit_code = ev->exit_code;
	to->exit_signal = ev->exit_signal;
	to->category = (int32_t)ev->category;
	to->fault = (int32_t)ev->fault;
	to->for_job = ev->for_job;
	to->priority = ev->priority;
	to->requeues = ev->requeues;
	to->start_us = ev->start_us;
	to->end_us = ev->end_us;
	to->cpu_us = ev->cpu_us;
	to->max_rss_bytes = ev->max_rss_bytes;
	fill_texts(e, ev, to);
}

int armada_events_next(struct armada_events *e, struct armada_event *ret_event, size_t event_size,
		       int timeout_ms, struct armada_error *err)
{
	struct armada_event event = {0};
	struct err why = {0};
	int rc;

	if (!e->event) {
		rc = events_next(e->events, timeout_ms, &e->event, &e->set, &why);
		if (rc < 0) {
			e->event = NULL;
			return return_error(err, &why, rc);
		}
		e->range = 0;
	}
	fill(e, &event);
	memcpy(ret_event, &event, event_size < sizeof(event) ? event_size : sizeof(event));
	if (++e->range >= e->event->n_elements)
		e->event = NULL;
	return 0;
}

int armada_events_fd(const struct armada_events *e)
{
	return events_fd(e->events);
}

int armada_events_is_current(const struct armada_events *e)
{
	for (size_t i = 0; i < events_set_count(e->events); i++)
		if (!events_are_old(e->events, i))
			return 0;
	return !e->event;
}

uint64_t armada_events_position(const struct armada_events *e)
{
	return e->event ? e->event->number : events_position(e->events, 0);
}
