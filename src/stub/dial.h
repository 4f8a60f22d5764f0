/* Connects the stub to arun: tries each of its addresses in turn, and opens the stream. */
#pragma once

#include "stub/payload.h"
#include "stub/stream.h"

/*
 * A connected non-blocking socket, and the open stream; or a negative errno with the last reason.
 */
int dial_arun(const struct payload *p, struct stream **ret_stream, struct err *err);
