/*
 * Rounds that do not count. What lasts from round to round is noted, and the plugins get new handles; after
 * each such round it is put back; in the end so are the handles.
 */
#pragma once

#include "util/arena.h"

struct sched;
struct dry_run;
/* 0 or what a plugin said. */
int dry_run_begin(struct sched *s, struct arena *a, struct dry_run **ret_dry);
void dry_run_rewind(struct sched *s, const struct dry_run *dry);
void dry_run_end(struct sched *s, const struct dry_run *dry);
