/*
 * The jobs of a scenario: entries of "running" and "submit".
 */
#pragma once

#include "asim/rounds/reader.h"

/* An entry, written out: as many jobs as its count says. */
void jobs_read_entry(struct reader *r, const struct at *at, bool running);
/* After all of "running": nodes hold what runs on them, and gangs are whole. */
void jobs_check_running(struct reader *r, const struct at *running);
/* Submitted up to here. */
uint32_t jobs_find(struct reader *r, const struct at *at);
