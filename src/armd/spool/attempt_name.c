#include "armd/spool/attempt_name.h"

#include <armada/contain.h>

#include <stdio.h>
#include <string.h>

void attempt_name(const struct task_key *key, char ret_name[ATTEMPT_NAME])
{
	snprintf(ret_name, ATTEMPT_NAME, "%llu_%u.%u.%u", (unsigned long long)key->job,
		 key->element, key->rank, key->attempt);
}

void attempt_contain_name(const struct spool *s, const struct task_key *key,
			  char ret_name[ATTEMPT_CONTAIN_NAME])
{
	char name[ATTEMPT_NAME];

	attempt_name(key, name);
	snprintf(ret_name, ATTEMPT_CONTAIN_NAME, "%s%s", s->contain_prefix, name);
}

void attempt_group_name(const struct spool *s, const struct task_key *key, uint32_t first,
			char ret_name[ATTEMPT_CONTAIN_NAME])
{
	snprintf(ret_name, ATTEMPT_CONTAIN_NAME, ARMADA_CONTAIN_GROUP "%s%llu_%u.+%u",
		 s->contain_prefix, (unsigned long long)key->job, key->element, first);
}

bool attempt_parse_name(const char *name, struct task_key *ret_key)
{
	struct task_key key = {0};
	char again[ATTEMPT_NAME];
	unsigned long long job;

	if (sscanf(name, "%llu_%u.%u.%u", &job, &key.element, &key.rank, &key.attempt) != 4)
		return false;
	key.job = job;
	attempt_name(&key, again);
	if (strcmp(again, name) != 0)
		return false;
	*ret_key = key;
	return true;
}
