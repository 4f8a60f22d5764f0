/*
 * The parts of arun: its command line (arun.c), a job of its own (arun_job.c), a step in a job that
 * runs (arun_step.c), the payload of the io stubs (arun_payload.c). arun-agent, which MPI launchers
 * call instead of ssh, is a step in one task.
 */
#ifndef CMD_ARUN_H
#define CMD_ARUN_H

#include "cmd/arun_listen.h"
#include "cmd/arun_relay.h"
#include "cmd/command.h"
#include "cmd/given.h"

/* What the command line says, beside the options of the job. */
struct arun {
	const struct command *self;
	bool label, pty, quiet, verbose, kill_on_bad_exit, overcommit, cyclic;
	const char *input, *output, *error;
	const char *job;   /* --job: a step in this one */
	const char *ranks; /* --ranks: in these tasks of it */
	int64_t retry_ms;
	struct given_line line;
};

/* Where the command's input comes from and its output goes. */
struct arun_files {
	enum run_input input;
	uint32_t input_rank;
	int out_fd, err_fd;
};

/* Opens what --input, --output and --error name; a file takes the place of standard input. */
int arun_open_files(const struct arun *a, struct arun_files *ret_files, struct err *err);
/* Of so many tasks, is there one to have the input? */
int arun_check_input(const struct arun_files *f, uint32_t tasks, struct err *err);

/* Run the command in a job of its own; the exit code, or a negative errno. */
int arun_job(struct arun *a, struct connection *c, struct err *err);
/* In the job that we are in, or the one of --job. */
int arun_step(struct arun *a, struct connection *c, struct err *err);
/* In one task of the job that we are in. */
int arun_in_task(struct arun *a, struct connection *c, uint32_t rank, const char *const *argv,
		 size_t argc, struct err *err);
bool arun_is_in_job(void);

/* The payload, packed into out; what is NULL or zero is left out. */
struct payload_plan {
	const struct listeners *listeners;
	const uint8_t *key;
	const char *const *argv;
	size_t argc;
	const struct buf *env;
	const char *chdir;
	bool pty, step;
	uint32_t size;
	const Armada__StubTask *tasks;
	size_t task_count;
	int64_t grace_ms;
};

void arun_payload(const struct payload_plan *plan, struct buf *out);

#endif
