/*
 * The shepherd: how tasks run, their identity and environment, and that none of their processes is
 * left.
 */
#include "unit/armd/shepherd_rig.h"

#include "armd/shepherd/control.h"
#include "armd/shepherd/phase.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_exits(void)
{
	const Armada__TaskEnd *end;

	end = run(box_body(&rig.box, 1, "true", NULL));
	is_end(end, ARMADA__END_CAUSE__END_EXITED, 0, 0, "true");
	ok(end->start_us > 0 && end->end_us >= end->start_us, "the end has its times");
	ok(end->usage && end->usage->max_rss_bytes > 0, "the end has the usage");
	is_end(run(box_body(&rig.box, 2, "/bin/sh", "-c", "exit 17", NULL)),
	       ARMADA__END_CAUSE__END_EXITED, 17, 0, "exit 17");
	is_end(run(box_body(&rig.box, 3, "/bin/sh", "-c", "kill -9 $$", NULL)),
	       ARMADA__END_CAUSE__END_SIGNALED, 0, SIGKILL, "kill -9 of itself");
}

static void test_output(void)
{
	Armada__TaskBody *body =
		box_body(&rig.box, 10, "/bin/sh", "-c", "echo out; echo err >&2", NULL);
	char path[400];
	struct stat st;

	run(body);
	is_str(box_read(&rig.box, body->output), "out\nerr\n",
	       "both streams are in the output file");
	run(body);
	is_str(box_read(&rig.box, body->output), "out\nerr\n",
	       "the file is truncated at the start");
	body->key->attempt = 2;
	run(body);
	is_str(box_read(&rig.box, body->output), "out\nerr\nout\nerr\n", "a later attempt appends");
	stat(body->output, &st);
	is_int(st.st_uid, rig.box.uid, "the file belongs to the user");
	is_int(st.st_mode & 0777, 0644, "the file has the umask of the job");
	body = box_body(&rig.box, 11, "/bin/sh", "-c", "echo out; echo err >&2; cat", NULL);
	snprintf(path, sizeof(path), "%s/a/b/c.err", rig.box.out);
	body->error = path;
	body->input = box_body(&rig.box, 10, "x", NULL)->output;
	run(body);
	is_str(box_read(&rig.box, path), "err\n", "a missing directory is created");
	is_str(box_read(&rig.box, body->output), "out\nout\nerr\nout\nerr\n",
	       "the task reads its input");
}

static void test_launch_failures(void)
{
	Armada__TaskBody *body = box_body(&rig.box, 20, "true", NULL);
	const Armada__TaskEnd *end;

	body->output = rig.box.dir; /* a directory */
	end = run(body);
	is_end(end, ARMADA__END_CAUSE__END_LAUNCH_FAILED, 0, 0, "output is a directory");
	has_str(end->text, "cannot open output file", "the text names the action");
	has_str(end->text, "Is a directory", "the text has the error");
	is_int(end->start_us, 0, "the task has not started");
	body = box_body(&rig.box, 21, "true", NULL);
	body->chdir = arena_strdup(rig.box.arena, "/nowhere/at/all");
	end = run(body);
	is_str(end->text, "cannot change to directory /nowhere/at/all: No such file or directory",
	       "a missing directory");
	end = run(box_body(&rig.box, 22, "no-such-program", NULL));
	is_str(end->text, "cannot run no-such-program: No such file or directory",
	       "a missing program");
	body = box_body(&rig.box, 23, "true", NULL);
	body->input = arena_strdup(rig.box.arena, "/no/input");
	has_str(run(body)->text, "cannot open input file /no/input", "a missing input file");
	body = box_body(&rig.box, 24, "true", NULL);
	body->gid++;
	body->uid++;
	if (geteuid() != 0) {
		ok(run(body)->cause != ARMADA__END_CAUSE__END_EXITED,
		   "a task of another user does not run");
		return;
	}
	has_str(run(body)->text, "nobody is uid 65534 on n1 and 65535 for the controller",
		"a user with another uid here");
	body = box_body(&rig.box, 25, "true", NULL);
	body->output = arena_strdup(rig.box.arena, "/root/armada-test/x");
	has_str(run(body)->text, "Permission denied", "files are not opened as root");
}

