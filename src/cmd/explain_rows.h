/*
 * One job as aexplain tells it, to people and to programs.
 */
#ifndef CMD_EXPLAIN_ROWS_H
#define CMD_EXPLAIN_ROWS_H

#include "cmd/job_rows.h"
#include "cmd/round_rows.h"

/* now_us: the wall clock, for how long it has waited. */
void explain_print(const Armada__ExplainReply *e, int64_t now_us, FILE *out);
/* A new object. */
json_t *explain_json(const Armada__ExplainReply *e, int64_t now_us);

#endif
