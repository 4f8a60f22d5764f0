#include "unit/sched/referee_parts.h"

/*
 * Absolute limits. Input: the units that ran when the round began, and those that it started.
 * Output: whether a unit may start, and why not. A task replacement counts with its element all the
 * time.
 */

static const struct ref_job *job_of(const struct ref *w, int unit)
{
	return &w->jobs[unit / REF_ELEMENTS];
}

static void add(struct ref_use *use, const struct ref_part *p)
{
	for (int d = 0; d < REF_COUNTED; d++)
		use->amounts[d] += p->request[d];
}

/*
 * The running and yielding tasks of a unit; a vacancy's resources belong to its element all the
 * time.
 */
static void add_unit(const struct ref *w, int unit, struct ref_use *use)
{
	const struct ref_unit *u = &w->units[unit];
	const struct ref_job *j = job_of(w, unit);

	if (j->replacement && j->present && unit % REF_ELEMENTS == 0)
		add(use, ref_part(w, unit, 0));
	if (u->state != REF_RUNS)
		return;
	use->running += u->elements;
	for (int m = 0; m < ref_shape(w, unit)->members; m++)
		if (u->nodes[m] >= 0 || u->yields[m])
			add(use, ref_part(w, unit, m));
}

static bool counts(const struct ref_owner *of, int queue, int user, int account)
{
	return (of->queue < 0 || queue == of->queue) && (of->user < 0 || user == of->user) &&
	       (of->account < 0 || account == of->account);
}

void ref_sum_use(const struct ref *w, struct ref_owner of, struct ref_use *ret)
{
	*ret = (struct ref_use){0};
	for (int u = 0; u < w->job_count * REF_ELEMENTS; u++) {
		const struct ref_job *j = job_of(w, u);

		if (counts(&of, j->queue, j->user, j->account))
			add_unit(w, u, ret);
	}
}

static void add_use(struct ref_use *use, const struct ref_use *more)
{
	use->running += more->running;
	for (int d = 0; d < REF_COUNTED; d++)
		use->amounts[d] += more->amounts[d];
}

/* The use of the owner, with the starts of this round. */
static struct ref_use find_use(const struct bout *b, struct ref_owner of)
{
	struct ref_use use;

	ref_sum_use(b->w, of, &use);
	for (int q = 0; q < REF_QUEUES; q++)
		for (int i = 0; i <= REF_USERS; i++)
			for (int a = 0; a <= REF_ACCOUNTS; a++)
				if (counts(&of, q, i, a))
					add_use(&use, &b->begun[q][i][a]);
	return use;
}

/* A limit by name comes before the limit for all. */
static struct ref_quota quota_of(const struct ref *w, int user)
{
	struct ref_quota m = w->user_quota;

	if (w->named[user].running >= 0)
		m.running = w->named[user].running;
	for (int d = 0; d < REF_COUNTED; d++)
		if (w->named[user].amounts[d] >= 0)
			m.amounts[d] = w->named[user].amounts[d];
	return m;
}

static bool is_any(const struct ref_quota *m)
{
	bool any = m->running >= 0;

	for (int d = 0; d < REF_COUNTED; d++)
		any = any || m->amounts[d] >= 0;
	return any;
}

static bool exceeds(const struct bout *b, int unit, const struct ref_quota *quota,
		    struct ref_owner of)
{
	struct ref_use use = find_use(b, of), more = {0};

	for (int m = 0; m < ref_shape(b->w, unit)->members; m++)
		add(&more, ref_part(b->w, unit, m));
	if (quota->running >= 0 && job_of(b->w, unit)->elements &&
	    use.running + job_of(b->w, unit)->elements > quota->running)
		return true;
	for (int d = 0; d < REF_COUNTED; d++)
		if (quota->amounts[d] >= 0 && more.amounts[d] &&
		    use.amounts[d] + more.amounts[d] > quota->amounts[d])
			return true;
	return false;
}

/* No job of the queue may start: it is full, and no task of it waits for a node. */
static bool is_full(const struct bout *b, int queue)
{
	const struct ref *w = b->w;

	for (int j = 0; j < w->job_count; j++)
		if (w->jobs[j].present && w->jobs[j].replacement && w->jobs[j].queue == queue)
			return false;
	return w->queues[queue].quota.running >= 0 &&
	       find_use(b, (struct ref_owner){queue, -1, -1}).running >=
		       w->queues[queue].quota.running;
}

static bool exceeds_of_account(const struct bout *b, int unit)
{
	const struct ref_job *j = job_of(b->w, unit);

	if (!j->account)
		return false;
	return exceeds(b, unit, &b->w->accounts[j->account],
		       (struct ref_owner){-1, -1, j->account}) ||
	       (j->user && exceeds(b, unit, &b->w->each[j->account],
				   (struct ref_owner){-1, j->user, j->account}));
}

static bool exceeds_of_user(const struct bout *b, int unit)
{
	const struct ref_job *j = job_of(b->w, unit);
	struct ref_quota own = quota_of(b->w, j->user);

	return j->user && (exceeds(b, unit, &b->w->queues[j->queue].user_quota,
				   (struct ref_owner){j->queue, j->user, -1}) ||
			   exceeds(b, unit, &own, (struct ref_owner){-1, j->user, -1}));
}

enum ref_verdict ref_check_quota(const struct bout *b, int unit)
{
	const struct ref_job *j = job_of(b->w, unit);
	const struct ref_queue *q = &b->w->queues[j->queue];

	if (j->replacement)
		return REF_MAY;
	if (!j->turn && is_full(b, j->queue))
		return REF_NOT_QUEUE;
	return exceeds(b, unit, &q->quota, (struct ref_owner){j->queue, -1, -1}) ||
			       exceeds_of_user(b, unit) || exceeds_of_account(b, unit)
		       ? REF_NOT_THIS
		       : REF_MAY;
}

bool *ref_limited(struct bout *b, int unit)
{
	const struct ref_job *j = job_of(b->w, unit);
	struct ref_quota own = quota_of(b->w, j->user);
	int who = j->replacement ? REF_USERS + 1
		  : j->user && (is_any(&own) || is_any(&b->w->queues[j->queue].user_quota))
			  ? j->user
			  : 0;
	int payer = !j->replacement && j->account &&
				    (is_any(&b->w->accounts[j->account]) ||
				     is_any(&b->w->each[j->account]))
			    ? 1 + j->account * (REF_USERS + 1) + j->user
			    : 0;

	return &b->limited[j->queue][ref_kind(b->w, unit)][who][payer][j->elements];
}

void ref_begin_unit(struct bout *b, int unit)
{
	const struct ref_job *j = job_of(b->w, unit);
	struct ref_use *use = &b->begun[j->queue][j->user][j->account];

	if (j->replacement)
		return;
	use->running += j->elements;
	for (int m = 0; m < ref_shape(b->w, unit)->members; m++)
		if (b->now.nodes[unit][m] >= 0)
			add(use, ref_part(b->w, unit, m));
}