static void test_script(void)
{
	static const char text[] = "#!/bin/sh\necho \"$# $1\"; echo \"$0\"\n";
	Armada__TaskBody *body = box_body(&rig.box, 30, NULL);
	char *args[] = {rig.box.out};
	struct stat st;

	body->script.data = (uint8_t *)arena_strdup(rig.box.arena, text);
	body->script.len = strlen(text);
	body->args = args;
	body->n_args = 1;
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "a script");
	has_str(box_read(&rig.box, body->output), "1 /", "it gets its arguments");
	has_str(box_read(&rig.box, body->output), "scripts/30_0.0.1", "it gets its name");
	is_int(fstatat(rig.box.spool.scripts, "30_0.0.1", &st, 0), -1, "its copy is removed");
	body->script.data = (uint8_t *)arena_strdup(rig.box.arena, "#!/no/such/sh -e\n");
	body->script.len = strlen((char *)body->script.data);
	has_str(run(body)->text, "interpreter /no/such/sh: No such file", "a missing interpreter");
}

static void test_identity(void)
{
	static char env[] = "HOME=/h\0ARMADA_JOB_ID=wrong\0broken\0PATH=/bin\0";
	char *task_env[] = {(char[]){"ARMADA_JOB_ID=40"}};
	char report[400], want[1024];
	Armada__TaskBody *body;

	snprintf(report, sizeof(report), "%s/report", rig.box.out);
	body = box_body(&rig.box, 40, rig.box.probe, "probe", report, NULL);
	body->umask = 027;
	body->env.data = (uint8_t *)env;
	body->env.len = sizeof(env) - 1;
	body->task_env = task_env;
	body->n_task_env = 1;
	setenv("SECRET_OF_THE_DAEMON", "1", 1);
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "the probe");
	snprintf(want, sizeof(want), "uid %u %u %u\n", rig.box.uid, rig.box.uid, rig.box.uid);
	has_str(box_read(&rig.box, report), want, "the task runs as its user");
	has_str(box_read(&rig.box, report), "fds 0 1 2\n", "it has exactly three descriptors");
	has_str(box_read(&rig.box, report), "umask 027\nnnp 1\nsession 1\n",
		"it has its umask and no new privileges");
	snprintf(want, sizeof(want), "cwd %s\nenv HOME=/h\nenv PATH=/bin\nenv ARMADA_JOB_ID=40\n",
		 rig.box.out);
	has_str(box_read(&rig.box, report), want, "it has its directory and environment, in order");
	ok(!strstr(box_read(&rig.box, report), "SECRET"), "it has no variable of the daemon");
	snprintf(want, sizeof(want), "gid %u %u %u\ngroups %u\n", rig.box.gid, rig.box.gid,
		 rig.box.gid, rig.box.gid);
	if (geteuid() == 0)
		has_str(box_read(&rig.box, report), want, "it has exactly the groups of the order");
	else
		skip("only root can set groups");
}

/* Each task leaves a process behind that writes its pid; the process must not survive the task. */
static void test_left_behind(void)
{
	static const struct {
		const char *what, *script;
	} ways[] = {
		{"a background process", "sleep 100 & echo $! > pid"},
		{"a process of another session", "setsid sh -c 'echo $$ > pid; exec sleep 100' &"
						 " while ! [ -s pid ]; do :; done"},
		{"a process that was forked twice",
		 "(sh -c 'trap \"\" TERM HUP; echo $$ > pid; while :; do sleep 9; done' &) &"
		 " while ! [ -s pid ]; do :; done"},
	};
	char path[400];

	snprintf(path, sizeof(path), "%s/pid", rig.box.out);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		Armada__TaskBody *body =
			box_body(&rig.box, 70 + i, "/bin/sh", "-c", ways[i].script, NULL);

		unlink(path);
		body->grace_ms = 200;
		is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, ways[i].what);
		ok(gone(path), "%s does not survive its task", ways[i].what);
	}
}

