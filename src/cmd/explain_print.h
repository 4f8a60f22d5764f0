/*
 * The explanation of one job as text.
 */
#pragma once

#include "proto/msg.h"

#include <stdint.h>
#include <stdio.h>

/* now_us: the wall clock, for the time since the submission. */
void explain_print(const Armada__ExplainReply *e, int64_t now_us, FILE *out);
