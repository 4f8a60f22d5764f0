/*
 * What a task is told: its ARMADA_* variables and the names of its files.
 */
#pragma once

#include "core/txn/txn.h"

/* ARMADA_* of a task, and its file names. */
char **task_environment(struct txn *txn, const struct task *t, const Armada__JobSpec *spec,
			size_t *ret_count);
/* Node and address of each rank, a line for each, for who needs them; else nothing. */
void task_env_hosts(struct txn *txn, const struct task *t, const Armada__JobSpec *spec,
		    ProtobufCBinaryData *ret_hosts);
char *task_env_expand(struct txn *txn, const char *pattern, const struct task *t,
		      const Armada__JobSpec *spec);
