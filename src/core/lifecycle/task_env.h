/*
 * The environment of a task: its ARMADA_* variables, and the names of its files.
 */
#pragma once

#include "core/txn/txn.h"

/* The variables of a task: those of its group, and ARMADA_*. In the arena of the input. */
char **task_environment(struct txn *txn, const struct task *t, const Armada__JobSpec *spec,
			size_t *ret_count);
/* For tasks that may run mpirun: a line with node and address for each rank; else nothing. */
/* True if the list of hosts is for mpirun, which the first task of the group runs. */
bool task_env_is_for_mpi(const struct task *t, const Armada__JobSpec *spec);
void task_env_hosts(struct txn *txn, const struct task *t, const Armada__JobSpec *spec,
		    ProtobufCBinaryData *ret_hosts);
/* For the same tasks, whatever --mpi is: the ranks of the tasks of the group on the task's node. */
uint32_t *task_env_node_ranks(struct txn *txn, const struct task *t, size_t *ret_count);
/* The pattern of a file name with its %-letters expanded. */
char *task_env_expand(struct txn *txn, const char *pattern, const struct task *t,
		      const Armada__JobSpec *spec);
