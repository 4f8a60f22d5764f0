/*
 * How tasks of this node get the cpus that they ask for: the setting of the site, and whether the
 * cpus of the machine are this armd's alone.
 *
 * Each armd holds a read lock of fcntl on one file of the machine, and a request for a write lock
 * tells whether another process holds one. The lock belongs to one process: shepherds, which are
 * forks of it, do not keep it, and it ends with the process.
 */
#pragma once

#include "armd/machine/machine.h"
#include "util/buf.h"

#include <stdbool.h>

/* 0 is the default of armada.conf. The words are those of cpu_containment. */
enum cpus_use {
	CPUS_BIND,   /* a task of whole cpus runs on its own ones */
	CPUS_QUOTA,  /* a task gets at most the time that it asked for */
	CPUS_WEIGHT, /* a share when cpus are scarce */
};

/* An unknown word, or NULL, is CPUS_BIND: armada.conf was checked. */
enum cpus_use cpus_use_of(const char *word);

enum { CPUS_TEXT = 128 };
/*
 * The use in effect, as the node registers it: "bind", "quota", "weight (2 cpus of the machine, 8
 * declared)", "none (rlimit does not limit cpu time)". It has a parenthesis where it is less than what use
 * says. alone: no other armd uses the cpus. no_cpu_time: the contain plugin, if it has neither quota nor
 * weight; else NULL.
 */
void cpus_describe(enum cpus_use use, const struct machine *m, bool alone, const char *no_cpu_time,
		   char ret_text[CPUS_TEXT]);

/*
 * Open the file, create it if it does not exist, and lock it. path "": /run/armada-cpus.lock for
 * root, else a file of the user in /tmp. A descriptor for the life of the process, or a negative
 * errno. The process must not open the file again: closing any descriptor of it would end the lock.
 */
int cpus_lock(const char *path, struct err *err);
/* Whether no other process has locked the file. A system call. */
bool cpus_alone(int fd);
