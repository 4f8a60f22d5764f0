/*
 * A warning about MPI programs (mpi_warning.h). Input: the name of a program. Output: at most one line on
 * stderr.
 */
#include "cmd/common/mpi_warning.h"

#include "cmd/common/mpi_library.h"

void mpi_warning(const struct command *cmd, const char *program, const char *dir, uint32_t tasks)
{
	char name[MPI_LIBRARY_NAME];

	if (tasks > 1 && mpi_library_of(program, dir, name) != MPI_LIBRARY_NONE)
		mpi_warning_say(cmd, program, tasks, "start it with mpirun in a script");
}

void mpi_warning_say(const struct command *cmd, const char *program, uint32_t tasks,
		     const char *remedy)
{
	command_warn(cmd,
		     "%s uses MPI, but each of the %u tasks runs it by itself, as rank 0 of 1; %s",
		     program, tasks, remedy);
}
