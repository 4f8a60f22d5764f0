/*
 * The user of a task, as the user database of the node has it, compared with the signed order:
 * users that differ, groups, failed and slow look-ups, and cached users.
 */
#include "shepherd_rig.h"

#include "armd/shepherd/account.h"
#include "armd/shepherd/control.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The user database of this test. */
static struct account here;
static int code;
static bool hangs;

static int find(const char *user, struct account *ret)
{
	if (strcmp(user, "nobody") != 0)
		return -ENOENT;
	for (int fd = 4; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return -EBADF; /* another descriptor than that of the reply is open */
	while (hangs)
		pause();
	*ret = here;
	ret->gids = xcalloc(here.gid_count + 1, sizeof(*ret->gids));
	if (here.gid_count)
		memcpy(ret->gids, here.gids, here.gid_count * sizeof(*ret->gids));
	return code;
}

/* The user of the box, with these groups. */
static void know(uint32_t uid, uint32_t gid, uint32_t *gids, size_t count)
{
	here = (struct account){uid, gid, gids, count};
	code = 0;
}

static Armada__TaskBody *probe_body(uint64_t job, char *report)
{
	snprintf(report, 400, "%s/report", rig.box.out);
	unlink(report);
	return box_body(&rig.box, job, rig.box.probe, "probe", report, NULL);
}

static void test_disagree(void)
{
	uint32_t u = rig.box.uid, g = rig.box.gid;
	uint32_t own[] = {g}, others[] = {g + 7};
	const struct {
		const char *what, *words;
		const char *user;
		uint32_t uid, gid, *gids;
	} ways[] = {
		{"another uid", "nobody is uid 4242 on n1 and 65534 for the controller", "nobody",
		 4242, g, own},
		{"root on the node", "nobody is uid 0 on n1", "nobody", 0, g, own},
		{"another group",
		 "the controller gives group 65534 to nobody, who is not a member of it "
		 "on n1 and has group 77 there",
		 "nobody", u, 77, others},
		{"an unknown user", "user armada-no-such is unknown on n1", "armada-no-such", u, g,
		 own},
	};
	char report[400];

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		Armada__TaskBody *body = probe_body(10 + i, report);

		body->user = arena_strdup(rig.box.arena, ways[i].user);
		know(ways[i].uid, ways[i].gid, ways[i].gids, 1);
		is_end(run(body), ARMADA__END_CAUSE__END_ACCOUNT, 0, 0, ways[i].what);
		has_str(end_of(body)->text, ways[i].words, "the text names both values");
		is_int(end_of(body)->start_us, 0, "the task has not started");
		is_int(access(report, F_OK), -1, "the program has not run");
	}
}

static void test_no_answer(void)
{
	uint32_t own[] = {rig.box.gid};
	char report[400];
	Armada__TaskBody *body = probe_body(20, report);
	pid_t pid;

	know(rig.box.uid, rig.box.gid, own, 1);
	code = -EIO;
	is_end(run(body), ARMADA__END_CAUSE__END_NODE, 0, 0,
	       "a failed look-up is the fault of the node");
	has_str(end_of(body)->text, "user nobody cannot be looked up on n1: Input/output error",
		"the text has the error");
	hangs = true;
	rig.account_us = 1000000;
	body = probe_body(21, report);
	is_end(run(body), ARMADA__END_CAUSE__END_NODE, 0, 0, "a look-up that hangs");
	has_str(end_of(body)->text, "looking up user nobody on n1 took longer than 1 s",
		"the text has the time limit");
	hangs = false;
	code = -EAGAIN;
	body = probe_body(23, report);
	is_end(run(body), ARMADA__END_CAUSE__END_NODE, 0, 0,
	       "a look-up that asks for a retry every time");
	has_str(end_of(body)->text, "looking up user nobody on n1 took longer than 1 s",
		"the text has the time limit");
	rig.account_us = 0;
	hangs = true;
	body = probe_body(22, report);
	pid = begin(body);
	kill_task(body, ARMADA__END_CAUSE__END_CANCELLED, 1000);
	waitpid(pid, NULL, 0);
	is_int(end_of(body)->cause, ARMADA__END_CAUSE__END_CANCELLED,
	       "a task that is killed during the look-up does not wait for it");
	has_str(end_of(body)->text, "while its user was looked up", "the text names the look-up");
	hangs = false;
	is_int(access(report, F_OK), -1, "none of the tasks has run");
}

static void is_said(int fd, const char *words)
{
	struct control_notice n;
	bool found = false;

	while (control_receive_notice(fd, &n))
		found |= n.event == CONTROL_LOG && strstr(n.text, words);
	ok(found, "the log gets a line with: %s", words);
}

