#include "core/lifecycle/deadline.h"

#include "core/lifecycle/element.h"
#include "core/txn/dependency_timers.h"
#include "util/units.h"

/* Elements that one record ends; the others follow at the next look. */
enum { PIECES_AT_ONCE = 1000 };

static int64_t least_s(const struct spec *s)
{
	return s->time_min_s ? s->time_min_s : s->time_limit_s;
}

void deadline_look(struct txn *txn, const struct job *j)
{
	struct rangeset late = {0};
	int64_t latest_us = spec_latest_start_us(j->spec);

	if (!latest_us || !j->waiting.total)
		return;
	if (txn->in->wall_us <= latest_us) {
		dependency_timer_advance(txn->live, j, latest_us + 1);
		return;
	}
	rangeset_copy(&late, &j->waiting);
	if (rangeset_keep_last(&late, PIECES_AT_ONCE))
		dependency_timer_advance(txn->live, j, 0);
	waiting_end(
		txn, j, &late,
		arena_printf(txn->arena,
			     "DeadlineMissed: it could no longer run for %s%s before its deadline",
			     duration_words(least_s(j->spec) * 1000000).text,
			     j->spec->time_min_s ? " (--time-min)" : ""));
	rangeset_done(&late);
}

bool deadline_limit(const struct txn *txn, const struct job *j, int64_t lowered_s,
		    int64_t *ret_limit_s)
{
	const struct spec *s = j->spec;
	int64_t limit_s = lowered_s ? lowered_s : s->time_limit_s;
	int64_t left_s = (s->deadline_us - txn->in->wall_us) / 1000000;

	if (lowered_s && (!s->time_min_s || lowered_s > s->time_limit_s))
		return false; /* the job was changed after the round */
	if (s->deadline_us && s->time_min_s && limit_s > left_s)
		limit_s = left_s;
	if (s->deadline_us && txn->in->wall_us > spec_latest_start_us(s))
		return false;
	if (s->time_min_s && limit_s < s->time_min_s)
		return false;
	*ret_limit_s = s->time_min_s && limit_s < s->time_limit_s ? limit_s : 0;
	return true;
}
