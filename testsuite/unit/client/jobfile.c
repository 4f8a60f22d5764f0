/*
 * Job files: valid files, refused files with the line of the error, and armada-job(5), which must
 * have a paragraph for every key. With --print the program prints the part of the page between its
 * two markers, and with --print-kubernetes the table of the words of Kubernetes.
 */
#include "client/joblist.h"
#include "client/kubernetes_words.h"
#include "client/spec/finish.h"
#include "client/spec/table.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct spec_defaults defaults = {.cpu_milli = 1000};

static int64_t amount(const Armada__TaskGroup *g, const char *name)
{
	for (size_t i = 0; i < g->n_resources; i++)
		if (strcmp(g->resources[i]->name, name) == 0)
			return g->resources[i]->amount;
	return 0;
}

static void test_groups(void)
{
	static const char text[] =
		"# two kinds of tasks\n"
		"name = \"train\"; queue = \"ml\"; time = \"2h\"; min_available = 3;\n"
		"on_task_failure = \"replace_task\"; priority_class = \"high\"; memory = \"2G\";\n"
		"constraint = [\"rack=a\", \"!slow\"]; env = { MODEL = \"m\"; N = 3; };\n"
		"groups = (\n"
		"  { name = \"ps\"; service = true; on_task_failure = \"fail_job\";"
		"    priority_class = \"high\"; command = [\"ps\", \"--port=1\"]; },\n"
		"  { name = \"worker\"; replicas = 4; wrap = \"train\"; cpus = 0.5;\n"
		"    memory = \"1G\"; gpus = 2; constraint = \"gpu=a100\"; tolerations = [\"gpu\"];\n"
		"    env = [\"N=4\"]; }\n"
		");\n";
	struct err err = {0};
	struct spec s;
	Armada__TaskGroup **g;

	spec_init(&s);
	is_int(joblist_parse_one(&s, "job.conf", text, &err), 0,
	       "a job with two groups is accepted %s", err.text);
	is_int(spec_finish(&s, &defaults, &err), 0, "the spec is complete %s", err.text);
	is_str(s.job.name, "train", "the name");
	is_str(s.job.priority_class, "high", "an option with _");
	is_int(s.job.time_limit_s, 7200, "the time limit");
	is_int(s.job.min_available, 3, "the minimum");
	is_int(s.job.on_task_failure, ARMADA__TASK_FAILURE__TASK_FAILURE_REPLACE_TASK,
	       "the failure policy");
	is_int((int)s.job.n_selectors, 2, "a list of labels");
	is_int((int)s.job.n_groups, 2, "the number of groups");
	g = s.job.groups;
	is_str(g[0]->name, "ps", "the name of the first group");
	is_int(g[0]->replicas, 1, "the default number of replicas is one");
	ok(g[0]->service, "the first group is a service");
	is_str(g[0]->argv[1], "--port=1", "the command of the first group");
	is_int(amount(g[0], "memory"), INT64_C(2) << 30,
	       "the memory of the job is the default of the group");
	is_int((int)g[0]->n_env, 2, "the group has the variables of the job");
	is_str(g[0]->env[1], "N=3", "a number is a valid value of a variable");
	ok(g[0]->own_task_failure, "the first group has a failure policy of its own");
	is_int(g[0]->on_task_failure, ARMADA__TASK_FAILURE__TASK_FAILURE_FAIL_JOB,
	       "the failure policy of the first group");
	ok(!g[1]->own_task_failure, "the second group has that of the job");
	is_int(g[1]->replicas, 4, "the replicas of the second group");
	is_int(amount(g[1], "cpu"), 500, "a fraction of a cpu");
	is_int(amount(g[1], "memory"), INT64_C(1) << 30, "the memory of the second group");
	is_int(amount(g[1], "gpu"), 2, "the gpus of each task");
	is_str(g[1]->selectors[0]->value, "a100", "the labels of the second group");
	is_int((int)g[1]->n_tolerations, 1, "the tolerations of the second group");
	ok(s.parts[1]->script_len > 0, "the script of the second group");
	is_str(g[1]->env[2], "N=4", "the variables of the group come after those of the job");
	spec_done(&s);
}

