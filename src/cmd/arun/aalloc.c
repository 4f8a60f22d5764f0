/*
 * aalloc: allocate resources, and run a command beside them on this machine.
 *
 * A child process is attached to a job as arun is. The first task of the job prints its environment and
 * then reads standard input, a pipe that aalloc holds open: the job ends when aalloc does, however it
 * ends. The other tasks stand by for steps. When the environment has arrived, the job has started, and the
 * command runs here with the variables that describe the job, so that arun starts steps in it.
 *
 * Caveat: the variables come from a node. Only those that every job may have (client/environ.h) are taken,
 * and none that names a file of the node.
 */
#include "cmd/arun/arun.h"

#include "client/environ.h"
#include "cmd/arun/job.h"
#include "util/mem.h"
#include "util/names.h"
#include "util/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENVIRONMENT_MAX = 4 << 20 };

struct aalloc {
	struct arun arun;
	int end_signal;         /* to the command when the job ends before it; 0: none */
	int hold[2], report[2]; /* pipes: standard input and output of the job */
	int job_status;         /* of wait, once the child has ended */
	bool job_over;
};

/* What the first task of the job runs. */
static const char *const holder[] = {"sh", "-c", "env -0; echo; exec cat >/dev/null"};

/* The child that is attached to the job, and the command. 0: none. */
static volatile pid_t job_pid, command_pid;

static int set_end_signal(void *target, const void *data, const char *value, struct err *err)
{
	struct aalloc *a = target;

	(void)data;
	a->end_signal = SIGTERM;
	return value ? signal_parse(value, &a->end_signal, err) : 0;
}

#define REFUSED OPT_REFUSE("aalloc runs its command on this machine; this is an option of arun")

static const struct opt rows[] = {
	{"kill-command", NULL, 'K', "[SIG]", OPT_WITH(set_end_signal, NULL),
	 "Signal to the command when the allocation ends before it (default: none; without SIG: TERM)"},
	{"quiet", NULL, 'Q', NULL, OPT_FLAG(struct arun, quiet), "Print errors only"},
	{"verbose", NULL, 'v', NULL, OPT_FLAG(struct arun, verbose),
	 "Print more: the id of the job as soon as it waits"},
	{"retry-for", NULL, 0, "TIME", OPT_DURATION(struct arun, retry_ms, 1000, 0, ""),
	 "How long to retry while no controller answers (default: 5m)"},
};

/* Options of a job that make no sense here. They come before spec_options and are not in --help. */
static const struct opt hidden_rows[] = {
	{"array", NULL, 'a', "LIST", REFUSED, NULL},
	{"elastic", NULL, 0, "[yes|no]", REFUSED, NULL},
	{"elastic-signal", NULL, 0, "SIG", REFUSED, NULL},
	{"error", NULL, 'e', "FILE", REFUSED, NULL},
	{"gang-cardinality", NULL, 0, "N", REFUSED, NULL},
	{"gang-id", NULL, 0, "NAME", REFUSED, NULL},
	{"gang-min", NULL, 0, "N", REFUSED, NULL},
	{"hold", NULL, 'H', NULL, REFUSED, NULL},
	{"input", NULL, 'i', "FILE", REFUSED, NULL},
	{"launch", NULL, 0, "WHICH", REFUSED, NULL},
	{"mpi", NULL, 0, "WHICH", REFUSED, NULL},
	{"no-requeue", NULL, 0, NULL, REFUSED, NULL},
	{"on-task-failure", NULL, 0, "POLICY", REFUSED, NULL},
	{"open-mode", NULL, 0, "MODE", REFUSED, NULL},
	{"output", NULL, 'o', "FILE", REFUSED, NULL},
	{"requeue", NULL, 0, NULL, REFUSED, NULL},
};

static const struct opt_table own_options = {"Control", rows, ARRAY_SIZE(rows)};
static const struct opt_table hidden_options = {NULL, hidden_rows, ARRAY_SIZE(hidden_rows)};
static const struct opt_table *const tables[] = {&own_options, &hidden_options, &spec_options,
						 &command_options, NULL};
static const char *const usages[] = {"[option...] [command [argument...]]", NULL};

static int run(int argc, char **argv, struct err *err);

static const struct command aalloc = {
	.name = "aalloc",
	.summary = "Allocate resources, and run a command here that uses them with arun",
	.usages = usages,
	.tables = tables,
	.notes =
		"Without a command, runs your shell. Returns the exit code of the command; 128+n for a "
		"signal n. See aalloc(1).",
	.run = run,
};

/* The child: attached to the job until it ends. Returns what aalloc returns if the job never starts. */
static int attach(struct aalloc *a, const char *name, struct err *err)
{
	struct connection *c = NULL;
	int rc;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setpgid(0, 0); /* ^C is for the command */
	dup2(a->hold[0], STDIN_FILENO);
	dup2(a->report[1], STDOUT_FILENO);
	for (int i = 0; i < 2; i++) {
		close(a->hold[i]);
		close(a->report[i]);
	}
	a->arun.line.operands = holder;
	a->arun.line.operand_count = ARRAY_SIZE(holder);
	a->arun.holds = name;
	rc = connection_new(&c, NULL, err);
	if (rc == 0)
		rc = arun_job(&a->arun, c, err);
	connection_free(c);
	return rc;
}

/* Reads the environment of the first task; false: the job ended before it had started. */
static bool read_environment(int fd, struct buf *text)
{
	char part[4096];
	ssize_t n;

	while (text->len < ENVIRONMENT_MAX) {
		n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		buf_add(text, part, (size_t)n);
		if (text->len > 1 && memcmp(text->data + text->len - 2, "\0\n", 2) == 0)
			return true;
	}
	return false;
}

