/*
 * arun-agent: the program that mpirun calls instead of ssh, as "agent [option...] HOST command...".
 *
 * It runs the command as a step in the first task of the job on HOST, and stays attached to it. The
 * environment of the job names it to Open MPI and MPICH; users call arun. Options of ssh and rsh
 * are skipped.
 */
#include "cmd/arun/step.h"
#include "util/mem.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

/* Options of ssh and rsh that take a value; all options are ignored. */
static const char with_value[] = "BbcDEeFIiJLlmOopQRSWw";

enum { AGENT_WORDS = 8 };

struct call {
	const char *host;
	char **words; /* of the command */
	int count;
};

static int read_line(int argc, char **argv, struct call *ret_call, struct err *err)
{
	int at = 1;

	while (at < argc && argv[at][0] == '-') {
		bool value = argv[at][1] && strchr(with_value, argv[at][1]) && !argv[at][2];

		at += value ? 2 : 1;
	}
	if (at + 1 >= argc)
		return err_set(err, -EINVAL, "usage: arun-agent [option...] HOST command...");
	*ret_call = (struct call){argv[at], argv + at + 1, argc - at - 1};
	return 0;
}

static bool same_host(const char *a, const char *b)
{
	size_t n = strcspn(a, ".");

	if (strcmp(a, b) == 0)
		return true;
	/* a launcher may leave out the domain */
	return strcspn(b, ".") == n && strncmp(a, b, n) == 0 && (!a[n] || !b[n]);
}

/* The file of hosts has a line for each task, ordered by rank. */
static int find_rank(const char *host, uint32_t *ret_rank, struct err *err)
{
	const char *path = getenv("ARMADA_HOST_FILE");
	FILE *f = path ? fopen(path, "re") : NULL;
	char line[512];
	uint32_t rank = 0;
	bool found = false;

	if (!f)
		return err_set(err, -ENOENT,
			       "%s: ARMADA_HOST_FILE names no readable file; run this inside a job "
			       "of several tasks with --launch=first",
			       host);
	while (!found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		found = same_host(line, host);
		rank += !found;
	}
	fclose(f);
	if (!found)
		return err_set(err, -ENOENT, "%s is not one of the job's nodes", host);
	*ret_rank = rank;
	return 0;
}

/* Joins the words with blanks into a line for the shell of the user, as ssh does. */
static void make_line(const struct call *call, struct buf *out)
{
	for (int i = 0; i < call->count; i++)
		buf_addf(out, "%s%s", i ? " " : "", call->words[i]);
}

/*
 * The login shell of the user, because mpirun writes the command line for it; /bin/sh for an
 * account without a login shell.
 */
static const char *shell(void)
{
	const struct passwd *pw = getpwuid(geteuid());
	const char *allowed;

	setusershell();
	while (pw && (allowed = getusershell()))
		if (strcmp(allowed, pw->pw_shell) == 0)
			return pw->pw_shell;
	return "/bin/sh";
}

/*
 * The step's words. arun-rank gives the daemon the cpus of all tasks of the job on the node. A node of
 * an earlier release has no arun-rank: there the shell runs without it.
 */
static void make_words(const struct call *call, const char *line, char *program,
		       const char *ret_words[AGENT_WORDS])
{
	static const char start[] = "test -x \"$0\" && exec \"$0\" \"$@\"; shift; exec \"$@\"";
	const char *slash = strrchr(call->words[0], '/');
	bool hydra = strncmp(slash ? slash + 1 : call->words[0], "hydra_", 6) == 0;
	const char *words[AGENT_WORDS] = {
		"/bin/sh", "-c", start, program, hydra ? "--hydra" : "--daemon",
		shell(),   "-c", line};

	memcpy(ret_words, words, sizeof(words));
}

/* arun-rank is beside this program. */
static void rank_path(char ret_path[PATH_MAX])
{
	char self[PATH_MAX - sizeof("/arun-rank")];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	snprintf(ret_path, PATH_MAX, "%.*sarun-rank", slash ? (int)(slash + 1 - self) : 0, self);
}

static int run(int argc, char **argv, struct err *err);

static const struct command agent = {.name = "arun-agent", .run = run};

static int run(int argc, char **argv, struct err *err)
{
	struct arun a = {.self = &agent, .retry_ms = 60 * 1000, .quiet = true};
	CLEANUP_BUF struct buf line = {0};
	struct connection *c = NULL;
	struct call call = {0};
	const char *words[AGENT_WORDS];
	char program[PATH_MAX];
	uint32_t rank = 0;
	int rc = read_line(argc, argv, &call, err);

	if (rc == 0)
		rc = find_rank(call.host, &rank, err);
	if (rc == 0)
		rc = connection_new(&c, NULL, err);
	if (rc == 0) {
		make_line(&call, &line);
		rank_path(program);
		make_words(&call, (char *)line.data, program, words);
		rc = arun_in_task(&a, c, rank, words, AGENT_WORDS, err);
	}
	connection_free(c);
	return rc;
}

int main(int argc, char **argv)
{
	return command_main(&agent, argc, argv);
}
