/*
 * Assigns cpus and gpus of this machine to a task, beside the live tasks.
 */
#pragma once

#include "armd/launcher/state.h"
#include "armd/spool/attempt.h"

/* Assign cpus and gpus to an attempt and record them in its file (fd). */
int launcher_place(struct launcher *l, int fd, const struct attempt *a, struct place *ret_place,
		   struct err *err);
