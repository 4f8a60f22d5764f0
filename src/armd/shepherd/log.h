/*
 * Sentences of a shepherd for the log of armd, which says the same sentence once.
 */
#pragma once

#include "armd/shepherd/state.h"

void shepherd_log(struct shepherd *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
