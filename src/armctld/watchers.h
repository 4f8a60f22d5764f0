/*
 * Watchers: connections that follow the job events of a set (WATCH).
 *
 * Events of durable records come in and stay in a ring (event_ring.h). A watcher is a position in the
 * stream of its set, so a reader costs no memory for events. Events go out in turns of a tenth of a
 * millisecond, which the loop runs when it has nothing else to do (loop.h); if it always has, one each
 * 4 ms. A watcher gets at most one message in 20 ms. A watcher that is behind the ring reads pages from
 * the history, through the query thread, and then joins the stream without a gap. A watcher whose
 * connection takes no output waits, and is dropped with the number where it can resume. An idle one
 * gets an empty message from time to time, by which the client knows that the controller is there.
 */
#pragma once

#include "armctld/history_query.h"
#include "armctld/sessions.h"
#include "core/view/limit_rows.h"

struct watchers;

struct watchers_config {
	struct event_base *base;
	struct sessions *sessions; /* borrowed */
	int64_t stall_us; /* a watcher is dropped when its connection has taken no output for so long */
	/* Ask the history for a page: history_ask(). */
	void (*ask)(void *arg, const struct effect *e);
	/* The present bounds. */
	const struct conf_limits *(*limits)(void *arg);
	void *arg;
};

struct watchers *watchers_new(const struct watchers_config *config);
void watchers_free(struct watchers *w);
/* EFFECT_JOB_EVENTS. */
void watchers_publish(struct watchers *w, const struct effect *e);
/* EFFECT_WATCH: answers it. */
void watchers_add(struct watchers *w, const struct effect *e);
/* The answer to a page that was asked for. */
void watchers_page(struct watchers *w, const struct effect *e, const struct history_answer *answer);
void watchers_closed(struct watchers *w, uint64_t conn);

struct watchers_use {
	uint64_t watches, bytes;
};
void watchers_use(const struct watchers *w, struct watchers_use *ret);
/* Calls on_user for each connection with watches: its user and their number; then for each user. */
void watchers_each(const struct watchers *w,
		   void (*on_user)(void *arg, bool conn, const struct limit_user *u), void *arg);
