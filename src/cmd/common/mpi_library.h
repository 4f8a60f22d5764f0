/*
 * Which MPI library a program is linked with.
 */
#pragma once

enum mpi_library {
	MPI_LIBRARY_NONE,
	MPI_LIBRARY_MPICH, /* or a relative with its names: Intel MPI, MVAPICH */
	MPI_LIBRARY_OPEN_MPI,
	MPI_LIBRARY_OTHER,
};

enum { MPI_LIBRARY_NAME = 64 };

/*
 * dir: where a path with a slash begins; NULL: the working directory. mpirun and mpiexec count as programs
 * without MPI. ret_name: the name of the library, unless the result is MPI_LIBRARY_NONE.
 */
enum mpi_library mpi_library_of(const char *program, const char *dir,
				char ret_name[MPI_LIBRARY_NAME]);
