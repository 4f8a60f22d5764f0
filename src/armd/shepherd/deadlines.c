#include "armd/shepherd/deadlines.h"

#include "armd/spool/lease.h"
#include "util/units.h"

enum { GRACE_LEAST_MS = 1000 };

int64_t shepherd_grace_us(int64_t grace_ms)
{
	return (grace_ms > 0 ? grace_ms : GRACE_LEAST_MS) * 1000;
}

int64_t shepherd_limit_us(const struct shepherd *s)
{
	if (s->body->time_limit_ms <= 0 || !s->begun_us)
		return 0; /* none, or it waits to be released */
	return s->begun_us + s->body->time_limit_ms * 1000;
}

int64_t shepherd_warn_us(const struct shepherd *s)
{
	int64_t at_us;

	if (s->warned || s->body->signal <= 0 || !shepherd_limit_us(s))
		return 0;
	at_us = shepherd_limit_us(s) - s->body->signal_before_ms * 1000;
	return at_us > s->begun_us ? at_us : s->begun_us;
}

const char *shepherd_limit_text(const struct shepherd *s)
{
	const char *limit = s->body->time_limit_text;

	return arena_printf(s->arena, "it reached its time limit of %s",
			    *limit ? limit : duration_words(s->body->time_limit_ms * 1000).text);
}

int64_t shepherd_lease_stop_us(const struct shepherd *s, int64_t *ret_grace)
{
	int64_t lease_us = s->body->lease_ms * 1000, end_us;
	struct lease_times times;

	lease_read(s->task->spool->lease, &times);
	end_us = lease_end_us(&times, stamp_time_us(s->task->order.stamp), lease_us);
	if (end_us == 0)
		return 0;
	*ret_grace = shepherd_grace_us(s->body->grace_ms);
	if (*ret_grace > lease_us / 4)
		*ret_grace = lease_us / 4;
	return end_us - *ret_grace;
}
