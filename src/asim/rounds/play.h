/*
 * asim rounds: plays the scheduling rounds of a scenario.
 */
#pragma once

#include "asim/rounds/scenario.h"

#include <stdio.h>

struct play_options {
	const char *file;
	struct scenario_source from;
	bool check, time;
	FILE *out; /* NULL: the standard output */
};

/* 0, 1 if --check found a violation, 2 if the document is refused. */
int play_file(const struct play_options *o);
/* The same for a scenario that was loaded. */
int play_scenario(const struct scenario *sc, const struct play_options *o, struct err *err);
