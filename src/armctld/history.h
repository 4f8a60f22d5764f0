/*
 * Writes finished jobs to the history, and answers queries about them.
 *
 * The loop passes rows of durable records, and a thread writes them once a second, or sooner when
 * many wait or a query arrives. Another thread answers queries, after all rows that were given
 * before the query are written; so a job that has just ended is found. Answers come back on the
 * loop.
 */
#pragma once

#include "armctld/history_query.h"

enum { HISTORY_QUESTIONS = 4096 }; /* that wait or are answered, of all users */

struct event_base;
struct history;

typedef void history_reply_fn(void *arg, const struct effect *e,
			      const struct history_answer *answer);

/* EFFECT_FINISHED_JOBS: the states of its jobs are known, and the request is processed again. */
typedef void history_finished_fn(void *arg, const struct effect *e,
				 const struct core_finished_job *finished, size_t count);

/* state and handle are borrowed. seq: the record up to which the history is complete. */
struct history *history_new(struct event_base *base, const struct armada_state_ops *state,
			    void *handle, uint64_t seq, history_reply_fn *reply,
			    history_finished_fn *finished, void *arg);
/* Writes the waiting rows; queries that wait get no answer. */
void history_free(struct history *h);
/* EFFECT_HISTORY; copied. */
void history_add(struct history *h, const struct effect *e);
/* All rows of records up to seq have been given. */
void history_mark(struct history *h, uint64_t seq);
/*
 * Waits until all rows that were given are written. False: they cannot be written now. The loop does not
 * call it.
 */
bool history_settle(struct history *h);
/* The rows of records after this one are missing, some of them for some time; lacks false: no more. */
void history_lacks(struct history *h, bool lacks, uint64_t after);
/*
 * EFFECT_FIND, EFFECT_SHARES, EFFECT_SHOW, EFFECT_FINISHED_JOBS, EFFECT_ACCOUNTING, EFFECT_WATCH (a page of
 * events), EFFECT_COPY_HISTORY. When too many queries wait, the answer "try again" comes at once.
 */
void history_ask(struct history *h, const struct effect *e);
/* Rows that wait in memory, with their jobs' scripts and environments. */
struct history_backlog {
	uint64_t bytes;
	char why[256]; /* the error of the last write; "": none failed */
};
void history_backlog(struct history *h, struct history_backlog *ret);
/* How far the written rows are behind the log. */
struct history_lag {
	uint64_t
		records; /* durable records whose rows are not written, or are missing (history_lacks) */
	int64_t us;      /* how long the oldest unwritten row has waited */
};
void history_lag(struct history *h, struct history_lag *ret);
/* The number of queries that wait or are being answered. */
size_t history_waiting(struct history *h);
/* The number of accounting queries that wait or are being answered. */
size_t history_accounting(const struct history *h);
/* The connection was closed: its accounting queries stop. */
void history_gone(struct history *h, uint64_t conn);
