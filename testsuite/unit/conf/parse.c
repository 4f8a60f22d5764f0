/*
 * Reading of armada.conf: every error with its message; the defaults; a file with every kind of
 * value; queues; and options of plugins.
 */
#include "conf/conf.h"
#include "conf/quota.h"
#include "conf/queue_text.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *text, *says;
} bad[] = {
	/* the syntax */
	{"cluster = ;", "test: line 1: syntax error"},
	{"\n\ncluster = \"a\"\ncluster = \"b\";", "test: line 4: cluster is given twice"},
	{"limits = { jobs_per_user = 1; # jobs_in_memory = 1\njobs_per_user = 2; };",
	 "test: line 2: jobs_per_user is given twice"},
	{"limits = { stored_total = \"1G\"; jobs_per_user = 1; jobs_per_user = 2; };",
	 "test: line 1: jobs_per_user is given twice"},
	{"cluster = \"a\"; limits = { jobs_per_user = 1; }; cluster\n= \"b\";",
	 "test: line 1: duplicate setting name"},
	{"@include \"/etc/passwd\"", "test: line 1: @include is not supported"},
	{"a = ((((((((( 1 )))))))));", "more than 8 brackets"},
	{"limits = { tasks_per_job = 0755; };", "line 1: the number 0755 begins with 0"},
	{"limits = { tasks_per_job = 99999999999999999999; };", "is too large"},
	{"cluster = [\"a\", 1];", "mismatched element type"},
	/* names of keys */
	{"clutser = \"a\";", "test: line 1: clutser: unknown key; did you mean 'cluster'?"},
	{"\n limit = { };", "test: line 2: limit: unknown key; did you mean 'limits'?"},
	{"plugin = { };", "did you mean 'plugins'?"},
	{"priority_class = ();", "did you mean 'priority_classes'?"},
	{"agents = {\n heartbeet = \"1s\"; };",
	 "test: line 2: heartbeet: unknown key; did you mean 'heartbeat'?"},
	{"xyzzy = 1;", "test: line 1: xyzzy: unknown key; see armada.conf(5)"},
	{"min_uid = 5;", "unknown key here: it belongs in the group security"},
	{"limits = { state_dir = \"/x\"; };", "unknown key here: it belongs outside"},
	/* types */
	{"cluster = 5;", "cluster: expected a text in quotes, found a number"},
	{"limits = { tasks_per_job = \"5\"; };", "expected a whole number, found a text"},
	{"limits = { tasks_per_job = 5.5; };", "expected a whole number, found a fraction"},
	{"agents = { lease = 90; };", "expected a duration in quotes, such as \"90s\""},
	{"defaults = { memory_per_cpu = 1024; };", "expected a size in quotes"},
	{"defaults = { cpus = true; };", "expected cpus as a number or in quotes"},
	{"defaults = { cpus = 0.0001; };", "at most three decimals"},
	{"user_queues = { enabled = 1; };", "expected true or false, found a number"},
	{"user_queues = { priority_factor = \"1\"; };", "expected a number, found a text"},
	{"admins = \"me\";", "expected a list of texts, such as [\"a\", \"b\"]"},
	{"admins = [1, 2];", "admins: entry 1: expected a text in quotes"},
	{"admins = (\"me\", {});", "admins: entry 2: expected a text in quotes, found a group"},
	{"limits = 5;", "limits: expected a group"},
	{"limits = ();", "limits: expected a group"},
	{"queues = { };", "queues: expected a list of groups"},
	{"queues = [\"a\"];", "queues: expected a list of groups"},
	{"queues = (\"a\");", "expected a group"},
	{"plugins = \"drf\";", "plugins: expected a group"},
	/* values */
	{"cluster = \"\";", "'' is not a name"},
	{"cluster = \"a b\";", "'a b' is not a name"},
	{"cluster = \"a\\x01\";", "byte 0x01"},
	{"cluster = \"\xff\";", "byte 0xff"},
	{"controllers = [];", "controllers: expected at least one"},
	{"controllers = [\"here\"];", "entry 1: 'here' is not an address"},
	{"controllers = [\"a:1\", \"here:0\"];", "entry 2: 'here:0' is not an address"},
	{"listen = \"here:99999\";", "is not an address"},
	{"arun_ports = \"61000-60000\";", "'61000-60000' is not a range of ports"},
	{"arun_ports = \"80\";", "expected two numbers from 1024 to 65535"},
	{"arun_ports = \"60000-\";", "is not a range of ports"},
	{"arun_ports = \"600000-600001\";", "is not a range of ports"},
	{"arun_ports = \"00060000\";", "is not a range of ports"},
	{"arun_ports = \"2000-2001-2002\";", "is not a range of ports"},
	{"state_dir = \"state\";", "expected a path that begins with /"},
	{"controller_user = \"a b\";", "not the name of a user"},
	{"log_level = \"wran\";", "is not one of error|warn|notice|info|debug; did you mean warn?"},
	{"agents = { lease = \"12 hours\"; };", "lease: '12 hours' is not understood"},
	{"agents = { heartbeat = \"1us\"; };", "1us is out of range: expected 100ms to 10m"},
	{"defaults = { memory_per_cpu = \"1\"; };", "1 is out of range: expected 4K to 1024T"},
	{"defaults = { cpus = \"0\"; };", "0 is out of range: expected 0.001 to 1000000"},
	{"limits = { tasks_per_job = 0; };", "0 is out of range: expected 1 to 1000000"},
	{"limits = { array_elements = 5000000000; };", "5000000000 is out of range"},
	{"security = { min_uid = -1; };", "-1 is out of range"},
	{"user_queues = { priority_factor = 0; };", "0 is out of range"},
	{"user_queues = { priority_factor = -1.5; };", "-1.5 is out of range"},
	{"user_queues = { priority_factor = 1e999; };", "too large"},
	/* lists */
	{"queues = (\n{ priority_factor = 2.0; });", "queues: an entry without a name"},
	{"queues = ({ name = \"a\"; }, { name = \"b\"; }, { name = \"a\"; });",
	 "line 1: queues: the name 'a' is given twice; expected one entry for each name"},
	{"priority_classes = ({ name = \"a\"; },\n { name = \"b\"; },\n { name = \"a\"; });",
	 "line 3: priority_classes: the name 'a' is given twice"},
	{"priority_classes = ({ name = \"a\"; },\n { name = \"b\"; preemptible = true;\n"
	 " urgency_preemptible = false; });",
	 "line 2: priority_classes: class 'b': preemptible = true contradicts urgency_preemptible = "
	 "false: preemptible sets it, too; leave preemptible out, and set fair_share_preemptible "
	 "and urgency_preemptible"},
	{"priority_classes = ({ name = \"b\"; fair_share_preemptible = true; preemptible = false; });",
	 "preemptible = false contradicts fair_share_preemptible = true"},
	{"priority_classes = ({ name = \"b\";\n users = [ \"a b\" ]; });",
	 "line 2: users: entry 1: 'a b' is not the name of a user"},
	{"queues = ({ name = \"a\"; colour = 1; });", "colour: unknown key"},
	{"queues = ({ name = \"a\";\n owner = []; });",
	 "line 2: owner: unknown key; did you mean 'owners'?"},
	{"nodes = ({ name = \"cn[1-3]\"; }, { name = \"cn2\"; });", "'cn2' is given twice"},
	{"accounts = ({ name = \"a\"; },\n{ name = \"a\"; });",
	 "line 2: accounts: the name 'a' is given twice"},
	{"accounts = ({ name = \"a b\"; });", "'a b' is not the name of an account"},
	{"accounts = ({ name = \"a\"; default_for = [\"x\"]; },\n"
	 "{ name = \"b\";\ndefault_for = [\"y\", \"x\"]; });",
	 "line 3: accounts: b: default_for: user x already has the default account 'a'"},
	{"accounts = ({ name = \"a\";\nuser_submit_burst = 3; });",
	 "line 2: accounts: a: user_submit_burst: user_submit_burst needs user_submit_rate"},
	{"accounts = ({ name = \"a\"; max_cpu = 3; });",
	 "max_cpu: unknown key; did you mean 'max_cpus'?"},
	{"nodes = ({ name = \"cn[1-\"; });", "ends too early"},
	{"nodes = ({ name = \"cn[1-200000]\"; });", "more than 100000 nodes"},
	{"nodes = ({ name = \"a\"; labels = [\"x\"]; });", "'x' is not a label"},
	{"priority_classes = ({ name = \"c\"; max_fraction_per_queue = { cpu = 1.5; }; });",
	 "max_fraction_per_queue: cpu: 1.5 is out of range: expected 0 to 1"},
	{"priority_classes = ({ name = \"c\"; max_fraction_per_queue = { cpu = \"a\"; }; });",
	 "cpu: expected a number, found a text"},
	{"priority_classes = ({ name = \"c\"; max_fraction_per_queue = [1]; });",
	 "expected a group of numbers"},
	{"priority_classes = ({ name = \"c\";\n max_fraction_per_queue = { gpus = 1; }; });",
	 "line 2: max_fraction_per_queue: 'gpus' is not a resource; did you mean 'gpu'?"},
	{"queues = ({ name = \"a\"; limits = { core = 1; }; });",
	 "limits: 'core' is not a resource"},
	{"queues = ({ name = \"a\"; limits = { cpu = -0.1; }; });",
	 "limits: cpu: -0.1 is out of range: expected 0 to 1"},
	{"user_queues = { limits = { memory = 2; }; };", "memory: 2 is out of range"},
	{"scheduler = { max_resource_fraction_per_round = { disk = 0.5; }; };",
	 "'disk' is not a resource"},
	{"scheduler = { max_resource_fraction_per_round = 0.5; };", "expected a group of numbers"},
	{"scheduler = { max_jobs_per_round = -1; };", "-1 is out of range"},
	{"rate = 5;", "unknown key here: it belongs in the group scheduler"},
	/* plugins */
	{"plugins = { fairnes = \"drf\"; };", "fairnes: unknown key; did you mean 'fairness'?"},
	{"plugins = { fairness = 5; };", "fairness: expected a plugin's name"},
	{"plugins = { fairness = { half_life = 1; }; };", "fairness: expected a plugin's name"},
	{"plugins = { fairness = \"../drf\"; };", "fairness: '../drf' is not a name"},
	{"plugins = { fairness = \"a.so\"; };", "its name contains a dot"},
	/* rules between values */
	{"agents = { node_timeout = \"15s\"; };", "node_timeout must be at least twice heartbeat"},
	{"agents = { lease = \"60s\"; };", "lease must be longer than node_timeout"},
	{"defaults = { grace = \"6m\"; };", "grace is longer than limits.max_grace_period"},
	{"defaults = { grace = \"500ms\"; };", "grace is less than 1s (0 means 1s)"},
	{"limits = { max_grace_period = \"500ms\"; };", "is out of range"},
	{"limits = { max_grace = \"5m\"; };", "did you mean 'max_grace_period'?"},
	{"queues = ( { name = \"q\"; default_time = \"2h\"; max_time = \"1h\"; } );",
	 "queues: q: default_time is longer than max_time"},
	{"queues = ( { name = \"q\"; max_time = \"5000d\"; } );", "is out of range"},
	{"priority_classes = ( { name = \"armada-default\"; default_time = \"2h\"; max_time = \"1h\"; } );",
	 "priority_classes: armada-default: default_time is longer than max_time"},
	{"limits = { max_time_limit = \"1h\"; };",
	 "time_limit is longer than limits.max_time_limit"},
	{"scheduler = { rate = 5; };", "scheduler: rate needs burst"},
	{"scheduler = { burst = 5; };", "scheduler: burst needs rate"},
	{"scheduler = { queue_rate = 0.5; };", "scheduler: queue_rate needs queue_burst"},
	{"scheduler = { queue_burst = 5; };", "scheduler: queue_burst needs queue_rate"},
	{"scheduler = { default_class = \"nice\"; };",
	 "default_class 'nice' is not in priority_classes"},
	{"priority_classes = ();", "default_class 'armada-default' is not in"},
	{"queues = ( { name = \"q\"; priority_factor = 0; } );", "expected 0.000001 to 1000000"},
	{"queues = ( { name = \"q\"; priority_factor = -1.5; } );", "expected 0.000001 to 1000000"},
	{"queues = ( { name = \"q\"; limits = { cpu = 1.5; }; } );", "expected 0 to 1"},
	{"queues = ( { name = \"q\"; default_class = \"armada-defualt\"; } );",
	 "line 1: queues: q: default_class: 'armada-defualt' is not in priority_classes; did you mean "
	 "'armada-default'?"},
	{"queues = ( { name = \"q\";\n class_limits = [\"nice:cpu=0.5\"]; } );",
	 "queues: q: class_limits: 'nice' is not in priority_classes"},
	{"queues = ( { name = \"q\";\n class_limits = [\"armada-default:cpu=2\"]; } );",
	 "line 2: class_limits: entry 1: class armada-default: cpu: 2 is out of range"},
	{"queues = ( { name = \"q\"; class_limits = [\"armada-default:cpu=0\", "
	 "\"armada-default:gpu=1\"]; } );",
	 "queues: q: class_limits: class armada-default is given twice"},
	{"queues = ( { name = \"q\"; default_resources = [\"cpu=2\", \"cpu=3\"]; } );",
	 "queues: q: default_resources: cpu is given twice"},
	{"queues = ( { name = \"q\"; default_resources = [\"disk=2\"]; } );",
	 "'disk' is not a resource: expected cpu, memory or gpu"},
	{"queues = ( { name = \"q\"; labels = [\"a=1\", \"a=2\"]; } );",
	 "queues: q: labels: a is given twice"},
	{"queues = ( { name = \"q\"; permissions = [\"user:ann=dance\"]; } );", "dance"},
	{"queues = ( { name = \"q\"; permissions = [\"all=watch\", \"all=submit\"]; } );",
	 "queues: q: permissions: "},
	{"queues = ( { name = \"q\"; max_running = -1; } );",
	 "-1 is out of range: expected 0 to 1000000000000"},
	{"queues = ( { name = \"q\"; submit_rate = \"100\"; } );",
	 "expected jobs by time such as 100/h, 10/m or 2/s"},
	{"queues = ( { name = \"q\"; user_submit_burst = 5; } );",
	 "queues: q: user_submit_burst needs user_submit_rate"},
	{"queues = ( { name = \"q\"; max_runing = 1; } );", "did you mean 'max_running'?"},
	{"user_queues = { default_class = \"nice\"; };",
	 "user_queues: default_class: 'nice' is not in priority_classes"},
	{"user_queues = { default_time = \"2h\"; max_time = \"1h\"; };",
	 "user_queues: default_time is longer than max_time"},
	{"user_limits = { submit_burst = 5; };", "user_limits: submit_burst needs submit_rate"},
	{"user_limits = { max_memory = 5; };", "expected a size in quotes"},
	{"users = ( { max_running = 5; } );", "users: an entry without a name"},
	{"users = ( { name = \"ann\"; }, { name = \"ann\"; } );", "'ann' is given twice"},
	{"users = ( { name = \"ann\"; submit_burst = 2; } );",
	 "users: ann: submit_burst needs submit_rate"},
};