static void test_shepherd_killed(void)
{
	Armada__TaskBody *body =
		box_body(&rig.box, 80, "/bin/sh", "-c", "echo $$ > pid; sleep 100", NULL);
	char path[400];
	pid_t pid;

	snprintf(path, sizeof(path), "%s/pid", rig.box.out);
	unlink(path);
	pid = begin(body);
	box_wait_file(path);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 1000 && !gone(path); i++) {
		waitpid(-1, NULL, WNOHANG); /* the test is the subreaper here */
		poll(NULL, 0, 5);
	}
	ok(gone(path), "a task dies with its shepherd");
	is_int(end_of(body)->cause, ARMADA__END_CAUSE__END_UNSET, "there is no end record");
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void test_old_lease(void)
{
	Armada__TaskBody *body = box_body(&rig.box, 90, "true", NULL);
	struct task_key key = box_key(body);

	run(body);
	is_int(control_send(&rig.box.spool, &key, &(struct control_order){.kind = CONTROL_KILL},
			    -1),
	       -ENOENT, "no shepherd listens when its task has ended");
}

/* The table is complete: no phase leads back, and every phase can reach the end. */
static void test_table(void)
{
	enum {
		early = 1 << SHEPHERD_LAUNCHING | 1 << SHEPHERD_WAITING | 1 << SHEPHERD_RELEASED |
			1 << SHEPHERD_RUNNING
	};
	/* For each event: the effects it may have, and the phases in which it must have one. */
	static const struct {
		unsigned may, must_in; /* one bit for each phase */
	} events[SHEPHERD_EVENTS] = {
		[SHEPHERD_EV_READY] = {SHEPHERD_NOTE_READY | SHEPHERD_KILL,
				       1 << SHEPHERD_LAUNCHING | 1 << SHEPHERD_ENDING},
		[SHEPHERD_EV_RELEASE] = {SHEPHERD_OPEN_GATE, 1 << SHEPHERD_WAITING},
		[SHEPHERD_EV_RUNS] = {SHEPHERD_NOTE_START,
				      1 << SHEPHERD_LAUNCHING | 1 << SHEPHERD_RELEASED |
					      1 << SHEPHERD_FINISHING | 1 << SHEPHERD_ENDING |
					      1 << SHEPHERD_KILLING},
		[SHEPHERD_EV_FIRST_ENDED] = {SHEPHERD_TERM | SHEPHERD_TERM_REST,
					     early | 1 << SHEPHERD_ENDING},
		[SHEPHERD_EV_EMPTY] = {0, 0},
		[SHEPHERD_EV_STOP] = {SHEPHERD_TERM | SHEPHERD_TAKE_CAUSE, early},
		[SHEPHERD_EV_GRACE_OVER] = {SHEPHERD_KILL, 1 << SHEPHERD_FINISHING |
								   1 << SHEPHERD_ENDING |
								   1 << SHEPHERD_KILLING},
		[SHEPHERD_EV_WARN] = {SHEPHERD_SEND, 1 << SHEPHERD_RUNNING},
		[SHEPHERD_EV_SIGNAL] = {SHEPHERD_SEND, 1 << SHEPHERD_RUNNING |
							       1 << SHEPHERD_FINISHING |
							       1 << SHEPHERD_ENDING},
		[SHEPHERD_EV_STUCK] = {SHEPHERD_REPORT_STUCK, 1 << SHEPHERD_KILLING},
		[SHEPHERD_EV_STEP] = {SHEPHERD_RUN_STEP, 1 << SHEPHERD_RUNNING},
	};
	size_t back = 0, stuck = 0, wrong = 0;

	for (int p = 0; p < SHEPHERD_PHASES; p++) {
		unsigned effects;

		for (int e = 0; e < SHEPHERD_EVENTS; e++) {
			back += shepherd_phase_step((enum shepherd_phase)p, (enum shepherd_event)e,
						    &effects) < (enum shepherd_phase)p;
			wrong += (effects & ~events[e].may) != 0 ||
				 (effects != 0) != (events[e].must_in >> p & 1);
		}
		stuck += shepherd_phase_step((enum shepherd_phase)p, SHEPHERD_EV_EMPTY, &effects) !=
			 SHEPHERD_DONE;
	}
	is_int((long long)wrong, 0, "each transition has only effects of its event");
	is_int((long long)back, 0, "no transition leads back to an earlier phase");
	is_int((long long)stuck, 0, "an empty task is done in every phase");
}

int main(int argc, char **argv)
{
	rig_open(argc, argv);
	test_exits();
	test_output();
	test_launch_failures();
	test_script();
	test_identity();
	test_left_behind();
	test_shepherd_killed();
	test_old_lease();
	test_table();
	rig_close();
	return done();
}
