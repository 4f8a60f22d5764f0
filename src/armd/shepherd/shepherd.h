/*
 * The shepherd: the process that stays with one task attempt from its first step to its exit record.
 *
 * The launcher forks it, without an exec, and may die at any moment afterwards: the shepherd has a
 * session of its own, gathers every process that the task leaves behind (child subreaper), enforces
 * the time limit and the end of the lease by itself, and writes how the task ended to the spool, and
 * syncs it, before it tells anybody. Its own death kills the task.
 *
 *	LAUNCHING --program runs--> RUNNING --the first process ended--> FINISHING --nothing left--> DONE
 *	    |			       |			          |
 *	    +-- kill order, time limit, lease end, SIGTERM: ------------> ENDING --grace over--> KILLING
 *		SIGTERM to all, or as the job wants it
 *
 * A gated task is set up in full, its child contained, with its identity and its files open, and then
 * waits: LAUNCHING --ready--> WAITING --release order--> RELEASED --program runs--> RUNNING. Its time
 * begins with the release. What ends it before that ends it without its program having run; what
 * fails in the exec itself fails after the release. A task that stands by is released too, and counts as
 * running; its child goes on waiting, until something ends it.
 *
 * While a task runs, steps may be run in it: more children with its identity, containment, environment
 * and directory, whose program is the io stub. They end with the task.
 *
 * In FINISHING what the task left in the background gets SIGTERM, the grace period, and SIGKILL.
 *
 * SIGTERM to the shepherd itself says that the machine goes down: whoever stops armd alone leaves
 * shepherds alone. A task that SIGKILL does not end is said to be so, again and again, and stays.
 */
#pragma once

#include "armd/shepherd/account.h"
#include "armd/shepherd/user_cache.h"
#include "armd/spool/attempt.h"
#include "armd/hooks/job.h"
#include "armd/machine/machine.h"
#include <armada/contain.h>

/* Everything is borrowed until shepherd_start returns. */
struct shepherd_task {
	struct spool *spool;
	int attempt_fd;      /* locked (spool_lock_file) */
	int control_fd;      /* of control_bind */
	struct order order;  /* its stamp verified: the lease counts from there, not from now */
	const uint8_t *body; /* packed TaskBody, its digest checked */
	size_t body_len;
	const char *stub; /* path of the io stub */
	const struct machine *machine;
	const struct place *place; /* of it, on that machine */
	const char *node_name;
	const struct hooks *hooks; /* NULL: there are none */
	const struct armada_contain_ops *contain;
	const struct armada_option_value *contain_values;
	bool groups_of_controller; /* all that it signed; else those that this machine gives too */
	const struct cached_user *cached_user; /* NULL: the user has not been looked up lately */
	account_find *find;                    /* of its user; NULL: the machine's */
	int64_t account_us;                    /* how long that may take; 0: 30 s */
	int64_t stuck_ms; /* so long after the first SIGKILL a task cannot be killed; 0: a minute */
};

/* Fork one. Returns its pid, or a negative errno: then nothing has run. */
pid_t shepherd_start(const struct shepherd_task *task, struct err *err);
