/*
 * The names of an attempt: of its files in the spool, and of its containment.
 */
#pragma once

#include "armd/spool/spool.h"

enum { ATTEMPT_NAME = 64, ATTEMPT_CONTAIN_NAME = ATTEMPT_NAME + SPOOL_CONTAIN_PREFIX };

/* "812_7.3.1" */
void attempt_name(const struct task_key *key, char ret_name[ATTEMPT_NAME]);
/* False for a name that attempt_name does not make. */
bool attempt_parse_name(const char *name, struct task_key *ret_key);
/* The prefix of the spool, followed by the name of the attempt. */
void attempt_contain_name(const struct spool *s, const struct task_key *key,
			  char ret_name[ATTEMPT_CONTAIN_NAME]);
/* The name of the group of the element's tasks (ARMADA_CONTAIN_GROUP) whose lowest rank is first. */
void attempt_group_name(const struct spool *s, const struct task_key *key, uint32_t first,
			char ret_name[ATTEMPT_CONTAIN_NAME]);
