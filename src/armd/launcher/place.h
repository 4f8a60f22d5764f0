/*
 * Where on this machine a task goes, beside the tasks that live.
 */
#pragma once

#include "armd/launcher/state.h"
#include "armd/spool/attempt.h"

/* Cpus and gpus for an attempt, noted in its file (fd). */
int launcher_place(struct launcher *l, int fd, const struct attempt *a, struct place *ret_place,
		   struct err *err);
