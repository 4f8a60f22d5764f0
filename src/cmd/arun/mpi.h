/*
 * Which mpi plugin the tasks of arun get: that of --mpi, or with auto the one that the MPI library of the
 * program needs.
 */
#pragma once

#include "cmd/arun/arun.h"

/*
 * Sets a->mpi_plugin and a->mpi_step. dir: where a path of the program with a slash begins; NULL: the working
 * directory. An unknown --mpi is an error that lists those there are.
 */
int arun_mpi_choose(struct arun *a, const struct conf *conf, const char *program, const char *dir,
		    struct err *err);
/* Warns, once, if several tasks would run the program without the protocol that it needs. */
void arun_mpi_warn(const struct arun *a, const char *program, const char *dir, uint32_t tasks);
