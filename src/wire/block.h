/* Blocking waits on one descriptor, for src/wire/call.c and the io stub. */
#pragma once

#include "wire/address.h"

/* Milliseconds of CLOCK_MONOTONIC, the unit of deadlines. */
int64_t block_now_ms(void);
/* Wait until fd is ready: 0, -ETIMEDOUT after the deadline, or another negative errno. */
int block_ready(int fd, short events, int64_t deadline_ms);
/* A connected socket, non-blocking, or a negative errno. */
int block_connect(const struct address *a, int64_t deadline_ms);
