/*
 * The signal by which a shepherd tells the stub of a step to signal its program. It is sent with sigqueue():
 * the value is the number of the signal; 0 means that the step is ended: SIGTERM, and SIGKILL after the grace
 * period. A signal of this number that was sent without a value is ignored.
 */
#pragma once

#include <signal.h>

#define STUB_SIGNAL SIGRTMAX
