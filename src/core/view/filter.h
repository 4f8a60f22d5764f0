/*
 * Which jobs a request selects: the one implementation of JobFilter.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * The limit for the ranges that the steps of a filter may produce, and for the length of a reason.
 */
enum { FILTER_PIECES = 100000, REASON_LONGEST = 1000 };

/* Sorts the names of nodes in the message: first, once for each request. NULL: nothing. */
void filter_sort(const Armada__JobFilter *f);
/*
 * True if the filter selects this job (and this element; NULL: its waiting part). A job that the
 * caller may not see is never selected.
 */
bool filter_job(struct txn *txn, const Armada__JobFilter *f, const struct job *j);
bool filter_element(const Armada__JobFilter *f, const struct job *j, const struct element *e);
/* True if the filter selects elements in this state. */
bool filter_state(const Armada__JobFilter *f, int state);
/* True if the filter selects this waiting element. */
bool filter_waiting(const Armada__JobFilter *f, const struct job *j, uint32_t index);
/* The elements of one job that the ids of a filter name; true: all elements. */
bool filter_elements(const Armada__JobFilter *f, uint64_t job, struct rangeset *ret_set);
uint64_t filter_pieces(const Armada__JobFilter *f);
/* The cost of checking one job, to limit the work of one request. */
int64_t filter_cost(const Armada__JobFilter *f);
/* The ids that are not in memory, as ranges in the arena of the input. */
Armada__JobRange **filter_missing(struct txn *txn, const Armada__JobFilter *f, size_t *ret_count);
/* True if the filter selects by nothing at all. */
bool filter_is_empty(const Armada__JobFilter *f);
