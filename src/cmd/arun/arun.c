/*
 * arun: run a command as a job and stay attached to it; inside a job, run it in the tasks of the
 * job.
 *
 * Here are the options, and the choice between a job of its own (job.c) and a step (step.c). The
 * result is the exit code of the command. Options that make no sense for an attached job are
 * refused.
 */
#include "cmd/arun/arun.h"

#include "cmd/arun/job.h"
#include "cmd/arun/step.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

static int set_distribution(void *target, const char *value, struct err *err)
{
	struct arun *a = target;

	if (strcmp(value, "block") != 0 && strcmp(value, "cyclic") != 0)
		return err_set(err, -EINVAL, "'%s' must be block or cyclic", value);
	a->cyclic = value[0] == 'c';
	return 0;
}

/* An option that makes no sense for an attached job. */
#define REFUSED OPT_REFUSE("arun runs one attached job; this is an option of asubmit")

static const struct opt rows[] = {
	{"label", NULL, 'l', NULL, OPT_FLAG(struct arun, label),
	 "Print the rank before each line of output"},
	{"pty", NULL, 0, NULL, OPT_FLAG(struct arun, pty),
	 "Run the command on a terminal of its own: arun --pty bash"},
	{"input", NULL, 'i', "WHAT", OPT_WORD(struct arun, input),
	 "Send standard input to: all, none, or the task of this rank; or read this file instead"},
	{"output", NULL, 'o', "FILE", OPT_WORD(struct arun, output),
	 "Write standard output to this file; none discards it"},
	{"error", NULL, 'e', "FILE", OPT_WORD(struct arun, error),
	 "Write standard error to this file (default: to that of --output)"},
	{"kill-on-bad-exit", NULL, 'K', NULL, OPT_FLAG(struct arun, kill_on_bad_exit),
	 "End the other tasks when one fails"},
	{"mpi", NULL, 0, "WHICH", OPT_WORD(struct arun, mpi),
	 "pmi1: start MPICH programs; none; auto (default): what the program is linked with needs"},
	{"quiet", NULL, 'Q', NULL, OPT_FLAG(struct arun, quiet), "Print errors only"},
	{"verbose", NULL, 'v', NULL, OPT_FLAG(struct arun, verbose),
	 "Print more: the id of the job, the kind of MPI, and refused connections"},
	{"retry-for", NULL, 0, "TIME", OPT_DURATION(struct arun, retry_ms, 1000, 0, ""),
	 "How long to retry while no controller answers (default: 5m)"},
};

static const struct opt step_rows[] = {
	{"overcommit", NULL, 'O', NULL, OPT_FLAG(struct arun, overcommit),
	 "Allow more tasks than the job has cpus"},
	{"distribution", NULL, 'm', "WAY", OPT_CALL(set_distribution),
	 "block (default): ranks fill one node after the other; cyclic: each node in turn"},
	{"ranks", NULL, 0, "LIST", OPT_WORD(struct arun, ranks),
	 "Use only these tasks of the job: 0, 2-3"},
	{"job", "jobid", 0, "ID", OPT_WORD(struct arun, job),
	 "Run the command in this running job of yours (default: the job that arun is in)"},
};

/*
 * Options of a job that arun refuses. Rows without help are not in --help; they come before
 * spec_options.
 */
static const struct opt hidden_rows[] = {
	{"array", NULL, 'a', "LIST", REFUSED, NULL},
	{"gang-id", NULL, 0, "NAME", REFUSED, NULL},
	{"gang-cardinality", NULL, 0, "N", REFUSED, NULL},
	{"gang-min", NULL, 0, "N", REFUSED, NULL},
	{"hold", NULL, 'H', NULL, REFUSED, NULL},
	{"requeue", NULL, 0, NULL, REFUSED, NULL},
	{"no-requeue", NULL, 0, NULL, REFUSED, NULL},
	{"open-mode", NULL, 0, "MODE", REFUSED, NULL},
	{"on-task-failure", NULL, 0, "POLICY", REFUSED, NULL},
	{"elastic", NULL, 0, "[yes|no]", REFUSED, NULL},
	{"elastic-signal", NULL, 0, "SIG", REFUSED, NULL},
	{"x11", NULL, 0, "[HOW]",
	 OPT_REFUSE(
		 "arun forwards no X11; run the program in a remote desktop that the job starts"),
	 NULL},
};

static const struct opt_table own_options = {"Input, output and control", rows, ARRAY_SIZE(rows)};
static const struct opt_table step_options = {"Inside a job", step_rows, ARRAY_SIZE(step_rows)};
static const struct opt_table hidden_options = {NULL, hidden_rows, ARRAY_SIZE(hidden_rows)};
static const struct opt_table *const tables[] = {&own_options,  &step_options,    &hidden_options,
						 &spec_options, &command_options, NULL};
static const char *const usages[] = {
	"[option...] command [argument...]",
	"--job ID [option...] command [argument...]",
	NULL,
};

static int run(int argc, char **argv, struct err *err);

static const struct command arun = {
	.name = "arun",
	.summary =
		"Run a command as a job, or in the tasks of a running job, and stay attached to it",
	.usages = usages,
	.tables = tables,
	.notes = "Returns the highest exit code of the tasks; 128+n for a signal n. See arun(1).",
	.run = run,
};

static int run(int argc, char **argv, struct err *err)
{
	struct arun a = {.self = &arun, .retry_ms = 5 * 60 * 1000};
	struct connection *c = NULL;
	int rc = deferred_options_read(&a.line, tables, argc, argv, &a, err);

	if (rc == 0)
		rc = connection_new(&c, NULL, err);
	if (rc == 0)
		rc = a.job || arun_is_in_job() ? arun_step(&a, c, err) : arun_job(&a, c, err);
	connection_free(c);
	deferred_options_done(&a.line);
	return rc;
}

int main(int argc, char **argv)
{
	return command_main(&arun, argc, argv);
}
