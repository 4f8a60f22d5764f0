/*
 * Which jobs a request is about: the one reading of JobFilter.
 */
#pragma once

#include "core/txn/txn.h"

/* Into how many pieces the steps of a filter may divide what it names; and how long a reason may be. */
enum { FILTER_PIECES = 100000, REASON_LONGEST = 1000 };

/*
 * does this job (and element; NULL: its waiting part) match? One that the caller may not see
 * never does.
 */
bool filter_job(struct txn *txn, const Armada__JobFilter *f, const struct job *j);
bool filter_element(const Armada__JobFilter *f, const struct job *j, const struct element *e);
/* Does this waiting element match? */
bool filter_waiting(const Armada__JobFilter *f, const struct job *j, uint32_t index);
/* The elements of one job that the ids of a filter name; true: all of them. */
bool filter_elements(const Armada__JobFilter *f, uint64_t job, struct rangeset *ret_set);
uint64_t filter_pieces(const Armada__JobFilter *f);
/* What it costs to ask it of one job, to bound the work of one request (S26). */
int64_t filter_cost(const Armada__JobFilter *f);
/* Ids that are not in memory, as ranges in the arena of the input. */
Armada__JobRange **filter_missing(struct txn *txn, const Armada__JobFilter *f, size_t *ret_count);
/* Nothing selected at all. */
bool filter_is_empty(const Armada__JobFilter *f);
