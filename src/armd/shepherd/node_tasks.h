/*
 * The tasks of a job on this node, when only the first task of the job runs the program: processes
 * of all of them may run in the first task of the node.
 */
#pragma once

#include "armd/shepherd/state.h"

/* The name of the file for arun-rank, as a variable of the task. Returns 0. */
int shepherd_node_tasks_name(struct shepherd *s);
/* The group of these tasks; NULL: the task is in none. In the arena of s. */
const char *shepherd_node_tasks_group(const struct shepherd *s);
/*
 * Before the start barrier opens: gives the first task of the node the cpus, the gpus and the limits
 * of all, and writes the file for arun-rank. A failure is logged: the task then keeps its own.
 */
void shepherd_node_tasks_open(struct shepherd *s);
