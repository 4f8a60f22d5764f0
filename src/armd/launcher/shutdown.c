/*
 * Machine shutdown: no further task is started, and armd waits for the last acknowledgements
 * before it exits.
 */
#define LOG_AREA LOG_AREA_NODE
#include "armd/launcher/shutdown.h"

#include "armd/launcher/network_out.h"
#include "util/clock.h"
#include "util/log.h"

enum { LAST_REPORTS_US = 5000000, LOOK_US = 50000 };

/* armd --shutdown (armd/shutdown.h) sends this notice repeatedly, and ends the tasks itself. */
void launcher_shutdown(struct launcher *l)
{
	if (l->shutting_down)
		return;
	l->shutting_down = true;
	log_notice("the machine is shutting down: no more tasks are started here");
	launcher_send_shutdown(l);
}

/*
 * Ends that are not acknowledged are in the spool, and would be reported after the next boot. Users
 * want to know them now, so the launcher waits a few seconds.
 */
bool launcher_may_exit(struct launcher *l)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME);

	if (!l->ending)
		return false;
	if (!l->shutting_down || !l->has_key || ledger_unacknowledged(l->ledger) == 0)
		return true;
	if (!l->end_at_us)
		l->end_at_us = now_us + LAST_REPORTS_US;
	l->next_tick_us = now_us + LOOK_US;
	return now_us >= l->end_at_us;
}
