/* Results of the engine (replica_result.h). Input: a code. Output: a wait, or the end of the process. */
#define LOG_AREA LOG_AREA_STATE
#include "armctld/replica_result.h"

#include "armctld/replica_internal.h"
#include "util/clock.h"
#include "util/log.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

enum { LOOK_AGAIN_US = 5000000 };

int64_t replica_now_us(void)
{
	return clock_us(CLOCK_BOOTTIME);
}

bool replica_wait_us(struct replica *r, int64_t us)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += us / 1000000;
	until.tv_nsec += us % 1000000 * 1000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (!r->stopping &&
	       pthread_cond_clockwait(&r->change, &r->lock, CLOCK_MONOTONIC, &until) == 0)
		;
	return !r->stopping;
}

bool replica_stops(struct replica *r)
{
	bool stopping;

	pthread_mutex_lock(&r->lock);
	stopping = r->stopping;
	pthread_mutex_unlock(&r->lock);
	return stopping;
}

bool replica_lease_holds(struct replica *r)
{
	return replica_now_us() < r->engine->lease_until(r->handle);
}

bool replica_passes(int code)
{
	return code == -EAGAIN || code == -EINTR || code == -ENOSPC;
}

/*
 * An error that does not pass. A copy that is just being filled looks like one that has lost records, so a
 * standby, which has written nothing, looks again after some seconds. Meanwhile it does not lead, and tells
 * controllers that want to lead what it knows.
 */
void replica_fail(struct replica *r, int code, const char *sentence)
{
	pthread_mutex_lock(&r->lock);
	if (code != -EUCLEAN || r->holds) {
		pthread_mutex_unlock(&r->lock);
		r->ops->failed(r->arg, false, sentence);
	}
	if (!r->refuses)
		log_error("this controller does not lead, and follows no more: %s", sentence);
	r->refuses = true;
	replica_wait_us(r, LOOK_AGAIN_US);
	pthread_mutex_unlock(&r->lock);
}

/* A store without memory refuses the lease, too, so that no controller leads: administrators see why. */
void replica_note_full(struct replica *r, int code, const char *sentence)
{
	bool before;

	pthread_mutex_lock(&r->lock);
	before = r->full.text[0] != '\0';
	snprintf(r->full.text, sizeof(r->full.text), "%s", code == -ENOSPC ? sentence : "");
	pthread_mutex_unlock(&r->lock);
	if (code == -ENOSPC && !before)
		log_error("%s: no controller can lead until it has memory", sentence);
}
