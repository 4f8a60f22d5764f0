/*
 * The table `accounting`: a row for each attempt, ordered by its end, for accounting and for the SQL views.
 *
 * A connection of its own reads it (store.accounts), because a query over a year takes seconds and must not
 * delay the queries of find.c. accounts_lock protects that connection.
 */
#pragma once

#include "sqlite.h"

int accounting_put(void *handle, const struct armada_attempt *list, size_t count,
		   struct armada_error *err);
/* Adds one row within the transaction that is open. */
int accounting_add(struct db *db, const struct armada_attempt *a, struct armada_error *err);
int accounting_list(void *handle, const struct armada_attempt_filter *f, armada_attempt_fn *on_row,
		    void *arg, struct armada_error *err);
int accounting_sum(void *handle, const struct armada_attempt_filter *f, enum armada_sum_by by,
		   const int64_t *bounds, size_t bound_count, armada_sum_fn *on_sum, void *arg,
		   struct armada_error *err);
/* One step of retention.c. */
int accounting_tidy(void *handle, int64_t now_us, armada_attempt_of_fn *attempt_of, void *arg,
		    struct armada_error *err);
int accounting_space(void *handle, struct armada_history_space *ret_space,
		     struct armada_error *err);

/* A query of the connection `accounts`, made of a filter. */
struct accounting_query {
	struct db *db;
	const struct armada_attempt_filter *filter;
	sqlite3_stmt *st;
	bool with_label; /* the joins are ACCOUNTING_JOIN_LABEL */
};

/*
 * Attempts that ran for longer than this have an index of their own. So a query for a period in the past
 * reads the attempts that ended in it or within this time after it, and few others.
 */
#define ACCOUNTING_LONG_US "86400000000"
enum accounting_pass {
	PASS_SOON, /* ended in the period, or at most this time after it */
	PASS_LONG, /* ended later */
	PASS_COUNT,
};

/* Joins the label filter->sum_label, as l. */
#define ACCOUNTING_JOIN_LABEL "LEFT JOIN job_label l ON l.job = a.job AND l.key = ?7"

/*
 * Prepares "SELECT columns FROM accounting a rest WHERE filter tail", and binds the filter. The caller
 * finalizes q->st. -EINVAL: the filter has too many names.
 */
int accounting_prepare(struct accounting_query *q, enum accounting_pass pass, const char *columns,
		       const char *joins, const char *tail, struct armada_error *err);
/* 1: a row; 0: no more; -ECANCELED: filter->stop() returned true. */
int accounting_step(struct accounting_query *q, struct armada_error *err);
/* Begins and ends the use of the connection; stop() of the filter is called in between. */
int accounting_begin(struct store *s, const struct armada_attempt_filter *f,
		     struct armada_error *err);
void accounting_end(struct store *s, int rc, const struct armada_error *err);
