/*
 * The lists of hosts that a shepherd makes for mpirun (shepherd_hosts.c): their names in the spool's
 * directory of scripts, where they go with the attempt.
 */
#ifndef ARMD_HOSTS_H
#define ARMD_HOSTS_H

#include "armd/attempt.h"

enum hosts_file {
	HOSTS_TASKS, /* a line for each task */
	HOSTS_SLOTS, /* for Open MPI, which takes all of a node that is named alone */
	HOSTS_FILES,
};

enum { HOSTS_NAME = ATTEMPT_NAME + 8 };

void hosts_file_name(const struct task_key *key, enum hosts_file file, char ret_name[HOSTS_NAME]);
void hosts_remove(const struct spool *s, const struct task_key *key);

#endif
