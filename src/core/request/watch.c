/*
 * WATCH: the job events of a set, from a number on.
 *
 * Output: EFFECT_WATCH, which leaves when all events before the request are published; the shell answers
 * and sends the events (armctld/watchers.h). A caller who may not watch the queue sees a set whose first
 * job it submitted, or in which it names own jobs, and in it only the events of its own jobs. Every other
 * set does not exist for the caller: the answer is that for an unknown name.
 */
#include "core/request/request.h"
#include "core/state/state.h"
#include "core/txn/effects.h"
#include "core/txn/reply.h"
#include "core/view/rights.h"

#include <string.h>

enum { EXIT_REFUSED = 1, EXIT_NOT_FOUND = 3, JOBS_MAX = 1000 };

/* True if one of the jobs that the request names is in the set and the caller's. */
static bool names_own(const struct txn *txn, const Armada__WatchRequest *m,
		      const struct job_set *set)
{
	for (size_t i = 0; i < m->n_jobs; i++) {
		const struct job *j = job_find(txn->state, m->jobs[i]);

		if (j && j->job_set == set && j->user->uid == txn->in->caller->uid)
			return true;
	}
	return false;
}

static bool sees_all(struct txn *txn, const struct queue *q)
{
	return rights_sees_all(txn) || rights_may(txn, txn->in->caller, VERB_WATCH, NULL, q);
}

static bool sees_set(struct txn *txn, const Armada__WatchRequest *m, const struct job_set *set)
{
	return sees_all(txn, set->queue) || set->uid == txn->in->caller->uid ||
	       names_own(txn, m, set);
}

static const struct job_set *find_set(struct txn *txn, const Armada__WatchRequest *m,
				      const char *queue)
{
	const struct queue *q = queue_find(txn->state, queue);
	const struct job_set *set = q ? job_set_find(txn->state, q, m->job_set) : NULL;

	return set && sees_set(txn, m, set) ? set : NULL;
}

static void refuse_unknown(struct txn *txn, const Armada__WatchRequest *m, const char *queue)
{
	if (m->job_set[0])
		reply_refuse(txn, EXIT_NOT_FOUND, "there is no job set '%s' in queue '%s'",
			     m->job_set, queue);
	else
		reply_refuse(txn, EXIT_NOT_FOUND,
			     "there are no jobs without a job set in queue '%s'", queue);
}

static void watch(struct txn *txn, const Armada__WatchRequest *m, const struct job_set *set)
{
	struct effect *e = effect_later(txn, EFFECT_WATCH);
	bool all = sees_all(txn, set->queue);
	bool whole = all && !m->has_uid && !m->n_jobs;

	e->viewer_uid = txn->in->caller->uid;
	e->viewer_admin = rights_is_admin(txn->policy, txn->in->caller);
	e->watch = (struct watch_ask){
		.queue = set->queue->name,
		.job_set = set->name,
		.from = m->new_only ? set->next_event : m->from,
		.next = set->next_event,
		.counted = whole,
		.waiting = whole ? set->waiting : 0,
		.active = whole ? set->active : 0,
		.jobs = m->jobs,
		.job_count = m->n_jobs,
		.own = !all || m->has_uid,
		.hides = !rights_sees_all(txn),
		.uid = all ? m->uid : txn->in->caller->uid,
	};
}

void req_watch(struct txn *txn, const Armada__WatchRequest *m)
{
	const struct caller *who = txn->in->caller;
	const char *queue = m->queue[0] || !who->user ? m->queue : who->user;
	const struct job_set *set;

	if (m->n_jobs > JOBS_MAX) {
		reply_refuse(txn, EXIT_REFUSED, "%zu jobs are named; at most %d are accepted",
			     m->n_jobs, JOBS_MAX);
		return;
	}
	set = find_set(txn, m, queue);
	if (!set) {
		refuse_unknown(txn, m, queue);
		return;
	}
	if (!m->new_only && m->from > set->next_event) {
		reply_refuse(txn, EXIT_REFUSED,
			     "event %" PRIu64
			     " does not exist yet: the next one of this set is %" PRIu64,
			     m->from, set->next_event);
		return;
	}
	watch(txn, m, set);
}
