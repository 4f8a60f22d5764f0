/*
 * The relay between arun and its tasks: from the time when the stubs connect until all tasks have
 * ended.
 *
 * It passes on input, output, signals and the ends of tasks, for a job of its own, a step in a job
 * and an MPI launcher alike. When it returns, all output of the tasks has been written, and the
 * terminal is restored.
 */
#pragma once

#include "cmd/arun/links.h"
#include "cmd/arun/watch.h"

enum run_input { INPUT_ALL, INPUT_ONE, INPUT_NONE };

/* The parameters of a relay; everything is borrowed. */
struct run_plan {
	const char *name; /* of the command, for messages */
	const struct listeners *listeners;
	const uint8_t *key;
	uint32_t tasks; /* at most; the stubs report how many there are */
	enum run_input input;
	uint32_t input_rank; /* with INPUT_ONE */
	int out_fd, err_fd;  /* for the output of the tasks */
	bool label, pty, quiet, verbose, kill_on_bad_exit;
	bool mpi;        /* the tasks are ranks of an mpi plugin */
	bool interrupts; /* the first ^C only prints the state; the second is passed on */
	uint64_t job;    /* for messages */
	/* for a job of its own; NULL for a step */
	struct watch *watch;
	void (*cancel)(void *ctx, const char *why);
	void *ctx;
	/* how long all tasks may take to connect; 0: as long as the job exists */
	int64_t connect_timeout_ms;
};

/*
 * Returns the exit code of the command: the highest of the tasks, 128+n for a signal; or a negative
 * errno if the tasks did not start. Blocks signals, and leaves them blocked.
 */
int arun_relay(const struct run_plan *plan, struct err *err);
