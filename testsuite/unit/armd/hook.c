/*
 * Hooks, the programs of a site: their arguments, environment and limits; which programs are
 * refused; and when prolog and epilog of a job run.
 */
#include "box.h"

#include "armd/hooks/hook.h"
#include "armd/hooks/job.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct box box;

/* Writes a script with these lines into the box. */
static const char *program(const char *name, const char *lines)
{
	const char *path = arena_printf(box.arena, "%s/%s", box.dir, name);
	FILE *f = fopen(path, "we");

	if (!f)
		bail("%s", path);
	fprintf(f, "#!/bin/sh\n%s\n", lines);
	fclose(f);
	chmod(path, 0755);
	return path;
}

static int run(const char *lines, int64_t timeout_us, struct err *err)
{
	const char *argv[] = {program("hook", lines), "$(id)", "a b"};
	struct hook h = {"test", argv, ARRAY_SIZE(argv), timeout_us};
	struct hook_env *e = hook_env_new();
	int rc;

	err->text[0] = '\0';
	hook_env_set(e, "ARMADA_X", "%s", "it's \"$x\"");
	hook_env_set(e, "ARMADA_X", "%s", "again");
	rc = hook_run(&h, e, NULL, NULL, err);
	hook_env_free(e);
	return rc;
}

static void test_outcome(void)
{
	static const struct {
		const char *lines, *says;
	} rows[] = {
		{"exit 0", ""},
		{"echo fine; exit 0", ""},
		{"exit 4", "test: exit code 4"},
		{"echo; echo 'no  disk  '; echo more; exit 1", "test: no  disk (exit code 1)"},
		{"echo broken >&2; kill -9 $$", "test: broken (signal 9)"},
		{"printf 'a\\033[31mb'; exit 1", "test: a?[31mb (exit code 1)"},
		{"[ \"$1\" = '$(id)' ] && [ \"$2\" = 'a b' ] && [ $# = 2 ]", ""},
		{"[ \"$ARMADA_X\" = \"it's \\\"\\$x\\\"\" ] || { echo $ARMADA_X; exit 1; }", ""},
		{"[ \"$(env | grep -vcE '^(PATH|ARMADA_X|PWD|SHLVL|_|OLDPWD)=')\" = 0 ]", ""},
		{"read x; [ $? = 1 ] && [ \"$(pwd)\" = / ] && [ \"$(umask)\" = 0022 ]", ""},
		{"[ $(ls /proc/self/fd | wc -l) = 4 ]", ""},
		{"head -c 300000 /dev/zero | tr '\\0' x; exit 2", "xxx (exit code 2)"},
	};
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int rc = run(rows[i].lines, 10000000, &err);

		ok((rc == 0) == (rows[i].says[0] == '\0'), "%s", rows[i].lines);
		has_str(err.text, rows[i].says, "the text has the outcome");
	}
	ok(strlen(err.text) < HOOK_TEXT, "the text has a bounded length");
}

static void test_time(void)
{
	char lines[600];
	struct err err;
	int64_t from_us = box_now_us();
	const char *pids;
	bool alive = false;
	int one, two;

	snprintf(lines, sizeof(lines),
		 "setsid sleep 600 & echo $! >%s/pids\nsleep 601 & echo $! >>%s/pids\n"
		 "trap '' TERM HUP INT\nwait",
		 box.dir, box.dir);
	ok(run(lines, 1000000, &err) < 0, "a hook that hangs fails");
	has_str(err.text, "test: it ran longer than 1 s", "the text has the time limit");
	ok(box_now_us() - from_us < 9000000, "it ends in time");
	pids = box_read(&box, arena_printf(box.arena, "%s/pids", box.dir));
	ok(sscanf(pids, "%d %d", &one, &two) == 2, "the hook had two children");
	alive = kill(one, 0) == 0 || kill(two, 0) == 0;
	ok(!alive, "both are dead, whatever their session");
	is_int(run("sleep 600 & exit 0", 10000000, &err), 0,
	       "a hook that leaves a process behind succeeds");
	ok(box_now_us() - from_us < 9000000, "the process is not waited for");
}

/*
 * A link is refused if other users may write to the directory of its target, because they can
 * replace the program.
 */
static void test_check_links(const char *program_path)
{
	const char *open_dir = arena_printf(box.arena, "%s/open", box.dir);
	const char *target = arena_printf(box.arena, "%s/program", open_dir);
	const char *argv[] = {arena_printf(box.arena, "%s/link", box.dir)};
	struct hook h = {"test", argv, 1, 1000000};
	struct err err;

	chmod(program_path, 0755);
	if (mkdir(open_dir, 0755) < 0 || link(program_path, target) < 0 ||
	    symlink(target, argv[0]) < 0)
		bail("%s", open_dir);
	is_int(hook_check(&h, &err), 0, "a link to a program of root is accepted");
	chmod(open_dir, 0777);
	is_int(hook_check(&h, &err), -EPERM,
	       "a link into a directory that all may write to is refused");
	has_str(err.text, "/open", "the text names the directory");
}

