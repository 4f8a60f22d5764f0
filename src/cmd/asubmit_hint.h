/* A line about what the last jobs of the same name used. */
#pragma once

#include "client/connection.h"
#include "client/spec/spec.h"

/*
 * On a terminal: if the last jobs of this user and name used much less than s requests, or all of it,
 * prints a line on stderr. One request, for at most a second; an error is no message, because the job is
 * submitted.
 */
void asubmit_hint(struct connection *c, const struct spec *s);
