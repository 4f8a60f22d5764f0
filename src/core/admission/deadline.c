#include "core/admission/deadline.h"

#include "util/units.h"

static const char *words(struct admission *a, int64_t seconds)
{
	return arena_printf(a->txn->arena, "%s", duration_words(seconds * 1000000).text);
}

static int admit_time_min(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;

	if (!s->time_min_s)
		return 0;
	if (s->time_min_s < 0)
		return admit_no(a, "time-min: %" PRId64 " is not a time", s->time_min_s);
	if (s->gang_id[0])
		return admit_no(a,
				"gang %s: --time-min is not for a gang of jobs, which have one "
				"time limit in common",
				s->gang_id);
	if (s->time_limit_s <= 0)
		return admit_no(a,
				"time-min: the job has no time limit that could be lowered; give "
				"--time");
	if (s->time_min_s > s->time_limit_s)
		return admit_no(a, "time-min: %s is more than the time limit of %s",
				words(a, s->time_min_s), words(a, s->time_limit_s));
	return 0;
}

int admit_deadline(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;
	int64_t now_us = a->txn->in->wall_us, need_s;
	int rc = admit_time_min(a);

	if (rc < 0 || !s->deadline_us)
		return rc;
	if (s->gang_id[0])
		return admit_no(a,
				"gang %s: --deadline is not for a gang of jobs: the other members "
				"would wait for the one that it ended",
				s->gang_id);
	if (s->time_limit_s <= 0)
		return admit_no(a, "deadline: the end of a job without a time limit is not known; "
				   "give --time");
	if (s->deadline_us <= now_us)
		return admit_no(a, "deadline: this time is over");
	if (s->begin_us > now_us)
		now_us = s->begin_us;
	need_s = s->time_min_s ? s->time_min_s : s->time_limit_s;
	if (s->deadline_us - now_us >= need_s * 1000000)
		return 0;
	if (s->begin_us >= s->deadline_us)
		return admit_no(a, "deadline: it is before the begin time of the job");
	return admit_no(a, "deadline: the job may run for %s, and %s are left until its deadline%s",
			words(a, need_s), words(a, (s->deadline_us - now_us) / 1000000),
			s->time_min_s ? "" : "; give a shorter --time, or --time-min");
}
