/*
 * The honest client beside an attack, and the controller's memory meanwhile.
 */
#pragma once

#include "hostile/attack.h"

#include <sys/types.h>

struct figures {
	double before_mb, highest_mb, after_mb; /* resident memory of the controller */
	unsigned asked, lost;                   /* lost: failed, or not answered within 30 s */
	double p50_ms, p99_ms, worst_ms;
};

/* VmRSS of a process in MB; 0: it does not exist. */
double memory_mb(pid_t pid);

/*
 * hostile: the process of the attack. Asks again and again until it is over and settle_s more have
 * passed: each time a new session and one request. A request without an answer counts with the time
 * that it took to fail.
 */
void honest_run(const struct target *t, const struct report *r, const struct verb *v, pid_t hostile,
		pid_t controller, double settle_s, struct figures *ret);
