#include "armd/hosts.h"

#include <stdio.h>
#include <unistd.h>

static const char *const suffixes[HOSTS_FILES] = {
	[HOSTS_TASKS] = "hosts",
	[HOSTS_SLOTS] = "slots",
};

void hosts_file_name(const struct task_key *key, enum hosts_file file, char ret_name[HOSTS_NAME])
{
	char name[ATTEMPT_NAME];

	attempt_name(key, name);
	snprintf(ret_name, HOSTS_NAME, "%s.%s", name, suffixes[file]);
}

void hosts_remove(const struct spool *s, const struct task_key *key)
{
	char name[HOSTS_NAME];

	for (enum hosts_file f = 0; f < HOSTS_FILES; f++) {
		hosts_file_name(key, f, name);
		unlinkat(s->scripts, name, 0);
	}
}