static void test_check(void)
{
	const char *argv[] = {program("bad", "exit 0")};
	struct hook h = {"test", argv, 1, 1000000}, none = {"test", NULL, 0, 0};
	struct hook_env *e = hook_env_new();
	struct err err;

	is_int(hook_check(&h, &err), 0, "a program of root is accepted");
	is_int(hook_check(&none, &err), 0, "no program is accepted");
	chmod(argv[0], 0775);
	is_int(hook_check(&h, &err), -EPERM, "a program that others may write to is refused");
	ok(hook_run(&h, e, NULL, NULL, &err) < 0, "it is not run either");
	hook_env_free(e);
	chmod(argv[0], 0644);
	is_int(hook_check(&h, &err), -EACCES, "a program that is not executable");
	test_check_links(argv[0]);
	argv[0] = box.dir;
	is_int(hook_check(&h, &err), -EACCES, "a directory");
	argv[0] = "/no/such/file";
	is_int(hook_check(&h, &err), -ENOENT, "a missing file");
	argv[0] = "true";
	is_int(hook_check(&h, &err), -EINVAL, "a relative path");
}

/* Tasks of one job start and end: each is a process, as shepherds are. */
static pid_t task(const struct hooks *h, const char *name, int64_t hold_ms)
{
	static const uint64_t gpus[PLACE_GPUS / 64];
	struct task_key key = {.job = 7, .attempt = 1};
	struct job_part part;
	struct err err;
	pid_t pid = fork();
	int fd, rc;

	if (pid != 0)
		return pid;
	rc = job_enter(&box.spool, h, &key, gpus, hook_env_new(), &part, &err);
	fd = open(arena_printf(box.arena, "%s/in.%s", box.dir, name), O_CREAT | O_WRONLY, 0644);
	if (write(fd, rc == 0 ? "+" : "-", 1) != 1)
		_exit(9);
	usleep((useconds_t)hold_ms * 1000);
	_exit((rc < 0) + 2 * (job_leave(&part, &err) < 0));
}

static int exit_of(pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *in_log(void)
{
	const char *path = arena_printf(box.arena, "%s/log", box.dir);
	const char *text = box_read(&box, path);

	unlink(path);
	return text;
}

static void test_job(void)
{
	const char *log = arena_printf(box.arena, "%s/log", box.dir);
	const char *pro[] = {
		program("pro", arena_printf(box.arena, "sleep 0.1; echo p >>%s", log))};
	const char *epi[] = {
		program("epi", arena_printf(box.arena, "sleep 0.1; echo e >>%s", log))};
	const char *bad[] = {program("fail", arena_printf(box.arena, "echo f >>%s; exit 1", log))};
	struct hooks h = {.prolog = {"prolog", pro, 1, 10000000},
			  .epilog = {"epilog", epi, 1, 10000000}};
	struct err err;
	pid_t pids[8];
	int sum = 0;

	for (int round = 0; round < 5; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
			pids[i] = task(&h, "all", 300);
		for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
			sum += exit_of(pids[i]);
	}
	is_int(sum, 0, "eight tasks at once, five times");
	is_str(in_log(), "p\ne\np\ne\np\ne\np\ne\np\ne\n",
	       "one prolog and one epilog run each time");
	pids[0] = task(&h, "one", 600000);
	ok(box_wait_file(arena_printf(box.arena, "%s/in.one", box.dir)), "a task runs");
	is_int(job_sweep(&box.spool, &h, &err), 0, "a sweep during the task");
	is_str(in_log(), "p\n", "its epilog does not run");
	kill(pids[0], SIGKILL);
	exit_of(pids[0]);
	is_int(job_sweep(&box.spool, &h, &err), 0, "a sweep after the task was killed");
	is_str(in_log(), "e\n", "its epilog runs");
	is_int(job_sweep(&box.spool, &h, &err), 0, "a second sweep");
	is_str(in_log(), "", "the epilog does not run again");
	pids[0] = task(&h, "two", 600000);
	ok(box_wait_file(arena_printf(box.arena, "%s/in.two", box.dir)), "another task runs");
	kill(pids[0], SIGKILL);
	exit_of(pids[0]);
	is_int(exit_of(task(&h, "two", 0)), 0,
	       "it is killed, and another task of the job starts before a sweep");
	is_str(in_log(), "p\ne\np\ne\n", "each prolog has its epilog");
	h.prolog.argv = bad;
	is_int(exit_of(task(&h, "bad", 0)), 1, "a prolog fails");
	is_str(in_log(), "f\ne\n", "its epilog runs");
	h.epilog.argv = bad;
	is_int(exit_of(task(&h, "bad", 0)), 3, "prolog and epilog fail");
	is_str(in_log(), "f\nf\n", "each runs once");
}

int main(int argc, char **argv)
{
	box_be_probe(argc, argv);
	box_open(&box);
	test_check();
	test_outcome();
	test_time();
	test_job();
	box_close(&box);
	return done();
}
