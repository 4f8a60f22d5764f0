/*
 * The jobs of a scenario: entries of "running" and "submit".
 */
#pragma once

#include "asim/rounds/reader.h"

/* Read an entry: as many jobs as its count. */
void jobs_read_entry(struct reader *r, const struct at *at, bool running);
/* After all of "running": the jobs fit on their nodes, and their gangs are complete. */
void jobs_check_running(struct reader *r, const struct at *running);
/* A job that was submitted before this place of the document. */
uint32_t jobs_find(struct reader *r, const struct at *at);
