/*
 * Accounting queries, on a thread of their own: a sum over a year takes seconds and must not delay the
 * other queries of the history.
 *
 * A query ends early when its client is gone or when its time is over. A user may have few of them.
 */
#pragma once

#include "armctld/accounting_query.h"

enum { ACCOUNTING_QUERIES = 64, ACCOUNTING_QUERIES_OF_USER = 4, ACCOUNTING_SECONDS = 60 };

struct event_base;
struct accounting_queue;

typedef void accounting_reply_fn(void *arg, const struct effect *e,
				 const struct history_answer *answer);
/* Waits on the thread until the rows that exist now are written. False: they cannot be written. */
typedef bool accounting_settle_fn(void *arg);

struct accounting_owner {
	const struct armada_state_ops *state;
	void *handle;
	accounting_reply_fn *reply; /* on the loop; not for a client that is gone */
	accounting_settle_fn *settle;
	void *reply_arg, *settle_arg;
};

struct accounting_queue *accounting_queue_new(struct event_base *base,
					      const struct accounting_owner *owner);
/* Stops the query that runs; those that wait get no answer. */
void accounting_queue_free(struct accounting_queue *q);
/* EFFECT_ACCOUNTING; copied. When too many wait, the answer "try again" comes at once. */
void accounting_queue_ask(struct accounting_queue *q, const struct effect *e);
/* The connection was closed: its queries stop. */
void accounting_queue_gone(struct accounting_queue *q, uint64_t conn);
/* The number of queries that wait or are answered. */
size_t accounting_queue_count(const struct accounting_queue *q);
