/*
 * The explanation of one job as a JSON object; its members are described in aexplain(1).
 */
#pragma once

#include "proto/msg.h"

#include <jansson.h>
#include <stdint.h>

/* Returns a new object. now_us: the wall clock. */
json_t *explain_json(const Armada__ExplainReply *e, int64_t now_us);