/* The minimum of a group, in the three kinds of files; that of the job is the sum. */
static void test_minima(void)
{
	static const char *const texts[] = {
		"groups = ( { name = \"ps\"; wrap = \"x\"; },\n"
		"  { name = \"worker\"; replicas = 4; min_available = 2; wrap = \"y\"; } );\n",
		"{\"groups\": [{\"name\": \"ps\", \"wrap\": \"x\"}, {\"name\": \"worker\",\n"
		"  \"replicas\": 4, \"min_available\": 2, \"wrap\": \"y\"}]}\n",
		"groups:\n- name: ps\n  wrap: x\n"
		"- name: worker\n  replicas: 4\n  min_available: 2\n  wrap: y\n"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err err = {0};
		struct spec s;

		spec_init(&s);
		is_int(joblist_parse_one(&s, "job", texts[i], &err), 0,
		       "file %zu: a group has a minimum %s", i, err.text);
		is_int(spec_finish(&s, &defaults, &err), 0, "the spec is complete %s", err.text);
		is_int(s.job.groups[0]->min_available, 0, "the first group has none");
		is_int(s.job.groups[1]->min_available, 2, "the minimum of the second group");
		is_int(s.job.min_available, 3, "the minimum of the job");
		is_int(s.job.elastic, ARMADA__ELASTIC__ELASTIC_YES, "the others join later");
		spec_done(&s);
	}
}

static void test_plain(void)
{
	static const char text[] = "hold = true; requeue = false; ntasks = 3; nodes = 3;\n"
				   "umask = \"077\"; command = [\"hostname\", \"-f\"];\n";
	static const struct opt_table *const tables[] = {&spec_options, NULL};
	struct err err = {0};
	struct spec s;

	spec_init(&s);
	is_int(joblist_parse_one(&s, "job.conf", text, &err), 0,
	       "a job without groups is accepted %s", err.text);
	ok(s.job.hold && s.job.no_requeue, "hold and requeue are set");
	s.source = SPEC_LINE;
	is_int(spec_set(&s, opt_find(tables, "ntasks"), "6", &err), 0,
	       "an option of the command line");
	is_int(spec_finish(&s, &defaults, &err), 0, "the spec is complete %s", err.text);
	is_int(s.job.groups[0]->replicas, 6, "the command line overrides the file");
	is_str(s.job.groups[0]->argv[1], "-f", "the command is that of the file");
	is_int(s.job.umask, 077, "umask is octal");
	spec_done(&s);
}

#define GROUP "groups = ( { name = \"a\"; command = \"x\"; "

