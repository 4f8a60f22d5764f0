/* The stub's way to arun: each of its addresses in turn, and a stream that is open. */
#pragma once

#include "stub/payload.h"
#include "stub/stream.h"

/* A connected socket, non-blocking, and the open stream; or a negative errno and why none answered. */
int dial_arun(const struct payload *p, struct stream **ret_stream, struct err *err);
