/*
 * The names of the files that a shepherd writes for mpirun (shepherd/hosts.c). They are in the
 * spool's directory of scripts and are removed with the attempt.
 */
#pragma once

#include "armd/spool/attempt_name.h"

enum host_file {
	HOST_FILE_TASKS, /* a line for each task */
	HOST_FILE_SLOTS, /* for Open MPI, which takes all of a node that is named alone */
	HOST_FILE_RANKS, /* the job's tasks on this node, for arun-rank (shepherd/node_tasks.c) */
	HOST_FILE_NEW,   /* one of the others while it is written */
	HOST_FILES,
};

enum { HOST_FILE_NAME = ATTEMPT_NAME + 8 };

void host_file_name(const struct task_key *key, enum host_file file, char ret_name[HOST_FILE_NAME]);
void host_files_remove(const struct spool *s, const struct task_key *key);