static void check_bad(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct conf *c = NULL;
		struct err err = {0};

		ok(conf_parse(&c, "test", bad[i].text, &err) < 0 && !c, "refused: %s", bad[i].says);
		has_str(err.text, bad[i].says, "the message has the reason");
		ok(strncmp(err.text, "test: ", 6) == 0, "the message begins with the file");
	}
}

static void check_defaults(void)
{
	struct conf *c = NULL;
	struct err err = {0};

	is_int(conf_parse(&c, "empty", "", &err), 0, "an empty file is accepted %s", err.text);
	is_str(c->file, "empty", "the conf has the name of its file");
	is_str(c->cluster, "armada", "the cluster has its default name");
	ok(c->controller_count == 1 && !strcmp(c->controllers[0], "localhost:6870"),
	   "the controller has its default address");
	is_str(c->listen, "", "the default listen address is the first controller's");
	is_int(c->nodes.heartbeat_us, 10000000, "heartbeat is 10s by default");
	is_int(c->nodes.node_timeout_us, 60000000, "node_timeout is 60s by default");
	is_int(c->nodes.lease_us, 43200000000, "lease is 12h by default");
	is_int(c->scheduler.cycle_period_us, 20000, "cycle_period is 20ms by default");
	is_str(c->scheduler.default_class, "armada-default", "the default class is armada-default");
	is_int(c->defaults.cpu_milli, 1000, "a task has 1 cpu by default");
	is_int(c->defaults.memory_per_cpu_bytes, 1 << 30, "a cpu has 1G of memory by default");
	is_int(c->defaults.time_limit_us, 86400000000, "the time limit is 1 day by default");
	is_int(c->defaults.grace_us, 1000000, "the grace period is 1s by default");
	is_str(c->defaults.output, "armada-%j.out", "the output file has its default");
	is_str(c->defaults.array_output, "armada-%A_%a.out",
	       "the output file of arrays has its default");
	is_int(c->limits.max_grace_us, 300000000, "max_grace_period is 5m by default");
	is_int(c->limits.array_elements, 10000000, "array_elements has its default");
	is_int(c->limits.max_time_limit_us, 0, "there is no max_time_limit by default");
	ok(c->user_queues.enabled &&
		   c->user_queues.template.values[QUEUE_OF_priority_factor].d == 1,
	   "queues of users are enabled by default");
	ok(c->security.min_uid == 1000 && !c->security.allow_root_jobs, "security");
	is_int((long long)c->class_count, 4, "there are four priority classes by default");
	is_str(c->classes[0].name, "armada-default", "armada-default");
	ok(c->classes[0].priority == 1000 && !c->classes[0].fair_share_preemptible &&
		   c->classes[0].urgency_preemptible,
	   "armada-default is preempted for urgency only");
	is_str(c->classes[1].name, "armada-preemptible", "armada-preemptible");
	ok(c->classes[1].priority == 900 && c->classes[1].fair_share_preemptible &&
		   c->classes[1].urgency_preemptible,
	   "armada-preemptible is preempted for urgency and for fair share");
	ok(!c->classes[0].users && !c->classes[0].groups && !c->classes[1].users,
	   "both are open to all users");
	for (size_t i = 2; i < 4; i++)
		ok(c->classes[i].priority > 1000000000 && c->classes[i].users &&
			   !c->classes[i].user_count && !c->classes[i].groups &&
			   !c->classes[i].fair_share_preemptible,
		   "%s is for administrators", c->classes[i].name);
	ok(c->classes[2].priority < c->classes[3].priority,
	   "system-node-critical is the most urgent class");
	ok(!conf_lists_classes(c) && conf_keep_old_classes(c, &err) == 0 && c->class_count == 2 &&
		   c->classes[0].priority == 1000 && c->classes[1].priority == 1000 &&
		   c->classes[1].fair_share_preemptible,
	   "the old default classes can be kept %s", err.text);
	ok(!c->queue_count && !c->node_count, "there are no queues and no nodes by default");
	is_str(c->plugins[ARMADA_PLUGIN_AUTH].name, "munge", "the auth plugin is munge by default");
	is_str(c->plugins[ARMADA_PLUGIN_CONTAIN].name, "auto",
	       "the contain plugin is auto by default");
	conf_free(c);
}

