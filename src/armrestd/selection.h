/* Which jobs a request is about, and their rows. */
#pragma once

#include "armrestd/exchange.h"
#include "client/filter.h"

/* Adds the conditions of the query. -EINVAL: one of them cannot be read. */
int selection_read(const struct exchange *x, struct filter *f, struct err *err);
/*
 * The jobs of a change: those of the path, which match the query as well; "-" in the path, or a path without
 * ids, stands for all that match. -EINVAL: nothing selects; -ENOENT: a name does not exist.
 */
int selection_jobs(struct exchange *x, struct filter *f, struct err *err);
/* The job of the path, or its element. */
int selection_id(const struct exchange *x, uint64_t *ret_job, bool *ret_has, uint32_t *ret_element,
		 struct err *err);
/* True if the path stands for all jobs that match the query. */
bool selection_is_any(const struct exchange *x);
/* Rows as in aqueue --json and aacct --json, which have the same columns. */
json_t *selection_rows(Armada__JobRow *const *rows, size_t count);
