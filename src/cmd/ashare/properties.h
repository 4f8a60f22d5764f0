/*
 * ashare --properties: how the last round keeps what the scheduler promises.
 */
#pragma once

#include "cmd/ashare/ashare.h"
#include "proto/msg.h"

/* Rows are Armada__Property. */
extern const struct listing properties_listing;

/* Returns 0 or a negative errno with err. */
int ashare_properties(const struct ashare *r, struct err *err);
/* The JSON of --properties. */
json_t *properties_json(const Armada__PropertiesReply *reply);
