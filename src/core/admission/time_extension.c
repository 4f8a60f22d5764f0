/*
 * Time limits of running jobs (time_extension.h). Input: the job, its queue and the specification
 * after the change. Output: 0 or a refusal. Limits are seconds; 0 or less is no limit.
 */
#include "core/admission/time_extension.h"

#include "core/admission/user_queue.h"
#include "core/view/rights.h"
#include "util/units.h"

#include <errno.h>

static struct duration_words words(int64_t seconds)
{
	return duration_words(seconds * 1000000);
}

int64_t time_extension_first(const struct job *j, int64_t now_s)
{
	if (j->limit_first_s)
		return j->limit_first_s;
	return now_s > 0 ? now_s : -1;
}

bool time_extension_is_free(const struct txn *txn, const struct job *j)
{
	return running_elements(j) && rights_is_admin(txn->policy, txn->in->caller);
}

int time_extension_add(int64_t now_s, int64_t change_s, int64_t *ret_s, struct err *err)
{

	if (now_s <= 0)
		return err_set(err, -EINVAL, "time: the job has no time limit to add to");
	if (__builtin_add_overflow(now_s, change_s, ret_s) || *ret_s <= 0)
		return err_set(err, -EINVAL, "time: nothing would be left of its limit of %s",
			       words(now_s).text);
	return 0;
}

/* How long the element that began first has run; 0: none has begun. */
static int64_t longest_s(const struct txn *txn, const struct job *j)
{
	int64_t first_us = 0;

	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];

		if (e->start_us && e->task_count && (!first_us || e->start_us < first_us))
			first_us = e->start_us;
	}
	return first_us && first_us < txn->clock_us ? (txn->clock_us - first_us) / 1000000 : 0;
}

static int check_budget(const struct txn *txn, const Armada__JobSpec *to, int64_t first_s,
			struct err *err)
{
	const struct queue *q = user_queue_for(txn, to->queue);
	int64_t extend_s = q ? q->spec->extend_time_s : 0;

	if (first_s <= 0 || (to->time_limit_s > 0 && to->time_limit_s <= first_s + extend_s))
		return 0;
	if (!extend_s)
		return err_set(err, -EINVAL,
			       "time: the limit of a running job cannot be extended in queue '%s' "
			       "(its extend_time is 0); at most %s is accepted, and an "
			       "administrator may set any",
			       to->queue, words(first_s).text);
	return err_set(err, -EINVAL,
		       "time: at most %s is accepted: the limit was %s when the job started, and "
		       "queue '%s' allows %s more (its extend_time)",
		       words(first_s + extend_s).text, words(first_s).text, to->queue,
		       words(extend_s).text);
}

int time_extension_check(const struct txn *txn, const struct job *j, int64_t now_s,
			 const Armada__JobSpec *to, struct err *err)
{
	int64_t ran_s = longest_s(txn, j);

	if (!running_elements(j))
		return 0;
	if (to->time_limit_s > 0 && to->time_limit_s <= ran_s)
		return err_set(err, -EINVAL, "time: it has run for %s already; acancel ends it",
			       words(ran_s).text);
	if (time_extension_is_free(txn, j))
		return 0;
	return check_budget(txn, to, time_extension_first(j, now_s), err);
}