static const struct {
	const char *text, *says;
} refusals[] = {
	{"nam = \"x\";", "job.conf: line 1: nam: unknown key; did you mean 'name'?"},
	{"\nwombat = 1;", "job.conf: line 2: wombat: unknown key; see armada-job(5)"},
	{"replicas = 2;", "line 1: replicas: belongs into a group"},
	{"memory = 4;", "line 1: memory: must be a string with a unit, as in \"4G\""},
	{"time = 30;", "line 1: time: must be a string with a unit, as in \"2h\""},
	{"umask = 22;", "line 1: umask: must be a string of octal digits"},
	{"ntasks = 010;", "line 1: the number 010 begins with 0"},
	{"ntasks = \"many\";", "line 1: ntasks: "},
	{"hold = \"yes\";", "line 1: hold: must be true or false"},
	{"queue = [\"a\", \"b\"];", "line 1: queue: must be one value, not a list"},
	{"queue = { a = 1; };", "line 1: queue: must be a string or a number"},
	{"on_task_failure = \"retry\";", "must be fail_job, restart_job or replace_task"},
	{"name = \"a\" queue", "job.conf: line 1: syntax error"},
	{"@include \"/etc/passwd\"", "job.conf: line 1: @include is not supported"},
	{"command = [1];", "line 1: command: must be a list of strings"},
	{"command = \"a\";\nscript = \"b\";", "line 2: script: only one of command, script"},
	{"env = { A = true; };", "line 1: env: must be a string or a number"},
	{"env = [\"A\"];", "line 1: env: 'A' must be NAME=VALUE"},
	{"groups = ();", "line 1: groups: must be a list of groups"},
	{"groups = { };", "line 1: groups: must be a list of groups"},
	{"groups = ( 1 );", "line 1: groups: entry 1 must be a group"},
	{"groups = (\n{ command = \"x\"; } );", "line 2: a group without a name"},
	{GROUP "cpu = 1; } );", "line 1: cpu: unknown key; did you mean 'cpus'?"},
	{GROUP "queue = \"x\"; } );", "line 1: queue: belongs to the whole job"},
	{GROUP "priority_class = \"b\"; } ); priority_class = \"c\";",
	 "group a: priority_class: the groups of a job start and are preempted together, so they "
	 "share the class of the job, which is c, not b"},
	{GROUP "priority_class = \"b\"; } );", "the class of the job, which is not given, not b"},
	{GROUP "on_task_failure = \"x\"; } );",
	 "on_task_failure: 'x' must be fail_job, restart_job or replace_task"},
	{GROUP "replicas = 0; } );", "line 1: replicas: "},
	{GROUP "service = 1; } );", "line 1: service: must be true or false"},
	{GROUP "}, { name = \"a\"; } );", "line 1: name: 'a' is the name of another group"},
	{GROUP "} ); ntasks = 3;",
	 "ntasks is not for jobs with groups: use replicas in each group"},
	{GROUP "} ); nodes = 3;", "nodes is not for jobs with groups"},
	{GROUP "} ); gpus = 3;", "gpus is not for jobs with groups"},
	{GROUP "replicas = 2; min_available = 3; } );",
	 "min-available: 3 is more than the 2 tasks of the group"},
	{GROUP "replicas = 3; min_available = 2; } ); min_available = 1;",
	 "min-available: it is 1 for the job, and 2 for its groups together"},
	{GROUP "min_available = 0; } );", "line 1: min_available: "},
	{GROUP "} ); min_available = 3;", "min-available: 3 is more than the 1 task of the job"},
	{"groups = ( { name = \"a\"; } );",
	 "group a: nothing to run; give it a command or a script"},
	{"name = \"a\";", "nothing to run"},
	/* what Kubernetes' files have */
	{"name = \"a\";\nservices = ( { type = \"NodePort\"; } );",
	 "job.conf: line 2: services: no network service is made; tasks find those of a group by"},
	{"service = true;", "line 1: service: no network service is made"},
	{"ingress = ( );", "line 1: ingress: nothing leads from outside to a job"},
	{"jobs = ( );", "line 1: jobs: must be a list of jobs, at least one"},
	{"podSpec = {\n containers = ( ); };",
	 "line 2: containers: a pod needs containers, a list of one map"},
	{"priorityClassName = \"high\";", "use priority_class; see armada-job(5)"},
	{"termination_grace_period_seconds = 30;", "use grace_period, a string with a unit"},
	{GROUP "\nvolumeMounts = ( ); } );",
	 "line 2: volumeMounts: tasks see the file systems of their node"},
	{"groups = ( { name = \"a\"; }, {\nresources = { cpu = 1; }; } );",
	 "line 2: resources: use cpus, memory and gpus"},
	{"env = ( { name = \"A\"; value = \"b\"; } );", "env: must be { NAME = \"value\"; }"},
	{"---\n- a\n", "job.conf: line 1: a job file is a map of keys"},
	{"name: \"a\"; queue", "job.conf: line 1: syntax error"},
};

/* No key of a job file is refused as a word of Kubernetes, except at a place where it is no key. */
static void test_kubernetes(void)
{
	for (size_t i = 0; i < jobfile_key_count; i++)
		ok(!jobfile_keys[i].top || !kubernetes_instead(jobfile_keys[i].name),
		   "the key %s is not refused", jobfile_keys[i].name);
	for (size_t i = 0; i < spec_options.count; i++)
		ok(!kubernetes_instead(spec_options.rows[i].name), "the option %s is not refused",
		   spec_options.rows[i].name);
	ok(!kubernetes_instead("volum") && !kubernetes_instead("volumesx"), "whole words only");
	ok(!kubernetes_instead(""), "an empty key");
}

static void test_refusals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		struct err err = {0};
		struct spec s;
		int rc;

		spec_init(&s);
		rc = joblist_parse_one(&s, "job.conf", refusals[i].text, &err);
		if (rc == 0)
			rc = spec_finish(&s, &defaults, &err);
		ok(rc < 0, "the file is refused: %s", refusals[i].text);
		has_str(err.text, refusals[i].says, "the error says so");
		spec_done(&s);
	}
}

/* --- several jobs -------------------------------------------------------------------------- */

