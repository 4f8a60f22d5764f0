/*
 * The steps from root to the program of the user: their order, that each is verified, and that the
 * program does not run if one fails. Each step in turn is made to fail, and then to do nothing and
 * report success.
 */
#include "box.h"

#include "agent/place.h"
#include "armd/task/body.h"
#include "armd/task/oom_score.h"
#include "armd/task/run.h"
#include "armd/task/task.h"
#include "tap/tap.h"
#include "util/mem.h"
#include "util/rlimits.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS_MAX = 64, STRAY_FD = 50, SOFT_NOFILE = 77 };

static struct box box;
static char report_path[400];
static const uint64_t first_cpu[PLACE_CPUS / 64] = {1};
static bool in_container; /* root cannot lower the oom_score_adj with which it was started */

static int fails(const struct task *t, struct err *err)
{
	(void)t;
	return err_set(err, -EPERM, "it is made to fail");
}

static int does_nothing(const struct task *t, struct err *err)
{
	(void)t;
	(void)err;
	return 0;
}

/* Sets all properties of the process that the steps must undo. */
static void be_a_bad_daemon(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2] = {{0}};
	sigset_t some;
	int null = open("/dev/null", O_RDONLY);

	syscall(SYS_capget, &head, caps);
	caps[0].inheritable = caps[0].permitted;
	syscall(SYS_capset, &head, caps);
	oom_score_set(123);
	if (in_container) {
		caps[0].effective &= ~(1U << CAP_SYS_RESOURCE);
		caps[0].permitted &= ~(1U << CAP_SYS_RESOURCE);
		caps[0].inheritable = 0;
		syscall(SYS_capset, &head, caps);
	}
	setpriority(PRIO_PROCESS, 0, -5);
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	syscall(SYS_add_key, "user", "armada-test", "x", 1, KEY_SPEC_SESSION_KEYRING);
	signal(SIGUSR1, SIG_IGN);
	sigemptyset(&some);
	sigaddset(&some, SIGHUP);
	sigprocmask(SIG_BLOCK, &some, NULL);
	umask(0);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	dup2(null, STRAY_FD);
	setenv("SECRET_OF_THE_DAEMON", "1", 1);
	if (chdir("/") < 0)
		_exit(1);
}

static Armada__TaskBody *probe_body(void)
{
	static Armada__Rlimit nofile;
	static Armada__Rlimit *limits[] = {&nofile};
	Armada__TaskBody *body = box_body(&box, 1, box.probe, "probe", report_path, NULL);

	armada__rlimit__init(&nofile);
	nofile.name = (char *)"nofile";
	nofile.soft = SOFT_NOFILE;
	body->rlimits = limits;
	body->n_rlimits = 1;
	body->umask = 027;
	return body;
}

