/*
 * The shepherd: the process that supervises one task attempt from its first step to its exit
 * record.
 *
 * The launcher forks it, without an exec, and may die at any moment afterwards: the shepherd has a
 * session of its own, becomes the parent of every process that the task leaves behind (child
 * subreaper), enforces the time limit and the end of the lease by itself, and writes the end of the
 * task to the spool, and syncs it, before it notifies the launcher. If the shepherd dies, the first
 * process of the task is killed.
 *
 *	LAUNCHING --program runs--> RUNNING --the first process ended--> FINISHING --nothing left--> DONE
 *	    |			       |			          |
 *	    +-- kill order, time limit, lease end, SIGTERM: ------------> ENDING --grace over--> KILLING
 *		SIGTERM to all processes, or as the job requests
 *
 * A gated task is set up completely: its child is contained and has its identity and its open
 * files. Then it waits: LAUNCHING --ready--> WAITING --release order--> RELEASED --program runs-->
 * RUNNING. Its time limit starts with the release. If it ends earlier, its program has not run. A
 * failure of the exec itself comes after the release. A standby task is released at once and counts
 * as running; its child waits until the task is ended.
 *
 * While a task runs, steps may be run in it: more children with its identity, containment, environment
 * and directory, whose program is the io stub. They end with the task.
 *
 * In FINISHING, background processes of the task get SIGTERM, the grace period, and SIGKILL.
 *
 * SIGTERM to the shepherd itself means that the machine is shutting down; stopping armd alone sends
 * no signal to shepherds. A task that survives SIGKILL is reported repeatedly, and its shepherd
 * waits for it.
 */
#pragma once

#include "armd/shepherd/account.h"
#include "armd/shepherd/user_cache.h"
#include "armd/spool/attempt.h"
#include "armd/hooks/job.h"
#include "armd/machine/cpus.h"
#include <armada/contain.h>

/* Everything is borrowed until shepherd_start returns. */
struct shepherd_task {
	struct spool *spool;
	int attempt_fd; /* locked (spool_lock_file) */
	int control_fd; /* of control_bind */
	/* its stamp was verified: the lease counts from the stamp, not from now */
	struct order order;
	const uint8_t *body; /* packed TaskBody, its digest checked */
	size_t body_len;
	const char *stub;       /* path of the io stub */
	const char *plugin_dir; /* for the stub */
	const struct machine *machine;
	const struct place *place; /* the cpus and gpus of the task on that machine */
	enum cpus_use cpus;        /* how tasks get their cpus, if the job does not say it */
	bool cpus_shared;          /* with another armd: no task is bound */
	const char *node_name;
	const struct hooks *hooks; /* NULL: there are none */
	const struct armada_contain_ops *contain;
	const struct armada_option_value *contain_values;
	/*
	 * true: the task gets all groups that the controller signed; false: only those that
	 * the user also has on this machine
	 */
	bool groups_of_controller;
	const struct cached_user *cached_user; /* NULL: no recent lookup of the user */
	/* looks up the user; NULL: the machine's user database */
	account_find *find;
	int64_t account_us; /* how long the lookup may take; 0: 30 s */
	/* how long after the first SIGKILL the task counts as unkillable; 0: a minute */
	int64_t stuck_ms;
};

/* Fork a shepherd. Returns its pid, or a negative errno: then nothing has run. */
pid_t shepherd_start(const struct shepherd_task *task, struct err *err);
