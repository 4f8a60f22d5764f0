/*
 * ashare --rounds: the room that the last rounds left, used, idle although it is reserved, and recovered.
 */
#pragma once

#include "cmd/ashare/ashare.h"

/* Rows are Armada__RoundRoom. */
extern const struct listing rooms_listing;

/* Returns 0 or a negative errno with err. */
int ashare_rooms(const struct ashare *r, struct err *err);
