/*
 * The armada.conf behind a scenario: the file of --config, or the defaults of armada.conf. A scenario without
 * --config may replace each part; with it, the file alone has classes, declared queues, plugins and limits.
 */
#pragma once

#include "asim/rounds/reader.h"

/* Load the file; NULL: the defaults. The scenario owns the result. */
int site_load(struct scenario *sc, const char *config, struct err *err);
/* Fail if there is a file, and the document has a key that belongs to the file. */
void site_check_keys(struct reader *r, const struct at *root);
void site_classes(struct reader *r);
/* Append its queues; there is room for them. */
void site_queues(struct reader *r);
bool site_has_queue(const struct reader *r, const char *name);
/* The limits of a round, and those of users. */
void site_limits(struct reader *r);
void site_users(struct reader *r);
void site_accounts(struct reader *r);
/* The priority factor of a queue without settings. */
double site_factor_default(void);
