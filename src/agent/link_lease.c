#include "agent/link_lease.h"

#include "agent/link_session.h"
#include "util/units.h"

void link_lease_renew(struct link *l, int64_t sent_us, int64_t extension_ms)
{
	int64_t extended_us = extension_ms > 0 ? sent_us + extension_ms * 1000 : 0;

	if (sent_us > l->renewed_us)
		l->renewed_us = sent_us;
	if (extended_us > l->extended_us)
		l->extended_us = extended_us;
	l->warned = false;
}

static int64_t end_us(const struct link *l)
{
	int64_t at_us = l->renewed_us + l->lease_us;

	return at_us > l->extended_us ? at_us : l->extended_us;
}

int64_t link_lease_half_us(const struct link *l)
{
	if (!l->renewed_us || !l->lease_us || l->warned)
		return INT64_MAX;
	return l->renewed_us + (end_us(l) - l->renewed_us) / 2;
}

void link_lease_warn(struct link *l, int64_t now_us, struct link_effects *out)
{
	if (now_us < link_lease_half_us(l))
		return;
	l->warned = true;
	link_log(out, LOG_WARN,
		 "no controller has answered for %s: tasks without a lease of their own "
		 "will be ended in %s unless a controller answers",
		 duration_words(now_us - l->renewed_us).text,
		 duration_words(end_us(l) - now_us).text);
}
