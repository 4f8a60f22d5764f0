/*
 * The processes that read output files for users (output_file.h): their number, their time, their results.
 *
 * At most OUTPUT_READS run at once; more are answered with "try again". A process that has not ended after
 * OUTPUT_READ_US is killed, and the order is answered then, even if a file system does not let it die.
 * Each order is answered once, with a message to the network process.
 */
#pragma once

#include "armd/launcher/state.h"

enum { OUTPUT_READ_US = 20000000 };

/* LEDGER_OUTPUT: begin what this order asks for. */
void launcher_read_output(struct launcher *l, const struct received_order *o);
/* A child has ended. True if it was one of these. */
bool launcher_output_reaped(struct launcher *l, pid_t pid, int status);
/* Kill those whose time is over. */
void launcher_output_tick(struct launcher *l);
/* CLOCK_BOOTTIME of the next one to be killed; 0: none. */
int64_t launcher_output_due(const struct launcher *l);
/* Kill all: the launcher ends. */
void launcher_output_stop(struct launcher *l);
