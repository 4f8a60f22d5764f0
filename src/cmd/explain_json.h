/*
 * One job as aexplain tells it to programs.
 */
#pragma once

#include "proto/msg.h"

#include <jansson.h>
#include <stdint.h>

/* A new object. now_us: the wall clock. */
json_t *explain_json(const Armada__ExplainReply *e, int64_t now_us);
