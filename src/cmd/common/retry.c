#include "cmd/common/retry.h"

#include <inttypes.h>

enum { PAUSE_FIRST_MS = 100, PAUSE_MAX_MS = 3000 };

static int64_t min_ms(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void retry_init(struct retry *p, const struct command *who, int64_t until_ms, bool quiet)
{
	*p = (struct retry){
		.who = who, .until_ms = until_ms, .pause_ms = PAUSE_FIRST_MS, .quiet = quiet};
}

bool retry_again(struct retry *p, const struct err *why)
{
	int64_t left_ms = p->until_ms - steady_ms();

	if (left_ms <= 0)
		return false;
	if (!p->said && !p->quiet && p->until_ms == INT64_MAX)
		command_warn(p->who, "%s; trying again", why->text);
	else if (!p->said && !p->quiet)
		command_warn(p->who, "%s; trying again for %" PRId64 " s", why->text,
			     left_ms / 1000);
	p->said = true;
	sleep_ms(min_ms(p->pause_ms, left_ms));
	p->pause_ms = min_ms(p->pause_ms * 2, PAUSE_MAX_MS);
	return true;
}