/* The jobs as "name: dependencies", in the order of submission; or the error. */
static const char *order_of(const char *name, const char *text, struct buf *out)
{
	struct err err = {0};
	struct joblist l;
	int rc;

	buf_clear(out);
	joblist_init(&l);
	rc = joblist_parse(&l, name, text, &err);
	for (size_t i = 0; rc == 0 && i < l.count; i++)
		rc = spec_finish(&l.jobs[i].spec, &defaults, &err);
	if (rc == 0)
		rc = joblist_order(&l, &err);
	for (size_t i = 0; rc == 0 && i < l.count; i++) {
		const struct joblist_job *j = &l.jobs[l.order[i]];

		buf_addf(out, "%s%s(", i ? " " : "", j->spec.job.name);
		for (size_t k = 0; k < j->spec.job.n_dependencies; k++) {
			const Armada__Dependency *d = j->spec.job.dependencies[k];

			buf_addf(out, "%s%u", k ? "," : "", d->request_job);
			if (d->has_element)
				buf_addf(out, "_%u", d->element);
			if (d->job)
				buf_addf(out, "#%u", (unsigned)d->job);
		}
		buf_addstr(out, ")");
	}
	if (rc < 0)
		buf_addstr(out, err.text);
	joblist_done(&l);
	return (const char *)out->data;
}

static const struct {
	const char *name, *text, *gives;
} lists[] = {
	{"f.conf", "jobs = ( { name = \"a\"; wrap = \"x\"; }, { name = \"b\"; wrap = \"y\"; } );",
	 "a() b()"},
	{"f.conf",
	 "jobs = ( { name = \"a\"; wrap = \"x\"; dependency = \"afterok:b:7,afterany:c_3\"; },\n"
	 "{ name = \"b\"; wrap = \"y\"; }, { name = \"c\"; wrap = \"z\"; array = \"1-5\"; } );",
	 "b() c() a(1,0#7,2_3)"},
	{"f.yaml",
	 "jobs:\n  - {name: a, wrap: x, dependency: 'after:b+10'}\n  - {name: b, wrap: y}\n",
	 "b() a(1)"},
	{"f.json", "{\"jobs\": [\n\t{\"name\": \"a\", \"command\": [\"x\", \"1\"]}]}", "a()"},
	{"f.yaml",
	 "jobs:\n  - {name: a_1, wrap: x}\n  - {name: b, wrap: x, dependency: 'afterok:a_1'}\n",
	 "a_1() b(1)"},
	{"f.yaml", "jobs:\n  - {name: a, wrap: x, dependency: 'afterok:a'}\n",
	 "f.yaml: line 2: jobs[0] (a): dependency: the jobs would wait for one another: a waits for a"},
	{"f.yaml",
	 "jobs:\n  - {name: a, wrap: x, dependency: 'afterok:b'}\n  - {name: b, wrap: x, dependency: "
	 "'afterok:c'}\n  - {name: c, wrap: x, dependency: 'afterok:b'}\n",
	 "line 3: jobs[1] (b): dependency: the jobs would wait for one another: b waits for c waits for b"},
	{"f.yaml",
	 "jobs:\n  - {name: prepare, wrap: x}\n  - {name: b, wrap: x, dependency: 'afterok:prepar'}\n",
	 "no job of this file has the name 'prepar'; did you mean 'prepare'?"},
	{"f.yaml", "jobs:\n  - {name: a, wrap: x}\n  - {name: a, wrap: x}\n",
	 "line 3: jobs[1] (a): name: jobs[0] has the same name"},
	{"f.yaml", "jobs:\n  - {name: a, cpu: 1}\n",
	 "f.yaml: line 2: jobs[0].cpu: unknown key; did you mean 'cpus'?"},
	{"f.yaml", "jobs:\n  - a\n", "jobs[0]: must be a job: a map of keys"},
	{"f.yaml", "defaults: 3\njobs:\n  - {name: a}\n",
	 "line 1: defaults: must be a map of keys"},
	{"f.yaml", "jobs:\n  - &a {name: a}\n", "line 2: anchors (&name) are not supported"},
	{"f.yaml", "jobs:\n  - {name: a}\n  - *a\n", "line 3: aliases (*name) are not supported"},
	{"f.yaml", "name: !x a\n", "line 1: tags (!name) are not supported"},
	{"f.yaml", "name: a\nname: b\n", "line 2: name: this key occurs twice"},
	{"f.yaml", "<<: {a: b}\n", "<< (merging of maps) is not supported"},
	{"f.yaml", "name: a\n---\nname: b\n", "more than one document"},
	{"f.yaml", "ntasks: 010\n", "line 1: a number begins with 0"},
	{"f.yaml", "wrap: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]\n", "nested too deeply"},
	{"f.yaml", "? [a]\n: b\n", "a key must be a text"},
	{"f.yaml", "name: yes\nwrap: x\nhold: yes\n", "line 3: hold: must be true or false"},
	{"f.yaml", "name: ~\n", "line 1: name: must be a string or a number"},
};

