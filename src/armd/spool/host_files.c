#include "armd/spool/host_files.h"

#include <stdio.h>
#include <unistd.h>

static const char *const suffixes[HOST_FILES] = {
	[HOST_FILE_TASKS] = "hosts",
	[HOST_FILE_SLOTS] = "slots",
	[HOST_FILE_RANKS] = "ranks",
	[HOST_FILE_NEW] = "new",
};

void host_file_name(const struct task_key *key, enum host_file file, char ret_name[HOST_FILE_NAME])
{
	char name[ATTEMPT_NAME];

	attempt_name(key, name);
	snprintf(ret_name, HOST_FILE_NAME, "%s.%s", name, suffixes[file]);
}

void host_files_remove(const struct spool *s, const struct task_key *key)
{
	char name[HOST_FILE_NAME];

	for (enum host_file f = 0; f < HOST_FILES; f++) {
		host_file_name(key, f, name);
		unlinkat(s->scripts, name, 0);
	}
}
