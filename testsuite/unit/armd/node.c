/*
 * armd as a node: its command line, the inventory that it reports, detected gpus, and the change
 * from root to another user.
 */
#include "armd/identity.h"
#include "armd/machine/inventory.h"
#include "armd/machine/machine.h"
#include "armd/options.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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
		{{"--node", "", NULL}, "--node: a node name has 1 to"},
		{{"--node", "-n", NULL}, "letters and digits"},
		{{"--node", "a/b", NULL}, "letters and digits"},
		{{"--cpus", "0", NULL}, "more than 0 cpus"},
		{{"--memory", "0", NULL}, "more than 0 bytes"},
		{{"--memory", "x", NULL}, "--memory"},
		{{"--gpus", "-1", NULL}, "--gpus"},
		{{"--label", "=x", NULL}, "not key=value"},
		{{"--taint", "a:NoExecute", NULL}, "NoExecute is not supported"},
		{{"--taint", ":NoSchedule", NULL}, "not a taint"},
		{{"--resource", "fpga", NULL}, "not NAME=AMOUNT"},
		{{"--resource", "cpu=3", NULL}, "is given by cpus"},
		{{"--resource", "fpga=x", NULL}, "--resource"},
		{{"--controller", "head", NULL}, "host:port"},
		{{"--spool", "x", NULL}, "slash"},
		{{"--log-level", "loud", NULL}, "must be error, warn"},
		{{"--nod", "n1", "x"}, "x: armd takes options only"},
		{{"--nope", NULL, NULL}, "--nope"},
	};
	struct armd_options o;
	struct err err;

	is_int(parse(&o, &err, all), 0, "a full command line is accepted");
	is_str(o.node.name, "n1", "node");
	is_int(o.node.cpu_milli, 1500, "cpus");
	is_int(o.node.memory_bytes, INT64_C(2) << 30, "memory");
	is_int(o.node.gpus, 3, "gpus");
	ok(o.node.label_count == 2 && strcmp(o.node.labels[1], "b=") == 0, "labels");
	ok(o.controller_count == 2 && strcmp(o.controllers[1], "/s") == 0, "controllers");
	armd_options_done(&o);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const char *words[4] = {bad[i].words[0], bad[i].words[1], bad[i].words[2], NULL};

		ok(parse(&o, &err, words) < 0, "%s %s is refused", words[0],
		   words[1] ? words[1] : "");
		has_str(err.text, bad[i].says, "the error gives the reason");
	}
	is_int(parse(&o, &err, (const char *const[]){"-vv", NULL}), 0, "-vv is accepted");
	is_int(o.log_level, LOG_DEBUG, "-vv sets the debug level");
	is_int(parse(&o, &err, (const char *const[]){NULL}), 0,
	       "an empty command line is accepted");
	is_int(o.node.gpus, -1, "the gpus are to be detected");
}

static int64_t amount(const Armada__RegisterNode *m, const char *name)
{
	for (size_t i = 0; i < m->n_resources; i++)
		if (strcmp(m->resources[i]->name, name) == 0)
			return m->resources[i]->amount;
	return -1;
}

static const char *label(const Armada__RegisterNode *m, const char *key)
{
	for (size_t i = 0; i < m->n_labels; i++)
		if (strcmp(m->labels[i]->key, key) == 0)
			return m->labels[i]->value;
	return NULL;
}

static void test_inventory(void)
{
	static const char *labels[] = {"disk=slow", "rack=r1", "disk=fast", "empty=", "arch=mine"};
	static const char *taints[] = {"maint", "a=b:PreferNoSchedule"};
	static const char *resources[] = {"fpga=1", "scratch=2T", "fpga=2"};
	struct inventory_declared d = {.node = {.name = "n1",
						.cpu_milli = 64000,
						.memory_bytes = 1 << 30,
						.labels = labels,
						.label_count = ARRAY_SIZE(labels),
						.taints = taints,
						.taint_count = ARRAY_SIZE(taints),
						.resources = resources,
						.resource_count = ARRAY_SIZE(resources)}};
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	char address[INVENTORY_ADDRESS];
	Armada__RegisterNode *m;
	int64_t bytes;
	double load;

	inventory_describe(&d, arena, &m);
	is_int(amount(m, "cpu"), 64000, "cpus");
	is_int(amount(m, "gpu"), -1, "there is no gpu");
	is_int(amount(m, "fpga"), 2, "there is another resource");
	ok(amount(m, "scratch") == INT64_C(2) << 40, "and a size");
	is_str(label(m, "disk"), "fast", "the last value of a label holds");
	is_str(label(m, "empty"), "", "a label can be empty");
	is_str(label(m, "arch"), "mine", "a label that every node has can be overridden");
	ok(label(m, "os") && !strchr(label(m, "os"), '"'), "os is detected: os=%s",
	   label(m, "os") ? label(m, "os") : "");
	is_int((long long)m->n_taints, 2, "taints");
	is_str(m->taints[0]->effect, "NoSchedule", "a taint without an effect has NoSchedule");
	is_str(m->taints[1]->value, "b", "a taint has its value");
	inventory_sample(&bytes, &load);
	ok(bytes > 0 && load >= 0, "the sample has memory and load");
	inventory_own_address(address);
	ok(strchr(address, '.'), "the node has an address: %s", address);
}

