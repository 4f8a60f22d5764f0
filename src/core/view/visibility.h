/*
 * Private clusters: the data for callers that may not see every job.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * The jobs that the caller sees, for effects that the history answers; in the arena of the input.
 * NULL: the caller sees all jobs.
 */
const struct core_viewer *visibility_viewer(struct txn *txn);
/* v may be NULL: it sees all jobs. */
bool visibility_sees(const struct core_viewer *v, uint32_t uid, const char *queue);
/*
 * Replace "job 17" by "another job" if the caller may not see that job: a copy in the arena, or the
 * same text.
 */
char *visibility_text(struct txn *txn, char *text);
/* The same for the texts of a row in a listing. */
void visibility_row(struct txn *txn, Armada__JobRow *row);