static void test_lists(void)
{
	CLEANUP_BUF struct buf out = {0};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		has_str(order_of(lists[i].name, lists[i].text, &out), lists[i].gives, "%s",
			lists[i].gives);
}

static void test_defaults(void)
{
	static const char text[] =
		"queue: q\ndefaults: {memory: 1G, wrap: echo default, env: {A: 1, B: 2}, constraint: old}\n"
		"jobs:\n  - {name: a}\n"
		"  - {name: b, memory: 2G, command: [own], env: {B: 3}, constraint: new}\n";
	struct err err = {0};
	struct joblist l;
	Armada__TaskGroup *g;

	joblist_init(&l);
	is_int(joblist_parse(&l, "f.yaml", text, &err), 0, "a file with defaults is accepted %s",
	       err.text);
	for (size_t i = 0; i < l.count; i++)
		is_int(spec_finish(&l.jobs[i].spec, &defaults, &err), 0, "job %zu is complete %s",
		       i, err.text);
	is_str(l.jobs[1].spec.job.queue, "q", "a key at the top holds for each job");
	g = l.jobs[0].spec.job.groups[0];
	ok(l.jobs[0].spec.script_len > 0, "the program of the defaults");
	is_int(amount(g, "memory"), INT64_C(1) << 30, "the memory of the defaults");
	g = l.jobs[1].spec.job.groups[0];
	is_str(g->argv[0], "own", "the job's own program replaces it");
	ok(!l.jobs[1].spec.script_len, "... and nothing is left of it");
	is_int(amount(g, "memory"), INT64_C(2) << 30, "so does its own memory");
	is_str(g->env[g->n_env - 1], "B=3", "its variables come after those of the defaults");
	is_int((int)g->n_env, 3, "... which it has, too");
	joblist_done(&l);
}

/* --- pod specifications -------------------------------------------------------------------- */

#define POD(fields)       "jobs:\n  - podSpec: {containers: [{name: a, args: [x]}], " fields "}\n"
#define CONTAINER(fields) "jobs:\n  - podSpec: {containers: [{name: a, " fields "}]}\n"

static const struct {
	const char *text, *says;
} pods[] = {
	{POD("restartPolicy: Never, activeDeadlineSeconds: 60"), NULL},
	{CONTAINER("command: [a], args: [b], env: [{name: X, value: 1}], workingDir: /tmp"), NULL},
	{CONTAINER(
		 "args: [x], resources: {requests: {cpu: 1}, limits: {cpu: 1000m, memory: 64Mi}}"),
	 NULL},
	{POD("restartPolicy: Always"), "jobs[0].podSpec.restartPolicy: only Never is accepted"},
	{POD("volumes: []"), "jobs[0].podSpec.volumes: tasks see the file systems of their node"},
	{POD("wombat: 1"), "jobs[0].podSpec.wombat: there is nothing like it here"},
	{POD("activeDeadlineSeconds: 1h"),
	 "activeDeadlineSeconds: must be a whole number of seconds"},
	{CONTAINER("image: x"), "jobs[0].podSpec.containers[0]: nothing to run"},
	{CONTAINER("args: [x], ports: []"),
	 "jobs[0].podSpec.containers[0].ports: tasks use the network"},
	{CONTAINER("args: [x], resources: {requests: {cpu: 1}, limits: {cpu: 2}}"),
	 "containers[0].resources.requests.cpu: request and limit differ"},
	{CONTAINER("args: [x], env: [{name: X, valueFrom: {}}]"),
	 "env[0].valueFrom: only name and value"},
	{"jobs:\n  - podSpec: {containers: [{args: [x]}, {args: [y]}]}\n",
	 "a pod has one container here"},
	{"jobs:\n  - {podSpec: {containers: [{args: [x]}]}, podSpecs: []}\n",
	 "podSpec is given, too"},
	{"jobs:\n  - {podSpec: {containers: [{args: [x]}]}, annotations: {a b: c}}\n",
	 "jobs[0].annotations: 'a b' is not the key of a label"},
	{"jobs:\n  - {podSpec: {containers: [{args: [x]}]}, labels: {a: b}, annotations: {a: b c}}\n",
	 NULL},
	{"jobs:\n  - {wrap: x, labels: {a: [b]}}\n", "jobs[0].labels: must be { KEY ="},
	{"jobs:\n  - podSpecs:\n    - {activeDeadlineSeconds: 1, containers: [{args: [x]}]}\n"
	 "    - {activeDeadlineSeconds: 2, containers: [{args: [x]}]}\n",
	 "podSpecs[1].activeDeadlineSeconds: it must be the same for all pods"},
};

