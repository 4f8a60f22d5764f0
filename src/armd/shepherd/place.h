/*
 * The cpus and gpus of a task: its variables, its binding, and the devices that it may open.
 */
#pragma once

#include "armd/shepherd/state.h"

int shepherd_place(struct shepherd *s);
/* Its amounts, cpus and devices, for the contain plugin. */
void shepherd_place_limits(struct shepherd *s, struct armada_contain_limits *limits);
