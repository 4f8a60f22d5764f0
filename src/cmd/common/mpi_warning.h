/*
 * A warning about MPI programs that the tasks of a job would start each by itself.
 */
#pragma once

#include "cmd/common/command.h"

#include <stdint.h>

/*
 * Warns if the program is linked with libmpi and more than one task would run it: without mpirun
 * each of them is rank 0 of 1. dir: where a path with a slash begins; NULL: the working directory.
 */
void mpi_warning(const struct command *cmd, const char *program, const char *dir, uint32_t tasks);
/* The same warning with another remedy, about a program that is known to use MPI. */
void mpi_warning_say(const struct command *cmd, const char *program, uint32_t tasks,
		     const char *remedy);
