/* The machine is being shut down: nothing is started any more, and the last word is waited for. */
#include "armd/launcher/shutdown.h"

#include "armd/launcher/network_out.h"
#include "util/clock.h"
#include "util/log.h"

enum { LAST_WORD_US = 5000000, LOOK_US = 50000 };

/* Who asks (armd/shutdown.h) says so again and again, and ends the tasks himself. */
void launcher_shutdown(struct launcher *l)
{
	if (l->shutting_down)
		return;
	l->shutting_down = true;
	log_notice("the machine is being shut down: nothing is started here any more");
	launcher_send_shutdown(l);
}

/*
 * What has ended is in the spool and is told after the boot at the latest; but whoever waits for the job
 * would rather know now.
 */
bool launcher_may_end(struct launcher *l)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME);

	if (!l->ending)
		return false;
	if (!l->shutting_down || !l->has_key || ledger_untold(l->ledger) == 0)
		return true;
	if (!l->end_at_us)
		l->end_at_us = now_us + LAST_WORD_US;
	l->next_tick_us = now_us + LOOK_US;
	return now_us >= l->end_at_us;
}
