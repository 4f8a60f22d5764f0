/*
 * Shared by the tests of the shepherd: a box with a spool, and shepherds that are forked as the
 * launcher does.
 */
#pragma once

#include "box.h"

#include "armd/shepherd/shepherd.h"

/* The parameters of the next shepherds. */
extern struct shepherd_rig {
	struct box box;
	char stub[400]; /* a stub that runs its payload with a shell */
	const struct armada_contain_ops *contain;
	int64_t stuck_ms, ordered_ago_us;
	const struct hooks *hooks;
	account_find *find;
	const struct cached_user *known;
	int64_t account_us;
	bool groups_of_controller;
} rig;

/* Call these at the beginning and at the end of main. */
void rig_open(int argc, char **argv);
void rig_close(void);

/* Forks the shepherd of a body, as the launcher does. */
pid_t begin(const Armada__TaskBody *body);
/* The end record in the spool; empty if there is none. */
const Armada__TaskEnd *end_of(const Armada__TaskBody *body);
/* Forks the shepherd, waits for its end, and returns the end record. */
const Armada__TaskEnd *run(const Armada__TaskBody *body);
void is_end(const Armada__TaskEnd *end, Armada__EndCause cause, int code, int sig,
	    const char *what);
void kill_task(const Armada__TaskBody *body, Armada__EndCause cause, int64_t grace_ms);
/* Waits until the output has these words; a failed test if they do not appear. */
bool says(const Armada__TaskBody *body, const char *words);

/* Whether the process has ended that wrote its pid to the file. */
bool gone(const char *pid_file);
