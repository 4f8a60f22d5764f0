/* The command line, the inventory, and giving up root. */
#include "armd/identity.h"
#include "armd/inventory.h"
#include "armd/options.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int parse(struct armd_options *o, struct err *err, const char *const *words)
{
	const char *argv[16] = {"armd"};
	int argc = 1;

	while (words[argc - 1])
		argv[argc] = words[argc - 1], argc++;
	return armd_options_parse(argc, (char **)argv, o, err);
}

static void test_options(void)
{
	static const char *const all[] = {"--node=n1", "-C",   "1500m", "--memory",
					  "2G",        "-G",   "3",     "--label",
					  "a=1",       "-l",   "b=",    "--controller",
					  "h:1",       "-c/s", NULL};
	static const struct {
		const char *words[3], *says;
	} bad[] = {
		{{"--node", "", NULL}, "--node: a node's name has 1 to"},
		{{"--node", "-n", NULL}, "letters and digits"},
		{{"--node", "a/b", NULL}, "letters and digits"},
		{{"--cpus", "0", NULL}, "some cpu"},
		{{"--memory", "0", NULL}, "some memory"},
		{{"--memory", "x", NULL}, "--memory"},
		{{"--gpus", "-1", NULL}, "--gpus"},
		{{"--label", "=x", NULL}, "not key=value"},
		{{"--controller", "head", NULL}, "host:port"},
		{{"--spool", "x", NULL}, "slash"},
		{{"--log-level", "loud", NULL}, "none of"},
		{{"--nod", "n1", "x"}, "x: armd takes options only"},
		{{"--nope", NULL, NULL}, "--nope"},
	};
	struct armd_options o;
	struct err err;

	is_int(parse(&o, &err, all), 0, "a full command line");
	is_str(o.node, "n1", "node");
	is_int(o.cpu_milli, 1500, "cpus");
	is_int(o.memory_bytes, INT64_C(2) << 30, "memory");
	is_int(o.gpus, 3, "gpus");
	ok(o.label_count == 2 && strcmp(o.labels[1], "b=") == 0, "labels");
	ok(o.controller_count == 2 && strcmp(o.controllers[1], "/s") == 0, "controllers");
	armd_options_done(&o);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *words[4] = {bad[i].words[0], bad[i].words[1], bad[i].words[2], NULL};

		ok(parse(&o, &err, words) < 0, "%s %s is refused", words[0],
		   words[1] ? words[1] : "");
		has_str(err.text, bad[i].says, "in words");
	}
	is_int(parse(&o, &err, (const char *const[]){"-vv", NULL}), 0, "-vv");
	is_int(o.log_level, LOG_DEBUG, "is everything");
	is_int(parse(&o, &err, (const char *const[]){NULL}), 0, "nothing at all");
	is_int(o.gpus, -1, "leaves gpus to be found");
}

static int64_t amount(const Armada__RegisterNode *m, const char *name)
{
	for (size_t i = 0; i < m->n_resources; i++)
		if (strcmp(m->resources[i]->name, name) == 0)
			return m->resources[i]->amount;
	return -1;
}

static void test_inventory(void)
{
	static const char *const labels[] = {"disk=slow", "rack=r1", "disk=fast", "empty="};
	struct inventory_declared d = {.node = "n1", .address = "", .gpus = -1};
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	char address[INVENTORY_ADDRESS];
	Armada__RegisterNode *m;
	int64_t bytes;
	double load;
	struct err err;

	is_int(inventory_describe(&d, arena, &m, &err), 0, "what is found");
	ok(amount(m, "cpu") >= 1000 && amount(m, "cpu") <= sysconf(_SC_NPROCESSORS_CONF) * 1000,
	   "at least one cpu, and not more than there are");
	ok(amount(m, "memory") > 1 << 20, "some memory");
	is_int(amount(m, "gpu"), -1, "no gpu");
	d.cpu_milli = 64000;
	d.labels = labels;
	d.label_count = ARRAY_SIZE(labels);
	d.gpus = 2;
	is_int(inventory_describe(&d, arena, &m, &err), 0, "what is declared in part");
	is_int(amount(m, "cpu"), 64000, "counts");
	ok(amount(m, "memory") > 1 << 20, "and the rest is found");
	is_int(amount(m, "gpu"), 2, "gpus");
	is_int((long long)m->n_labels, 3, "one label for a key");
	is_str(m->labels[0]->value, "fast", "the last that was given");
	is_str(m->labels[2]->value, "", "an empty one too");
	inventory_sample(&bytes, &load);
	ok(bytes > 0 && load >= 0, "memory and load of now");
	inventory_own_address(address);
	ok(strchr(address, '.'), "an address: %s", address);
}

static void test_find(void)
{
	struct err err;
	uid_t uid;
	gid_t gid;

	is_int(identity_find("root", &uid, &gid, &err), 0, "root");
	is_int(uid, 0, "is 0");
	is_int(identity_find("54321", &uid, &gid, &err), 0, "a number without a name");
	ok(uid == 54321 && gid == 54321, "is itself");
	is_int(identity_find("no-such-user", &uid, &gid, &err), -ENOENT, "nobody");
	has_str(err.text, "no user \"no-such-user\"", "is refused in words");
	ok(identity_find("-1", &uid, &gid, &err) < 0, "and no number below 0");
	ok(identity_find("4294967295", &uid, &gid, &err) < 0, "nor the one that means none");
}

/* In a child: there is no way back. */
static int in_child(int (*run)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(run());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int become_other(void)
{
	struct err err;

	if (identity_become(54321, 54322, &err) < 0)
		return 1;
	if (getuid() != 54321 || geteuid() != 54321 || getgid() != 54322 || getgroups(0, NULL) != 0)
		return 2;
	if (setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0)
		return 3;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 4;
}

static int stay(void)
{
	struct err err;

	if (geteuid() == 0 && setresuid(54321, 54321, 54321) < 0)
		return 1;
	if (identity_become(geteuid(), getegid(), &err) < 0)
		return 2;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 3;
}

static int become_without_root(void)
{
	struct err err;

	if (geteuid() == 0 && setresuid(54321, 54321, 54321) < 0)
		return 1;
	return identity_become(geteuid() + 1, getegid(), &err) == -EPERM ? 0 : 2;
}

/* The user is gone, but the saved one is root: reading back must find it. */
static int hidden_root(void)
{
	struct err err;

	if (setresuid(54321, 54321, 0) < 0)
		return 1;
	return identity_become(54321, getegid(), &err) == -EPERM ? 0 : 2;
}

int main(void)
{
	test_options();
	test_inventory();
	test_find();
	is_int(in_child(stay), 0, "without root: the same user, and no new privileges");
	is_int(in_child(become_without_root), 0, "only root becomes another");
	if (geteuid() == 0) {
		is_int(in_child(become_other), 0, "root becomes another for good (S7)");
		is_int(in_child(hidden_root), 0, "a saved uid of root is noticed (S7)");
	} else {
		skip("only root becomes another");
		skip("only root has a saved uid of root");
	}
	return done();
}
