/*
 * Staying with what runs: from the moment when tasks may come back to us until all have ended.
 *
 * Input, output, signals and the ends of tasks pass through here, whoever started them: a job of
 * its own, a step in a job, an MPI launcher. When it returns everything that tasks wrote has been
 * written, and the terminal is as it was.
 */
#pragma once

#include "cmd/arun/links.h"
#include "cmd/arun/watch.h"

enum run_input { INPUT_ALL, INPUT_ONE, INPUT_NONE };

/* What to do; everything is borrowed. */
struct run_plan {
	const char *name; /* of the command, for messages */
	const struct listeners *listeners;
	const uint8_t *key;
	uint32_t tasks; /* at most; the stubs say how many there are */
	enum run_input input;
	uint32_t input_rank; /* with INPUT_ONE */
	int out_fd, err_fd;  /* for what tasks write */
	bool label, pty, quiet, verbose, kill_on_bad_exit;
	bool interrupts; /* ^C once shows the tasks, and only twice is for them */
	uint64_t job;    /* for messages */
	/* of a job of our own; NULL: what runs is part of another */
	struct watch *watch;
	void (*cancel)(void *ctx, const char *why);
	void *ctx;
	/* how long all tasks may take to come back; 0: as long as the job does */
	int64_t connect_timeout_ms;
};

/*
 * The exit code for the command: the highest of the tasks, 128+n for a signal; or a negative errno
 * when it came to nothing. Signals are blocked meanwhile, and stay so.
 */
int arun_relay(const struct run_plan *plan, struct err *err);
