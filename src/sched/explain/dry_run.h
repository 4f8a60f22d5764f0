/*
 * Dry runs: rounds without an effect on later rounds. dry_run_begin saves the state that a round
 * passes to the next, and gives the plugins new handles. dry_run_rewind restores the state after
 * each round; dry_run_end restores the handles, too.
 */
#pragma once

#include "util/arena.h"

struct sched;
struct dry_run;
/* 0 or the error of a plugin. */
int dry_run_begin(struct sched *s, struct arena *a, struct dry_run **ret_dry);
void dry_run_rewind(struct sched *s, const struct dry_run *dry);
void dry_run_end(struct sched *s, const struct dry_run *dry);
