/*
 * One job as aexplain tells it to people.
 */
#pragma once

#include "proto/msg.h"

#include <stdint.h>
#include <stdio.h>

/* now_us: the wall clock, for how long it has waited. */
void explain_print(const Armada__ExplainReply *e, int64_t now_us, FILE *out);