/* The files that Armada on Kubernetes prints as examples run as they are. */
static void test_pods(void)
{
	static const char example[] =
		"queue: test\njobSetId: set1\njobs:\n  - priority: 0\n    podSpecs:\n"
		"      - terminationGracePeriodSeconds: 0\n        restartPolicy: Never\n"
		"        containers:\n          - name: sleep\n            imagePullPolicy: IfNotPresent\n"
		"            image: busybox:latest\n            args:\n              - sleep\n"
		"              - 60s\n            resources:\n              limits:\n"
		"                memory: 64Mi\n                cpu: 150m\n              requests:\n"
		"                memory: 64Mi\n                cpu: 150m\n";
	CLEANUP_BUF struct buf out = {0};
	struct err err = {0};
	struct joblist l;
	Armada__TaskGroup *g;

	joblist_init(&l);
	is_int(joblist_parse(&l, "job.yaml", example, &err), 0, "the example is accepted %s",
	       err.text);
	is_int(spec_finish(&l.jobs[0].spec, &defaults, &err), 0, "it is complete %s", err.text);
	ok(l.images, "its image is noticed");
	is_str(l.jobs[0].spec.job.queue, "test", "its queue");
	is_str(l.jobs[0].spec.job.job_set, "set1", "its job set");
	g = l.jobs[0].spec.job.groups[0];
	is_str(g->argv[1], "60s", "its arguments are the command");
	is_int(amount(g, "cpu"), 150, "its cpus");
	is_int(amount(g, "memory"), 64 << 20, "its memory");
	joblist_done(&l);
	for (size_t i = 0; i < ARRAY_SIZE(pods); i++) {
		const char *gives = order_of("f.yaml", pods[i].text, &out);

		if (pods[i].says)
			has_str(gives, pods[i].says, "%s", pods[i].says);
		else
			ok(strstr(gives, "()") && !strstr(gives, "f.yaml"), "accepted: %s",
			   pods[i].text);
	}
}

static void write_file(const char *dir, const char *name, const char *text)
{
	CLEANUP_FREE char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		bail("%s: %s", path, strerror(errno));
}

static void test_scripts(void)
{
	char dir[] = "/tmp/jobfile-XXXXXX";
	CLEANUP_FREE char *path = NULL, *script = NULL;
	struct err err = {0};
	struct spec s;

	if (!mkdtemp(dir))
		bail("mkdtemp: %s", strerror(errno));
	path = xasprintf("%s/job.conf", dir);
	script = xasprintf("%s/run.sh", dir);
	write_file(dir, "job.conf", "script = \"run.sh\"; args = [\"a b\"];\n");
	spec_init(&s);
	ok(joblist_read_one(&s, path, 1 << 20, &err) < 0, "a missing script is refused");
	has_str(err.text, "run.sh", "the error names the script: %s", err.text);
	spec_done(&s);
	write_file(dir, "run.sh", "#!/bin/sh\necho $1\n");
	spec_init(&s);
	is_int(joblist_read_one(&s, path, 1 << 20, &err), 0, "a script beside the file is found %s",
	       err.text);
	is_int(spec_finish(&s, &defaults, &err), 0, "the spec is complete");
	is_str(s.job.args[0], "a b", "the script gets its arguments");
	is_str(s.job.name, "run.sh", "the job has the name of the script");
	spec_done(&s);
	unlink(path);
	unlink(script);
	rmdir(dir);
}

