/*
 * The cpus and gpus of a task: its variables, its binding, and the devices that it may open.
 */
#pragma once

#include "armd/shepherd/state.h"

int shepherd_place(struct shepherd *s);
/* Its amounts, and the cpus and devices of place p, for the contain plugin. */
void shepherd_place_limits(struct shepherd *s, const struct place *p,
			   struct armada_contain_limits *limits);

/* The cpus, by the kernel's numbers, that a task of this place is bound to if s is bound. */
void shepherd_place_cpus(const struct shepherd *s, const struct place *p,
			 uint64_t ret_cpus[PLACE_CPUS / 64]);

struct gpu_variable {
	const char *name, *value; /* value NULL: not set */
};
/* of gpus, and two for each counted resource */
enum { GPU_VARIABLES = 6 + 2 * COUNTED_MAX };

/*
 * The variables of a task with the gpus and other devices of p that can open those of `all`. Returns their
 * number; 0: the node has none.
 */
size_t shepherd_place_gpus(const struct shepherd *s, const struct place *p, const struct place *all,
			   struct gpu_variable ret_list[GPU_VARIABLES]);
/* The waiting task can open the gpus of `all` from now on; its variables still name its own. */
void shepherd_place_count_among(struct shepherd *s, const struct place *all);