static void test_groups(void)
{
	uint32_t g = rig.box.gid;
	uint32_t signed_gids[] = {g, 3001, 3002, 0}, known[] = {g, 3002, 3003};
	char report[400], want[200];
	Armada__TaskBody *body = probe_body(30, report);
	int fd = control_listen(&rig.box.spool, NULL);

	body->gids = signed_gids;
	body->n_gids = ARRAY_SIZE(signed_gids);
	know(rig.box.uid, g, known, ARRAY_SIZE(known));
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "a task whose groups differ");
	snprintf(want, sizeof(want), "groups 3002 %u\n", g);
	has_str(box_read(&rig.box, report), want, "it has the groups that both databases have");
	is_said(fd, "run without groups that only the controller knows: 3001, 0");
	run(probe_body(30, report));
	close(fd);

	rig.groups_of_controller = true;
	body = probe_body(31, report);
	body->gids = signed_gids;
	body->n_gids = 3;
	know(rig.box.uid, 77, known, 0);
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "groups = \"controller\"");
	snprintf(want, sizeof(want), "groups 3001 3002 %u\n", g);
	has_str(box_read(&rig.box, report), want, "the task has all groups of the order");
	know(4242, g, known, 3);
	is_int(run(probe_body(32, report))->cause, ARMADA__END_CAUSE__END_ACCOUNT,
	       "another uid is refused all the same");
	rig.groups_of_controller = false;
}

/* The result of a look-up by one shepherd serves later ones, as long as it matches the order. */
static void test_known(void)
{
	uint32_t g = rig.box.gid, own[] = {g, 3002};
	struct cached_user known = {0};
	struct control_notice n;
	char report[400];
	Armada__TaskBody *body = probe_body(40, report);
	int fd = control_listen(&rig.box.spool, NULL);

	know(rig.box.uid, g, own, 2);
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "a user that is looked up");
	while (control_receive_notice(fd, &n))
		if (n.event == CONTROL_CACHE_USER)
			memcpy(&known, n.text, sizeof(known));
	close(fd);
	ok(known.at_us > 0 && known.uid == rig.box.uid && known.gid == g,
	   "the result is passed to the launcher");
	ok(known.gid_count == 2 && known.gids[1] == 3002, "it has the groups");
	is_str(known.user, "nobody", "it has the name");

	code = -EIO;
	rig.known = &known;
	is_end(run(probe_body(41, report)), ARMADA__END_CAUSE__END_EXITED, 0, 0,
	       "the next shepherd uses the cached user");
	strcpy(known.user, "another");
	is_int(run(probe_body(42, report))->cause, ARMADA__END_CAUSE__END_NODE,
	       "a cached user of another name is not used");
	strcpy(known.user, "nobody");
	known.uid++;
	is_int(run(probe_body(43, report))->cause, ARMADA__END_CAUSE__END_NODE,
	       "a cached user of another uid is not used");
	known.uid--;
	known.gid_count = 0;
	is_int(run(probe_body(44, report))->cause, ARMADA__END_CAUSE__END_NODE,
	       "a cached user of other groups is not used");
	rig.known = NULL;
}

static void test_known_list(void)
{
	struct cached_user list[USER_CACHE_USERS] = {{0}}, u = {.user = "u"};
	int64_t now = 3 * USER_CACHE_US;

	for (uint32_t i = 0; i <= USER_CACHE_USERS; i++) {
		u.uid = 100 + i;
		u.at_us = now + i;
		user_cache_keep(list, &u);
	}
	ok(!user_cache_find(list, 100, now), "the oldest entry is replaced");
	ok(user_cache_find(list, 101, now) && user_cache_find(list, 100 + USER_CACHE_USERS, now),
	   "the others are kept");
	ok(user_cache_find(list, 101, now + USER_CACHE_US), "an entry is valid for USER_CACHE_US");
	ok(!user_cache_find(list, 101, now + 1 + USER_CACHE_US), "then it is invalid");
	u.uid = 101;
	u.gid = 7;
	user_cache_keep(list, &u);
	is_int(user_cache_find(list, 101, now + 1 + USER_CACHE_US)->gid, 7,
	       "a newer entry replaces it");
	u.at_us = now;
	u.gid = 8;
	user_cache_keep(list, &u);
	is_int(user_cache_find(list, 101, now)->gid, 7, "an older entry does not");
	u.at_us = now + USER_CACHE_US;
	u.gid_count = USER_CACHE_GROUPS + 1;
	user_cache_keep(list, &u);
	is_int(user_cache_find(list, 101, now)->gid, 7, "an entry with too many groups does not");
}

/* The real user database, as root reads it. */
static void test_real(void)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct account_lookup look;
	struct account a;
	int rc;

	if (account_begin("root", NULL, &look, NULL) < 0)
		bail("fork");
	while ((rc = account_end(&look, arena, &a)) == ACCOUNT_PENDING)
		usleep(1000);
	ok(rc == 0 && a.uid == 0 && a.gid == 0 && account_has(&a, 0), "root is found");
	account_begin("armada-no-such-user", NULL, &look, NULL);
	while ((rc = account_end(&look, arena, &a)) == ACCOUNT_PENDING)
		usleep(1000);
	is_int(rc, -ENOENT, "an unknown user is not found");
	hangs = true;
	account_begin("nobody", find, &look, NULL);
	is_int(account_end(&look, arena, &a), ACCOUNT_PENDING, "a look-up that hangs");
	account_stop(&look);
	account_stop(&look);
	is_int(look.fd, -1, "it is stopped");
	hangs = false;
}

int main(int argc, char **argv)
{
	rig_open(argc, argv);
	test_real();
	test_known_list();
	rig.find = find;
	if (geteuid() == 0) {
		test_disagree();
		test_no_answer();
		test_groups();
		test_known();
	} else {
		skip("only root looks up the user of a task");
	}
	rig_close();
	return done();
}