/* --- the manual ---------------------------------------------------------------------------- */

static void put_text(const char *text, struct buf *out)
{
	for (; *text; text++)
		buf_addf(out, *text == '-' ? "\\-" : *text == '\\' ? "\\e" : "%c", *text);
}

static void put_keys(bool group, struct buf *out)
{
	for (size_t i = 0; i < jobfile_key_count; i++) {
		const struct jobfile_key *k = &jobfile_keys[i];

		if (!(group ? k->group : k->top))
			continue;
		buf_addstr(out, ".TP\n.BR ");
		put_text(k->name, out);
		buf_addstr(out, " \" = ");
		put_text(k->arg, out);
		buf_addstr(out, "\"\n");
		put_text(k->help, out);
		buf_addstr(out, ".\n");
	}
}

static void put_manual(struct buf *out)
{
	buf_addstr(out, ".SS In the job\n");
	put_keys(false, out);
	buf_addstr(out, ".PP\nEvery option of\n.BR asubmit (1)\nthat describes the job is also a "
			"key, by its long name.\n.SS In a group\n");
	put_keys(true, out);
}

/* The words of Kubernetes as a table of the page. */
static void put_kubernetes(struct buf *out)
{
	for (size_t i = 0; i < kubernetes_words_count; i++) {
		const char *instead = kubernetes_words[i].instead;

		buf_addstr(out, ".TP\n.B ");
		put_text(kubernetes_words[i].words, out);
		buf_addf(out, "\n%c", toupper((unsigned char)*instead));
		put_text(instead + 1, out);
		buf_addstr(out, ".\n");
	}
}

static char *read_page(void)
{
	const char *src = getenv("ARMADA_SRCDIR");
	CLEANUP_FREE char *path = xasprintf("%s/man/armada-job.5", src ? src : ".");
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buf out = {0};
	ssize_t n;

	if (fd < 0)
		bail("%s: %s", path, strerror(errno));
	while ((n = read(fd, buf_reserve(&out, 4096), 4096)) > 0)
		out.len += (size_t)n;
	buf_addstr(&out, "");
	return (char *)buf_take(&out, NULL);
}

static void test_manual(const char *begin, const char *end, const char *want)
{
	CLEANUP_FREE char *page = read_page();
	char *from = strstr(page, begin), *to = from ? strstr(from, end) : NULL;

	if (!ok(from && to && from < to, "armada-job(5) has both markers"))
		return;
	*to = '\0';
	ok(strcmp(from + strlen(begin), want) == 0,
	   "the text between them is the output of `jobfile --print`");
}

/* Every example of the page is a valid job file. */
static void test_examples(void)
{
	static const char open_at[] = "\n.nf\n.RS\n", shut[] = ".RE\n.fi\n";
	CLEANUP_FREE char *page = read_page();
	char *at = strstr(page, ".SH EXAMPLES\n"), *stop;
	int count = 0;

	while (at && (at = strstr(at, open_at)) && (stop = strstr(at, shut))) {
		struct err err = {0};
		struct joblist l;

		*stop = '\0';
		joblist_init(&l);
		is_int(joblist_parse(&l, "example", at + strlen(open_at), &err), 0,
		       "example %d of the page is accepted %s", ++count, err.text);
		joblist_done(&l);
		at = stop + 1;
	}
	ok(count >= 2, "the page has examples");
}

int main(int argc, char **argv)
{
	CLEANUP_BUF struct buf manual = {0}, kubernetes = {0};

	put_manual(&manual);
	put_kubernetes(&kubernetes);
	if (argc > 1 && strcmp(argv[1], "--print") == 0)
		return fputs((char *)manual.data, stdout) < 0;
	if (argc > 1 && strcmp(argv[1], "--print-kubernetes") == 0)
		return fputs((char *)kubernetes.data, stdout) < 0;
	test_groups();
	test_minima();
	test_plain();
	test_refusals();
	test_lists();
	test_defaults();
	test_pods();
	test_kubernetes();
	test_scripts();
	test_manual(".\\\" options: begin\n", ".\\\" options: end\n", (char *)manual.data);
	test_manual(".\\\" kubernetes: begin\n", ".\\\" kubernetes: end\n",
		    (char *)kubernetes.data);
	test_examples();
	return done();
}