static void test_machine(void)
{
	struct machine_declared d = {.gpus = -1, .root = "/nowhere"};
	uint64_t cpus[PLACE_CPUS / 64] = {UINT64_C(1) << 63}, real[PLACE_CPUS / 64];
	long there = sysconf(_SC_NPROCESSORS_CONF);
	struct machine m;
	struct err err;

	is_int(machine_read(&d, &m, &err), 0, "the machine is detected");
	ok(m.cpu_milli >= 1000 && m.cpu_milli <= there * 1000,
	   "there is at least one cpu, and no more than the machine has");
	is_int((long long)m.topology.cpu_count * 1000, m.cpu_milli, "each cpu is in the topology");
	ok(m.memory_bytes > 1 << 20, "the memory is detected");
	is_int((long long)m.gpu_count, 0, "no gpu");
	machine_free(&m);
	d.cpu_milli = 64000;
	d.gpus = 2;
	is_int(machine_read(&d, &m, &err), 0, "cpus and gpus are declared");
	is_int((long long)m.topology.cpu_count, 64, "the topology has the declared cpus");
	machine_os_cpus(&m, cpus, real);
	ok(there >= 64 || (real[0] && !(real[0] >> there)),
	   "the declared cpus stand for real ones");
	is_int((long long)m.gpu_count, 2, "gpus");
	ok(!m.devices_known, "the devices are unknown");
	machine_free(&m);
}

/* A machine with gpus, as files in a directory. */
static void test_gpus(void)
{
	static const char make[] =
		"mkdir -p dev/dri proc/driver/nvidia/gpus/0000:3b:00.0 &&"
		"echo 'Device Minor: 	 1' >proc/driver/nvidia/gpus/0000:3b:00.0/information &&"
		"mkdir -p sys/bus/pci/devices/0000:3b:00.0 &&"
		"echo 0 >sys/bus/pci/devices/0000:3b:00.0/numa_node &&"
		"touch dev/nvidia0 dev/nvidia1 dev/nvidia10 dev/nvidiactl dev/nvidia-uvm";
	static const char amd[] =
		"rm dev/nvidia*; N=sys/class/kfd/kfd/topology/nodes; mkdir -p $N/0 $N/1 &&"
		"echo simd_count 0 >$N/0/properties && mkdir -p sys/class/drm/renderD129 &&"
		"printf 'simd_count 304\\ndrm_render_minor 129\\n' >$N/1/properties &&"
		"ln -s ../../../0000:83:00.0 sys/class/drm/renderD129/device";
	static const char *const device[] = {"/dev/null"}, *const wrong[] = {"/etc/passwd"};
	char dir[] = "/tmp/armada-gpus-XXXXXX", command[1500];
	struct machine_declared d = {.gpus = -1, .root = dir};
	struct machine m;
	struct err err;

	if (!mkdtemp(dir))
		bail("mkdtemp");
	snprintf(command, sizeof(command), "cd %s && %s", dir, make);
	is_int(system(command), 0, "nvidia devices are made");
	is_int(machine_read(&d, &m, &err), 0, "the gpus are detected");
	is_int((long long)m.gpu_count, 3, "there are three");
	is_str(m.gpus[2].path, "/dev/nvidia10", "they are sorted by number");
	is_str(m.gpus[1].bus, "0000:3b:00.0", "a gpu has its bus id");
	is_int(m.places[1].numa, 0, "a gpu has its NUMA node");
	is_int(m.places[0].numa, PLACE_NOWHERE, "a gpu may have no known NUMA node");
	machine_free(&m);
	snprintf(command, sizeof(command), "cd %s && %s", dir, amd);
	is_int(system(command), 0, "amd devices are made");
	is_int(machine_read(&d, &m, &err), 0, "the gpus are detected");
	ok(m.gpu_count == 1 && strcmp(m.gpus[0].path, "/dev/dri/renderD129") == 0,
	   "only gpus that compute count");
	is_str(m.gpus[0].bus, "0000:83:00.0", "the gpu has its bus id");
	machine_free(&m);
	d = (struct machine_declared){.gpus = -1, .gpu_devices = device, .gpu_device_count = 1};
	is_int(machine_read(&d, &m, &err), 0, "a declared device is accepted");
	ok(m.devices_known && m.gpus[0].device.major == 1, "it is known by its device number");
	machine_free(&m);
	d.gpu_devices = wrong;
	ok(machine_read(&d, &m, &err) < 0, "a declared file is refused");
	has_str(err.text, "/etc/passwd is not a device", "the error names it");
	machine_free(&m);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	is_int(system(command), 0, "the directory is removed");
}

static void test_find(void)
{
	struct err err;
	uid_t uid;
	gid_t gid;

	is_int(identity_find("root", &uid, &gid, &err), 0, "root is found");
	is_int(uid, 0, "its uid is 0");
	is_int(identity_find("54321", &uid, &gid, &err), 0, "a number without a name is accepted");
	ok(uid == 54321 && gid == 54321, "it is the uid and the gid");
	is_int(identity_find("no-such-user", &uid, &gid, &err), -ENOENT,
	       "an unknown name is refused");
	has_str(err.text, "no user 'no-such-user'", "the error names it");
	ok(identity_find("-1", &uid, &gid, &err) < 0, "a negative number is refused");
	ok(identity_find("4294967295", &uid, &gid, &err) < 0, "the reserved uid is refused");
}

/* In a child, as there is no way back. */
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

/* A change of the user that leaves root as the saved uid must be detected. */
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
	test_machine();
	test_gpus();
	test_find();
	is_int(in_child(stay), 0, "without root: the user stays the same, without new privileges");
	is_int(in_child(become_without_root), 0, "only root can become another user");
	if (geteuid() == 0) {
		is_int(in_child(become_other), 0, "root becomes another user for good");
		is_int(in_child(hidden_root), 0, "a saved uid of root is detected");
	} else {
		skip("only root can become another user");
		skip("only root has a saved uid of root");
	}
	return done();
}
