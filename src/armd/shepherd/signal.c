/* Sends signals to the processes of a task. */
#include "armd/shepherd/signal.h"

#include "armd/shepherd/contain.h"
#include "armd/shepherd/settings.h"
#include "armd/shepherd/usage.h"
#include "util/clock.h"
#include "util/mem.h"

#include <signal.h>

/*
 * SIGKILL is repeated, because a task may fork faster than it dies. The interval grows with the
 * time that has passed.
 */
enum { KILL_AGAIN_MIN_US = 10000, KILL_AGAIN_MAX_US = 1000000, KILL_AGAIN_PART = 16 };

/* The pid of a reaped process may belong to another process. */
void shepherd_send(struct shepherd *s, int sig, bool to_first)
{
	struct armada_error ignored;

	shepherd_usage_sample(s);
	if (s->contain && !(to_first && s->reaped))
		s->task->contain->signal(s->contain, sig, to_first, &ignored);
	if (s->suspended)
		shepherd_freeze(s, true); /* the plugin may have thawed the task */
}

/* A stopped process cannot handle SIGTERM, so SIGCONT follows. */
void shepherd_send_term(struct shepherd *s)
{
	bool to_first = s->body->signal_script && !s->reaped;

	shepherd_freeze(s, false); /* a frozen process cannot handle it */
	if (s->body->standby)
		close_fd(
			/*
			 * a standby task ignores signals, because signals to steps reach it too:
			 * closing the gate ends it
			 */
			&s->gate);
	shepherd_send(s, SIGTERM, to_first);
	shepherd_send(s, SIGCONT, to_first);
	s->next_kill_us = clock_us(CLOCK_BOOTTIME) + s->grace_us;
}

void shepherd_send_term_rest(struct shepherd *s)
{
	if (!s->body->signal_script)
		return;
	shepherd_send(s, SIGTERM, false);
	shepherd_send(s, SIGCONT, false);
}

void shepherd_send_kill(struct shepherd *s)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME), pause_us;

	if (!s->killing_us) {
		s->killing_us = now_us;
		shepherd_usage_sample(s);
	}
	shepherd_kill_all(s);
	pause_us = (now_us - s->killing_us) / KILL_AGAIN_PART;
	if (pause_us < KILL_AGAIN_MIN_US)
		pause_us = KILL_AGAIN_MIN_US;
	if (pause_us > KILL_AGAIN_MAX_US)
		pause_us = KILL_AGAIN_MAX_US;
	s->next_kill_us = now_us + pause_us;
}
