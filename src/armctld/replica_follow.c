/*
 * Follows the log (replica_follow.h). Input: records of the engine. Output: records for the loop, and whether
 * the state is current.
 */
#define LOG_AREA LOG_AREA_STATE
#include "armctld/replica_follow.h"

#include "armctld/replica_internal.h"
#include "armctld/replica_result.h"
#include "util/log.h"
#include "util/mem.h"
#include "wire/loop_notify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { QUEUE_BYTES = 32 << 20 };

static int take_record(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct replica *r = arg;
	struct replica_record *q = xmalloc(sizeof(*q) + len);

	q->seq = seq;
	q->len = len;
	memcpy(q->data, data, len);
	pthread_mutex_lock(&r->lock);
	while (!r->stopping && r->queued > QUEUE_BYTES)
		pthread_cond_wait(&r->change, &r->lock);
	STAILQ_INSERT_TAIL(&r->queue, q, entry);
	r->queued += len + sizeof(*q);
	r->given = seq;
	pthread_mutex_unlock(&r->lock);
	loop_notify_ring(r->notify);
	return 0;
}

int replica_follow(struct replica *r, int timeout_ms, bool *ret_all)
{
	struct armada_error err = {""};
	uint64_t seq = r->given, acked = 0;
	int64_t begin_us = replica_now_us();
	int rc = r->engine->follow(r->handle, r->given, timeout_ms, take_record, r, &seq, &acked,
				   &err);

	*ret_all = rc == 0 && seq >= acked;
	pthread_mutex_lock(&r->lock);
	if (*ret_all)
		r->current_us = begin_us;
	if (rc == -EAGAIN && r->view.problem.text[0] == '\0')
		log_warn("the log cannot be followed now: %s", err.text);
	r->view.problem.text[0] = '\0';
	if (rc == -EAGAIN || rc == -EUCLEAN)
		snprintf(r->view.problem.text, sizeof(r->view.problem.text), "%s", err.text);
	if (rc == -EAGAIN)
		replica_wait_us(r, REPLICA_AGAIN_US);
	pthread_mutex_unlock(&r->lock);
	if (rc == -ESTALE)
		r->ops->failed(r->arg, true,
			       "the log has changed behind the state, which is read again");
	if (rc < 0 && rc != -EAGAIN && rc != -EINTR)
		replica_fail(r, rc, err.text);
	if (rc == 0 && r->refuses)
		r->ops->failed(r->arg, true, "the store has all records again");
	return rc;
}

uint64_t replica_wait_folded(struct replica *r)
{
	uint64_t epoch;

	pthread_mutex_lock(&r->lock);
	while (!r->stopping && r->seq < r->given)
		pthread_cond_wait(&r->change, &r->lock);
	epoch = r->stopping ? 0 : r->epoch + 1;
	pthread_mutex_unlock(&r->lock);
	return epoch;
}