static const char full[] =
	"cluster = \"hpc-1\"; // a comment with 0755 and @include\n"
	"controllers = [\"ctl1:6870\", \"[::1]:6870\", \"/run/armada/s\"]; # 0755\n"
	"admins = (\"alice\", \"bob\"); /* 99999999999999999999 */\n"
	"agents : { heartbeat = \"500ms\"; node_timeout = \"0:05\"; lease = \"1-12\"; };\n"
	"defaults = { cpus = 0.5; memory_per_cpu = \"1.5G\"; output = \"out 0755 @include\"; };\n"
	"limits = { array_elements = 3000000000; tasks_per_job = 0x10; };\n"
	"priority_classes = (\n"
	"  { name = \"armada-default\"; },\n"
	"  { name = \"urgent\"; priority = 30000; urgency_preemptible = false;\n"
	"    max_fraction_per_queue = { cpu = 0.5; memory = 1; }; }\n"
	");\n"
	"queues = ({ name = \"physics\"; priority_factor = 0.5; owners = [\"alice\"];\n"
	"            group_owners = [\"phys\", \"astro\"]; cordoned = true; });\n"
	"nodes = ({ name = \"cn[01-03],gpu1\"; cpus = \"64\"; memory = \"256G\"; gpus = 2;\n"
	"           labels = [\"zone=a\", \"fast=\"]; });\n"
	"plugins = { };\n";

