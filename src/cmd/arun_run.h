/* What the files of the relay (arun_relay.h) share: its state, and who does what with it. */
#ifndef CMD_ARUN_RUN_H
#define CMD_ARUN_RUN_H

#include "cmd/arun_relay.h"
#include "cmd/arun_tty.h"

struct run {
	const struct run_plan *plan;
	struct links links;
	struct sink out, err;
	struct tty tty;
	int signals;      /* signalfd */
	int64_t begun_ms; /* when we began to wait */
	int64_t wake_ms;  /* look again then; 0: nothing to look at */
	bool going;       /* all tasks were told to begin */
	bool input_over;  /* end of standard input, or nobody who wants any */

	/* the job of our own */
	struct watch_news waits, end;
	bool waiting, said_waits, said_silent, job_ended;
	bool said_ending; /* that the others of one that failed are */

	/* ^C */
	int64_t interrupted_ms;
	int interrupts;
	int stop; /* the signal that ended the waiting; 0: none */
	bool cancelled, leave;
};

/* "arun: ..." on stderr; with a carriage return where the terminal is raw. */
void run_say(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void run_wake(struct run *r, int64_t at_ms);

/* arun_tasks.c: one task's frames, and their ends. */
void task_hear(struct run *r, struct run_task *t);
void task_lost(struct run *r, struct run_task *t);
void tasks_begin(struct run *r);
void tasks_signal(struct run *r, int sig);
void tasks_resize(struct run *r);
bool tasks_over(const struct run *r);
int tasks_exit_code(const struct run *r);
/* Move what they wrote towards our descriptors. */
void tasks_drain(struct run *r, bool errors);

/* arun_input.c: standard input. */
bool input_wanted(struct run *r);
void input_read(struct run *r);

/* arun_signals.c: what we are told while we run. */
int signals_take(void);
void signals_read(struct run *r, int64_t now_ms);

/* arun_news.c: what the controller says of the job. */
void news_read(struct run *r);
void news_tell_waits(struct run *r, int64_t now_ms);

#endif
