/*
 * Sends sentences of a shepherd to the log of armd, which logs equal sentences once.
 */
#pragma once

#include "armd/shepherd/state.h"

void shepherd_log(struct shepherd *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