static void check_values(void)
{
	struct conf *c = NULL;
	struct err err = {0};
	int rc;

	rc = conf_parse(&c, "full", full, &err);
	is_int(rc, 0, "a full file is accepted %s", err.text);
	if (rc < 0)
		return;
	is_str(c->cluster, "hpc-1", "cluster");
	is_int((long long)c->controller_count, 3, "a list of controllers is read");
	is_str(c->controllers[2], "/run/armada/s", "a controller may be a socket");
	ok(c->admin_count == 2 && !strcmp(c->admins[1], "bob"), "admins");
	is_int(c->nodes.heartbeat_us, 500000, "a duration with a unit is read");
	is_int(c->nodes.node_timeout_us, 5000000, "MM:SS");
	is_int(c->nodes.lease_us, 129600000000, "D-HH");
	is_int(c->defaults.cpu_milli, 500, "cpus as a fraction are read");
	is_int(c->defaults.memory_per_cpu_bytes, 3 << 29, "a size");
	is_str(c->defaults.output, "out 0755 @include", "texts are unchanged");
	is_int(c->limits.array_elements, 3000000000, "a number beyond 31 bits does not wrap");
	is_int(c->limits.tasks_per_job, 16, "a hexadecimal number is read");
	ok(c->class_count == 2 && c->classes[1].priority == 30000 &&
		   !c->classes[1].urgency_preemptible,
	   "a class has its priority and its preemption");
	ok(c->classes[1].max_fraction_count == 2 &&
		   !strcmp(c->classes[1].max_fraction_per_queue[0].name, "cpu") &&
		   c->classes[1].max_fraction_per_queue[0].value == 0.5,
	   "a class has its fractions");
	ok(c->queue_count == 1 && c->queues[0].values[QUEUE_OF_priority_factor].d == 0.5 &&
		   c->queues[0].values[QUEUE_OF_cordoned].i &&
		   c->queues[0].values[QUEUE_OF_group_owners].count == 2,
	   "a queue has its factor, its groups and its state");
	is_int((long long)c->node_count, 4, "a host list is four nodes");
	is_str(c->node_list[1].name, "cn02", "each node has its name");
	ok(c->node_list[3].cpu_milli == 64000 && c->node_list[3].gpus == 2 &&
		   c->node_list[3].memory_bytes == INT64_C(256) << 30 &&
		   c->node_list[3].label_count == 2,
	   "each node has the values of its entry");
	conf_free(c);
}