/* Variables of the first task alone: its place, and files of its node. */
static bool is_of_task(const char *name)
{
	static const char *const names[] = {
		"ARMADA_HOST_FILE", "ARMADA_LOCAL_RANK",      "ARMADA_NODE_ID",
		"ARMADA_NODE_NAME", "ARMADA_RANK_FILE",       "ARMADA_STEP_LOCAL_RANK",
		"ARMADA_STEP_RANK", "ARMADA_STEP_LOCAL_SIZE", "ARMADA_STEP_SIZE",
		"ARMADA_STEP_ID",   "ARMADA_SUBMIT_DIR",      "ARMADA_TASK_RANK",
	};
	return names_have(names, ARRAY_SIZE(names), name);
}

/* True for a variable of a task that describes the whole job. */
static bool is_of_job(const char *entry)
{
	size_t count, len = strcspn(entry, "=");
	const struct task_variable *known = environ_task_variables(&count);

	for (size_t i = 0; i < count && entry[len]; i++)
		if (strlen(known[i].name) == len && memcmp(known[i].name, entry, len) == 0)
			return !is_of_task(known[i].name);
	return false;
}

static void set_environment(const struct buf *text)
{
	const char *p = (const char *)text->data, *end = p + text->len - 1;

	for (; p < end; p += strlen(p) + 1)
		if (is_of_job(p)) {
			size_t len = strcspn(p, "=");
			CLEANUP_FREE char *name = xstrndup(p, len);

			setenv(name, p + len + 1, 1);
		}
}

/* aalloc may itself run in a job. */
static void forget_outer_job(void)
{
	size_t count;
	const struct task_variable *known = environ_task_variables(&count);

	for (size_t i = 0; i < count; i++)
		unsetenv(known[i].name);
}

/* The command gets it once it runs; before that, the job is cancelled. */
static void pass_on(int sig)
{
	if (command_pid > 0)
		kill(command_pid, sig);
	else if (job_pid > 0)
		kill(job_pid, SIGTERM);
}

static void take_signals(void)
{
	struct sigaction pass = {.sa_handler = pass_on, .sa_flags = SA_RESTART};

	sigaction(SIGTERM, &pass, NULL);
	sigaction(SIGHUP, &pass, NULL);
	sigaction(SIGINT, &pass, NULL);
}

static int code_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static _Noreturn void execute(char *const *argv)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	execvp(argv[0], argv);
	command_warn(&aalloc, "%s: %s", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void note_end_of_job(struct aalloc *a, int status)
{
	a->job_over = true;
	a->job_status = status;
	command_warn(&aalloc, "job %s has ended, and its resources with it%s",
		     getenv("ARMADA_JOB_ID"),
		     a->end_signal ? "" : "; the command goes on without them");
	if (a->end_signal)
		kill(command_pid, a->end_signal);
}

/* Runs the command; returns its exit code. */
static int run_command(struct aalloc *a, char *const *argv)
{
	int status = 0;
	pid_t pid;

	/* as in system(3): the keys of the terminal are for the command */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	command_pid = fork();
	if (command_pid == 0)
		execute(argv);
	if (command_pid < 0) {
		command_warn(&aalloc, "cannot fork: %s", strerror(errno));
		return 1;
	}
	while ((pid = waitpid(-1, &status, 0)) != command_pid)
		if (pid == job_pid)
			note_end_of_job(a, status);
		else if (pid < 0 && errno != EINTR)
			break;
	return code_of(status);
}

static int wait_for_job(struct aalloc *a)
{
	while (!a->job_over && waitpid(job_pid, &a->job_status, 0) < 0 && errno == EINTR)
		;
	return code_of(a->job_status);
}

static int use_allocation(struct aalloc *a, char *const *argv)
{
	CLEANUP_BUF struct buf text = {0};
	int code;

	if (!read_environment(a->report[0], &text))
		return wait_for_job(a); /* it has printed why */
	forget_outer_job();
	set_environment(&text);
	if (!a->arun.quiet)
		fprintf(stderr, "aalloc: job %s has %s\n", getenv("ARMADA_JOB_ID"),
			getenv("ARMADA_NODE_LIST"));
	code = run_command(a, argv);
	close(a->hold[1]);
	wait_for_job(a);
	return code;
}

static int allocate(struct aalloc *a, char *const *argv, struct err *err)
{
	const char *slash = strrchr(argv[0], '/');

	if (pipe2(a->hold, O_CLOEXEC) < 0 || pipe2(a->report, O_CLOEXEC) < 0)
		return err_sys(err, -errno, "cannot make a pipe");
	fflush(NULL);
	take_signals();
	job_pid = fork();
	if (job_pid < 0)
		return err_sys(err, -errno, "cannot fork");
	if (job_pid == 0)
		return attach(a, slash ? slash + 1 : argv[0], err);
	close(a->hold[0]);
	close(a->report[1]);
	return use_allocation(a, argv);
}

static int run(int argc, char **argv, struct err *err)
{
	struct aalloc a = {.arun = {.self = &aalloc, .retry_ms = 5 * 60 * 1000}};
	const char *shell = getenv("SHELL");
	char *const own[] = {(char *)(uintptr_t)(shell && *shell ? shell : "/bin/sh"), NULL};
	int rc = deferred_options_read(&a.arun.line, tables, argc, argv, &a, err);

	if (rc == 0)
		rc = allocate(&a,
			      a.arun.line.operand_count
				      ? (char *const *)(uintptr_t)a.arun.line.operands
				      : own,
			      err);
	deferred_options_done(&a.arun.line);
	return rc;
}

int main(int argc, char **argv)
{
	return command_main(&aalloc, argc, argv);
}
