/*
 * The gpus of the machine: found in /proc and /sys, or declared.
 */
#pragma once

#include "armd/machine/machine.h"

/* Fills in the gpus of m. */
int machine_find_gpus(struct machine *m, const struct machine_declared *d, struct err *err);