static const char limited[] =
	"scheduler = { max_jobs_per_round = 100; max_resource_fraction_per_round = { gpu = 0.25; };\n"
	"  rate = 0.5; burst = 10; queue_rate = 3; queue_burst = 4; queue_lookback = 1000;\n"
	"  hold_impossible = true; };\n"
	"user_queues = { limits = { memory = 0.1; }; };\n"
	"priority_classes = ({ name = \"armada-default\"; },\n"
	"  { name = \"both\"; preemptible = true; }, { name = \"none\"; preemptible = false; },\n"
	"  { name = \"mixed\"; fair_share_preemptible = true; urgency_preemptible = false; },\n"
	"  { name = \"same\"; preemptible = true; urgency_preemptible = true; groups = [\"g\"]; },\n"
	"  { name = \"system-node-critical\"; });\n"
	"queues = ({ name = \"q\"; limits = { cpu = 0.5; gpu = 0; }; });\n";

static void check_limits(void)
{
	struct buf shown CLEANUP_BUF = {0};
	struct conf *c = NULL;
	struct err err = {0};
	int rc = conf_parse(&c, "limited", limited, &err);

	is_int(rc, 0, "a file with limits is accepted %s", err.text);
	if (rc < 0)
		return;
	ok(c->scheduler.max_jobs_per_round == 100 && c->scheduler.queue_lookback == 1000,
	   "the counts of a round are read");
	ok(c->scheduler.max_fraction_count == 1 &&
		   c->scheduler.max_fraction_per_round[0].value == 0.25,
	   "the fractions of a round are read");
	ok(c->scheduler.rate == 0.5 && c->scheduler.burst == 10 && c->scheduler.queue_rate == 3 &&
		   c->scheduler.queue_burst == 4,
	   "rates and bursts are read");
	ok(c->scheduler.hold_impossible, "hold_impossible is read");
	ok(c->user_queues.template.values[QUEUE_OF_limits].count == 1 &&
		   !strcmp(c->user_queues.template.values[QUEUE_OF_limits].pairs[0].name, "memory"),
	   "the limits of the user_queues template are read");
	ok(c->queues[0].values[QUEUE_OF_limits].count == 2 &&
		   c->queues[0].values[QUEUE_OF_limits].pairs[0].value == 0.5,
	   "the limits of a queue are read");
	ok(!c->classes[0].fair_share_preemptible && c->classes[0].urgency_preemptible,
	   "an entry for a shipped class without settings keeps the shipped values");
	ok(c->classes[1].fair_share_preemptible && c->classes[1].urgency_preemptible,
	   "preemptible = true allows both kinds of preemption");
	ok(!c->classes[2].fair_share_preemptible && !c->classes[2].urgency_preemptible,
	   "preemptible = false allows neither kind of preemption");
	ok(c->classes[3].fair_share_preemptible && !c->classes[3].urgency_preemptible,
	   "the two flags are independent");
	ok(c->classes[4].fair_share_preemptible && c->classes[4].urgency_preemptible &&
		   c->classes[4].group_count == 1 && !c->classes[4].users,
	   "preemptible and the same value agree; a class has its groups");
	ok(c->classes[5].users && !c->classes[5].user_count,
	   "a system class is for administrators, also without users");
	ok(conf_lists_classes(c) && conf_keep_old_classes(c, &err) == 0 && c->class_count == 6,
	   "listed classes replace the old ones, too");
	conf_show(c, false, &shown);
	buf_addstr(&shown, "");
	ok(strstr((char *)shown.data, "\t\tfair_share_preemptible = true;\n") &&
		   !strstr((char *)shown.data, "\tpreemptible"),
	   "the printed file has the two settings instead of preemptible");
	conf_free(c);
}