/* Returns the exit status and the reported text. */
static int run_steps(const struct task_step *list, size_t count, char text[600])
{
	static const struct armada_contain_limits none;
	const struct armada_contain_ops *contain = box_contain();
	struct task t = {.body = probe_body(),
			 .privileged = geteuid() == 0,
			 .stdio = true,
			 .gate = -1,
			 .payload = -1,
			 .cpus = geteuid() == 0 ? first_cpu : NULL,
			 .contain = contain,
			 .shepherd = getpid()};
	int fds[2], status = -1;
	ssize_t n;
	pid_t pid;

	unlink(report_path);
	if (contain->prepare(&t.contain_handle, "x", &none, box_contain_values, NULL) < 0 ||
	    pipe2(fds, O_CLOEXEC) < 0)
		bail("cannot prepare");
	t.report = fds[1];
	t.argv = task_body_argv(t.body, NULL, box.arena);
	t.envp = task_body_environment(t.body, box.arena);
	pid = fork();
	if (pid == 0) {
		if (t.privileged)
			be_a_bad_daemon();
		task_exec_steps(list, count, &t);
	}
	close(fds[1]);
	n = read(fds[0], text, 599);
	text[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	waitpid(pid, &status, 0);
	contain->finish(t.contain_handle);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void is_stopped(const struct task_step *s, int status, const char *text, const char *how)
{
	bool of_node = s->flags & STEP_NODE;
	char want[64];

	is_int(status, 127, "%s %s: the program does not start", s->name, how);
	is_int(access(report_path, F_OK), -1, "%s %s: the program has not run", s->name, how);
	is_int(text[0] == TASK_BLAMES_NODE, of_node, "%s %s: the node is at fault, or the job",
	       s->name, how);
	snprintf(want, sizeof(want), "step %s: ", s->name);
	if (of_node)
		has_str(text, want, "the text names the step");
	else
		ok(text[0] != '\0', "the text gives the reason: %s", text);
}

static bool is_for_us(const struct task_step *s)
{
	return s->flags & STEP_TASK && (geteuid() == 0 || !(s->flags & STEP_ROOT));
}

static void test_each_fails(void)
{
	size_t count;
	const struct task_step *steps = task_steps(&count);
	struct task_step list[STEPS_MAX];
	char text[600];

	for (size_t i = 0; i < count; i++) {
		if (!is_for_us(&steps[i]))
			continue;
		memcpy(list, steps, count * sizeof(*list));
		list[i].take = fails;
		is_stopped(&steps[i], run_steps(list, count, text), text, "fails");
	}
}

/* A machine may have one cpu, or no keyrings: then the step changes nothing. */
static bool can_differ(const struct task_step *s)
{
	if (strcmp(s->name, "cpus") == 0)
		return sysconf(_SC_NPROCESSORS_ONLN) > 1;
	if (strcmp(s->name, "keyring") == 0)
		return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1) > 0;
	return true;
}

static void test_each_lies(void)
{
	size_t count;
	const struct task_step *steps = task_steps(&count);
	struct task_step list[STEPS_MAX];
	char text[600];

	if (geteuid() != 0) {
		skip("only root has privileges to drop");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (!steps[i].check)
			continue;
		if (!can_differ(&steps[i])) {
			skip("%s: this machine has none", steps[i].name);
			continue;
		}
		memcpy(list, steps, count * sizeof(*list));
		list[i].take = does_nothing;
		is_stopped(&steps[i], run_steps(list, count, text), text, "does nothing");
	}
}

static void test_all(void)
{
	static const char *const empty[] = {"CapInh", "CapPrm", "CapEff",
					    "CapBnd", "CapAmb", "SigBlk"};
	size_t count;
	const struct task_step *steps = task_steps(&count);
	char text[600] = "", want[200];
	const char *report;

	is_int(run_steps(steps, count, text), 0, "with all steps the program runs");
	is_str(text, "", "no text is reported");
	report = box_read(&box, report_path);
	has_str(report, "fds 0 1 2\n", "it has three descriptors");
	snprintf(want, sizeof(want), "uid %u %u %u\n", box.uid, box.uid, box.uid);
	has_str(report, want, "it runs as its user");
	has_str(report, "umask 027\nnnp 1\nsession 1\n",
		"it has its umask, no new privileges, and its own session");
	snprintf(want, sizeof(want), "limit nofile %d\n", SOFT_NOFILE);
	has_str(report, want, "it has the limit of the order");
	has_str(report, "limit core 0\n", "the core limit has its default");
	ok(!strstr(report, "SECRET"), "it has no variable of the daemon");
	for (size_t i = 0; geteuid() == 0 && i < ARRAY_SIZE(empty); i++) {
		snprintf(want, sizeof(want), "%s:\t0000000000000000\n", empty[i]);
		has_str(report, want, "%s is empty", empty[i]);
	}
	if (geteuid() == 0)
		has_str(report, "nice 0\n", "it has the default niceness");
}

static void test_container(void)
{
	size_t count;
	const struct task_step *steps = task_steps(&count);
	char text[600] = "";

	if (geteuid() != 0) {
		skip("only root has privileges to drop");
		return;
	}
	if (prctl(PR_CAPBSET_READ, CAP_SYS_RESOURCE) != 1)
		skip("without CAP_SYS_RESOURCE the test cannot raise the limits");
	in_container = true;
	is_int(run_steps(steps, count, text), 0, "an armd that may not lower its oom_score_adj: %s",
	       text);
	has_str(box_read(&box, report_path), "fds 0 1 2\n", "the program runs all the same");
	in_container = false;
}

/* Other steps may be between these; these must stay in this order. */
static void test_order(void)
{
	static const char *const order[] = {"session",     "containment", "groups",
					    "group",       "user",        "no new privileges",
					    "descriptors", "umask",       "directory",
					    "files",       "program"};
	size_t count, at = 0;
	const struct task_step *steps = task_steps(&count);

	for (size_t i = 0; i < count; i++)
		at += at < ARRAY_SIZE(order) && strcmp(steps[i].name, order[at]) == 0;
	is_int((long long)at, ARRAY_SIZE(order), "the steps are in the required order");
	for (size_t i = 0; i < count; i++)
		if (!steps[i].check && strcmp(steps[i].name, "containment") != 0)
			ok(steps[i].take == task_run || strcmp(steps[i].name, "gate") == 0,
			   "%s needs no check", steps[i].name);
}

int main(int argc, char **argv)
{
	box_be_probe(argc, argv);
	box_open(&box);
	snprintf(report_path, sizeof(report_path), "%s/report", box.out);
	test_order();
	test_all();
	test_container();
	test_each_fails();
	test_each_lies();
	box_close(&box);
	return done();
}
