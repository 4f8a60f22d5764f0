/*
 * Private clusters: what is told to who does not see every job.
 */
#pragma once

#include "core/txn/txn.h"

/* For effects that the history answers: in the arena of the input; NULL: everything is seen. */
const struct core_viewer *visibility_viewer(struct txn *txn);
/* v may be NULL: it sees all. */
bool visibility_sees(const struct core_viewer *v, uint32_t uid, const char *queue);
/* "job 17" becomes "another job" where the caller does not see that one: in the arena, or as it was. */
char *visibility_text(struct txn *txn, char *text);
/* The same of what a listing says of a job. */
void visibility_row(struct txn *txn, Armada__JobRow *row);