static const char queues[] =
	"queues = ({ name = \"q\"; permissions = [\"group:hpc=submit,watch\"]; labels = [\"site=a\"];\n"
	"  default_class = \"armada-preemptible\"; default_resources = [\"cpu=2\", \"memory=4G\"];\n"
	"  class_limits = [\"armada-default:cpu=0.5,memory=0.25\"];\n"
	"  max_running = 0; max_cpus = 2.5; max_memory = \"16G\"; submit_rate = \"10/m\";\n"
	"  user_max_waiting = 7; user_submit_rate = \"1/s\"; user_submit_burst = 3; });\n"
	"user_queues = { max_gpus = 1; labels = [\"own=\"]; };\n"
	"user_limits = { max_running = 100; };\n"
	"users = ({ name = \"ann\"; max_running = 5; });\n";

static void check_quota(const struct conf_quota *from, uint32_t set, const char *whose)
{
	struct quota m;

	conf_quota_take(from, &m);
	is_int(m.set, set, "the limits of %s that are set", whose);
}

static void check_queues(void)
{
	struct buf shown CLEANUP_BUF = {0};
	struct conf *c = NULL, *again = NULL;
	CLEANUP_ARENA struct arena *a = arena_new(0);
	Armada__QueueSpec *q, *like;
	struct err err = {0};
	int rc = conf_parse(&c, "queues", queues, &err);

	is_int(rc, 0, "a file with all keys of queues is accepted %s", err.text);
	if (rc < 0)
		return;
	is_int(queue_spec_of(c, &c->queues[0], a, &q, &err), 0, "the queue is stored as a message");
	is_int(queue_spec_of(c, &c->user_queues.template, a, &like, &err), 0,
	       "the template is stored as a message");
	ok(q->n_permissions == 1 && q->n_labels == 1 && q->n_default_resources == 2 &&
		   q->n_class_limits == 1,
	   "lists");
	is_str(q->default_class, "armada-preemptible", "the queue has its default class");
	q->priority_factor = like->priority_factor = 1;
	is_str(queue_text(q, a),
	       "{ permissions = [\"group:hpc=submit,watch\"]; "
	       "class_limits = [\"armada-default:cpu=0.5,memory=0.25\"]; max_running = 0; "
	       "max_cpus = \"2.5\"; max_memory = \"16G\"; submit_rate = \"10/m\"; "
	       "user_max_waiting = 7; user_submit_rate = \"1/s\"; user_submit_burst = 3; "
	       "default_class = \"armada-preemptible\"; "
	       "default_resources = [\"cpu=2\", \"memory=4G\"]; labels = [\"site=a\"]; }",
	       "the printed queue has all its settings, also a limit of 0");
	is_str(queue_text(like, a), "{ max_gpus = 1; labels = [\"own=\"]; }",
	       "the user_queues template");
	check_quota(&c->user_limits, 1u << QUOTA_RUNNING, "each user");
	ok(c->user_count == 1 && !strcmp(c->users[0].name, "ann"), "a user");
	check_quota(&c->users[0].quota, 1u << QUOTA_RUNNING, "the user ann");
	is_int(conf_line(c, "queues", 0, "default_class"), 2, "a key has its line");
	is_int(conf_line(c, "queues", 0, "owners"), 0, "an absent key has no line");
	is_int(conf_line(c, "queues", 7, "owners"), 0, "an absent queue has no line");
	conf_show(c, false, &shown);
	rc = conf_parse(&again, "shown", (char *)shown.data, &err);
	is_int(rc, 0, "the printed file is accepted %s", err.text);
	if (rc == 0) {
		Armada__QueueSpec *then = NULL;

		is_int(queue_spec_of(again, &again->queues[0], a, &then, &err), 0,
		       "the queue is read back");
		then->priority_factor = 1;
		is_str(queue_text(then, a), queue_text(q, a), "the queue is unchanged");
	}
	conf_free(again);
	conf_free(c);
}

