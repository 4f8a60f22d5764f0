/*
 * Reaping of children that run programs of users.
 *
 * A process may make its parent its tracer (PTRACE_TRACEME). Then waitpid() also reports its stops, of which
 * the status looks like an exit with code 0 to a caller that does not expect a stop.
 */
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

/*
 * waitpid(-1, ret_status, WNOHANG), but only for children that have ended. A traced child that stops is
 * released from the trace and continues with the signal that stopped it.
 */
pid_t reap_ended(int *ret_status);
/* The same, with what the child and those that it waited for have used. */
pid_t reap_ended_usage(int *ret_status, struct rusage *ret_usage);
