/*
 * What the tests of the shepherd share: a box with a spool, and a shepherd forked as the launcher does.
 */
#pragma once

#include "box.h"

#include "armd/shepherd/shepherd.h"

/* What the next shepherds are given. */
extern struct shepherd_rig {
	struct box box;
	char stub[400]; /* runs its payload with a shell */
	const struct armada_contain_ops *contain;
	int64_t stuck_ms, ordered_ago_us;
	const struct hooks *hooks;
	account_find *find;
	const struct cached_user *known;
	int64_t account_us;
	bool groups_of_controller;
} rig;

/* At the begin and at the end of main. */
void rig_open(int argc, char **argv);
void rig_close(void);

/* Fork the shepherd of a body, as the launcher does. */
pid_t begin(const Armada__TaskBody *body);
/* As it is in the spool; empty: it has none. */
const Armada__TaskEnd *end_of(const Armada__TaskBody *body);
/* Both, and wait for it. */
const Armada__TaskEnd *run(const Armada__TaskBody *body);
void is_end(const Armada__TaskEnd *end, Armada__EndCause cause, int code, int sig,
	    const char *what);
void kill_task(const Armada__TaskBody *body, Armada__EndCause cause, int64_t grace_ms);
/* Until the output holds the words; they must come. */
bool says(const Armada__TaskBody *body, const char *words);

/* Has the process ended that wrote its pid there? */
bool gone(const char *pid_file);