static const struct armada_option rows[] = {
	{.name = "half_life",
	 .type = ARMADA_OPTION_DURATION,
	 .def = "1d",
	 .min = 1,
	 .max = 1e15,
	 .reload = true},
	{.name = "mode", .type = ARMADA_OPTION_CHOICE, .def = "fast", .choices = "fast|slow"},
	{.name = "weights", .type = ARMADA_OPTION_NUMBERS},
	{.name = "size", .type = ARMADA_OPTION_SIZE, .def = "64K"},
};

static int options_of(const char *text, struct conf **ret, struct err *err)
{
	int rc = conf_parse(ret, "test", text, err);

	if (rc < 0)
		bail("%s", err->text);
	return conf_plugin_options(*ret, ARMADA_PLUGIN_FAIRNESS, rows, ARRAY_SIZE(rows), err);
}

static void check_plugins(void)
{
	const struct armada_option_value *v;
	struct conf *c = NULL;
	struct err err = {0};

	is_int(options_of(
		       "plugins = { fairness = { name = \"x\"; half_life = \"2h\"; mode = \"slow\";"
		       " weights = { cpu = 1; gpu = 0.5; }; }; };",
		       &c, &err),
	       0, "options of a plugin are accepted %s", err.text);
	v = c->plugins[ARMADA_PLUGIN_FAIRNESS].values;
	ok(v[0].set && v[0].i == 7200000000, "a duration");
	ok(v[1].i == 1 && !strcmp(v[1].s, "slow"), "a choice");
	ok(v[2].count == 2 && v[2].pairs[1].value == 0.5, "numbers");
	ok(!v[3].set && v[3].i == 65536, "a default");
	conf_free(c);

	is_int(options_of("plugins = { fairness = \"x\"; };", &c, &err), 0,
	       "a name alone is accepted");
	is_str(c->plugins[ARMADA_PLUGIN_FAIRNESS].name, "x", "the name is the plugin's");
	ok(!c->plugins[ARMADA_PLUGIN_FAIRNESS].values[0].set, "the options have their defaults");
	conf_free(c);

	ok(options_of("plugins = { fairness = { name = \"x\";\n half_live = \"1h\"; }; };", &c,
		      &err) < 0,
	   "an unknown option is refused");
	is_str(err.text,
	       "plugin x: test: line 2: half_live: unknown option; did you mean 'half_life'?",
	       "the message has the reason");
	conf_free(c);
	ok(options_of("plugins = { fairness = { name = \"x\"; mode = \"sloow\"; }; };", &c, &err) <
		   0,
	   "a wrong choice is refused");
	has_str(err.text, "'sloow' is not one of fast|slow; did you mean slow?",
		"the message has the reason");
	conf_free(c);
	ok(options_of("plugins = { fairness = { name = \"x\"; half_life = \"0\"; }; };", &c, &err) <
		   0,
	   "a value out of range is refused");
	has_str(err.text, "out of range", "the message has the reason");
	conf_free(c);
	ok(options_of(
		   "plugins = { fairness = { name = \"x\";\n weights = { cpu = 1; zork = 1; }; }; };",
		   &c, &err) < 0,
	   "a pair with an unknown resource is refused");
	is_str(err.text,
	       "plugin x: test: line 2: weights: 'zork' is not a resource: expected cpu, memory or gpu",
	       "the message has the reason");
	conf_free(c);
}

int main(void)
{
	check_bad();
	check_defaults();
	check_values();
	check_limits();
	check_queues();
	check_plugins();
	return done();
}
