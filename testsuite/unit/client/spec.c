/*
 * Options of jobs: every option, refused values, and the combination of options in spec_finish().
 */
#include "client/spec/finish.h"
#include "client/spec/spec.h"
#include "client/spec/table.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

static const struct spec_defaults defaults = {.cpu_milli = 1000};
static const struct opt_table *const tables[] = {&spec_options, NULL};

/* Sets options from a text such as "name=value name"; an option without = takes no value. */
static int set_words(struct spec *s, const char *text, struct err *err)
{
	CLEANUP_FREE char *line = xstrdup(text);
	char *save;
	int rc = 0;

	for (char *w = strtok_r(line, " ", &save); w && rc == 0; w = strtok_r(NULL, " ", &save)) {
		char *value = strchr(w, '=');
		const struct opt *o;

		if (value)
			*value++ = '\0';
		o = opt_find(tables, w);
		if (!o)
			bail("no option %s", w);
		rc = spec_set(s, o, value, err);
	}
	return rc;
}

static int64_t amount(const struct spec *s, const char *name)
{
	for (size_t i = 0; i < s->group.n_resources; i++) {
		if (!strcmp(s->group.resources[i]->name, name))
			return s->group.resources[i]->amount;
	}
	return 0;
}

static int finish(struct spec *s, struct err *err)
{
	const char *const argv[] = {"/bin/true"};
	int rc = spec_command(s, 1, argv, err);

	return rc < 0 ? rc : spec_finish(s, &defaults, err);
}

/*
 * Options and the resulting numbers of tasks, nodes and tasks per node, and the cpus, MiB and gpus
 * of a task.
 */
static const struct {
	const char *words;
	int tasks, nodes, per_node;
	int cpu_milli, memory_mib, gpus;
} shapes[] = {
	{"", 1, 0, 0, 0, 0, 0},
	{"ntasks=4", 4, 0, 0, 0, 0, 0},
	{"nodes=3", 3, 3, 1, 0, 0, 0},
	{"nodes=3 ntasks=6", 6, 3, 2, 0, 0, 0},
	{"nodes=3 ntasks-per-node=2", 6, 3, 2, 0, 0, 0},
	{"ntasks=6 ntasks-per-node=2", 6, 3, 2, 0, 0, 0},
	{"ntasks-per-node=2", 2, 1, 2, 0, 0, 0},
	{"nodes=2 ntasks=4 ntasks-per-node=2", 4, 2, 2, 0, 0, 0},
	{"nodes=4 ntasks=4 ntasks-per-node=2", 4, 4, 1, 0, 0, 0},
	{"nodes=2 ntasks=3", 3, 2, 0, 0, 0, 0},
	{"ntasks=7 ntasks-per-node=3", 7, 3, 0, 0, 0, 0},
	{"nodes=2 ntasks=3 ntasks-per-node=2", 3, 2, 0, 0, 0, 0},
	{"nodes=2 ntasks=3 mem=4G", 3, 2, 0, 0, 2048, 0},
	{"nodes=2 ntasks=3 mem=0", 3, 2, 0, 0, 0, 0},
	{"mem=0", 1, 0, 0, 0, 0, 0},
	{"nodes=2 ntasks=3 mincpus=4", 3, 2, 0, 4000, 0, 0},
	{"nodes=3 ntasks=7 gpus=7", 7, 3, 0, 0, 0, 1},
	{"cpus=0.5", 1, 0, 0, 500, 0, 0},
	{"cpus=150m", 1, 0, 0, 150, 0, 0},
	{"memory=2G", 1, 0, 0, 0, 2048, 0},
	{"mem=500", 1, 0, 0, 0, 500, 0},
	{"ntasks=4 memory=4G", 4, 0, 0, 0, 4096, 0},
	{"nodes=2 ntasks-per-node=4 memory=4G", 8, 2, 4, 0, 4096, 0},
	{"nodes=2 mem=4G", 2, 2, 1, 0, 4096, 0},
	{"ntasks-per-node=2 mem=4G", 2, 1, 2, 0, 2048, 0},
	{"ntasks=8 nodes=2 mem=4G", 8, 2, 4, 0, 1024, 0},
	{"gpus=2 mem-per-gpu=4G", 1, 0, 0, 0, 8192, 2},
	{"ntasks=2 gpus=4 mem-per-gpu=4G cpus-per-gpu=3", 2, 0, 0, 6000, 8192, 2},
	{"nodes=2 ntasks-per-node=2 gpus-per-node=4", 4, 2, 2, 0, 0, 2},
	{"gpus-per-node=4", 1, 0, 0, 0, 0, 4},
	{"nodes=3 gres=gpu:2", 3, 3, 1, 0, 0, 2},
	{"gres=gpu", 1, 0, 0, 0, 0, 1},
	{"gpus=4 ntasks-per-gpu=1", 4, 0, 0, 0, 0, 1},
	{"ntasks=4 ntasks-per-gpu=1", 4, 0, 0, 0, 0, 1},
	{"nodes=2 gpus-per-node=3 ntasks-per-gpu=1", 6, 2, 3, 0, 0, 1},
	{"mincpus=4", 1, 0, 0, 4000, 0, 0},
	{"mincpus=3 nodes=2 ntasks-per-node=2", 4, 2, 2, 1500, 0, 0},
	{"mincpus=2 cpus=3", 1, 0, 0, 3000, 0, 0},
	{"mincpus=2 mem-per-cpu=1G", 1, 0, 0, 2000, 2048, 0},
	{"nodes=3-3", 3, 3, 1, 0, 0, 0},
	{"nodes=1-3", 3, 3, 1, 0, 0, 0},
	{"nodes=1-4 ntasks=4", 4, 0, 0, 0, 0, 0},
	{"nodes=2 ntasks-per-node=4 mem=4G", 8, 2, 4, 0, 1024, 0},
	{"mem-per-cpu=1G cpus=4", 1, 0, 0, 4000, 4096, 0},
	{"mem-per-cpu=1G", 1, 0, 0, 1000, 1024, 0},
	{"mem-per-cpu=1G cpus=500m", 1, 0, 0, 500, 512, 0},
	{"gpus=2", 1, 0, 0, 0, 0, 2},
	{"gpus=4 ntasks=2", 2, 0, 0, 0, 0, 2},
	{"gpus-per-task=3 ntasks=2", 2, 0, 0, 0, 0, 3},
};

static void check_shape(size_t i)
{
	const char *words = shapes[i].words;
	struct err err = {0};
	struct spec s;
	int rc;

	spec_init(&s);
	rc = set_words(&s, words, &err);
	if (rc == 0)
		rc = finish(&s, &err);
	is_int(rc, 0, "\"%s\" is accepted%s%s", words, rc ? ": " : "", err.text);
	is_int(s.group.replicas, shapes[i].tasks, "\"%s\": tasks", words);
	is_int(s.job.nodes, shapes[i].nodes, "\"%s\": nodes", words);
	is_int(s.job.tasks_per_node, shapes[i].per_node, "\"%s\": tasks per node", words);
	is_int(amount(&s, "cpu"), shapes[i].cpu_milli, "\"%s\": cpu", words);
	is_int(amount(&s, "memory") >> 20, shapes[i].memory_mib, "\"%s\": memory", words);
	is_int(amount(&s, "gpu"), shapes[i].gpus, "\"%s\": gpus", words);
	spec_done(&s);
}

/* Refused options, and a part of the message. */
static const struct {
	const char *words, *part;
} refusals[] = {
	{"ntasks=2 min-tasks=3", "--min-tasks: 3 is more than the 2 tasks of the job"},
	{"name=", "is empty"},
	{"queue=", "is empty"},
	{"name=a\x01", "control character"},
	{"name=\xff", "is not UTF-8"},
	{"name=\xed\xa0\x80", "is not UTF-8"},
	{"name=\xc0\xaf", "is not UTF-8"},
	{"priority=high", "high"},
	{"priority=99999999999", "99999999999"},
	{"priority=high", "--priority-class=NAME"},
	{"nice=high", "--priority-class=NAME"},
	{"nice=99999999999", "99999999999"},
	{"priority=2147483647 nice=1", "would be 2147483648"},
	{"priority-class=5", "--priority=5"},
	{"priority-class=-5", "--priority=-5"},
	{"priority-class=", "is empty"},
	{"priority-factor=2", "--factor=N"},
	{"qos=long", "--queue=long"},
	{"array=", ""},
	{"array=5-1", ""},
	{"array=1-3,2", ""},
	{"array=x", ""},
	{"ntasks=0", ""},
	{"ntasks=-1", ""},
	{"nodes=0", ""},
	{"nodes=3-2", "the minimum is above the maximum"},
	{"nodes=2-", "not a whole number"},
	{"nodes=0-2", "out of range"},
	{"nodes=2-4 ntasks=4", "--nodes=2-4 cannot be combined with --ntasks=4"},
	{"nodes=2-4 min-tasks=1", "leave out --min-tasks"},
	{"ntasks=4 mem=4G",
	 "--mem is for each node, but the number of tasks on a node is not known: give "
	 "--memory (of each task) or --mem-per-cpu, or add --nodes"},
	{"ntasks=4 gpus-per-node=4", "--gpus-per-task (of each task)"},
	{"ntasks=4 mincpus=4", "--cpus (of each task)"},
	{"mem=0 ntasks=4", "or add --nodes"},
	{"mem=0 memory=1G", "cannot be given together with --mem"},
	{"memory=1G mem=0", "cannot be given together with --memory"},
	{"mem=1G mem-per-gpu=1G", "cannot be given together with --mem"},
	{"gpus-per-node=1 gpus=1", "cannot be given together with --gpus-per-node"},
	{"nodes=1 ntasks-per-node=2 gpus-per-node=3",
	 "3 gpus of each node cannot be divided evenly"},
	{"mem-per-gpu=1G", "--mem-per-gpu needs gpus: give --gpus"},
	{"cpus-per-gpu=2", "--cpus-per-gpu needs gpus"},
	{"cpus-per-gpu=2 cpus=2 gpus=1", "cannot both be given"},
	{"gres=gpu:", "is not a whole number"},
	{"gpus=a100:", "is not a whole number"},
	{"gpus=:2", "expected N or TYPE:N, as in a100:2"},
	{"gpus=a|b:2", "expected N or TYPE:N"},
	{"resource=fpga", "is not NAME=AMOUNT, as in fpga=1"},
	{"resource=fpga=1,", "is not NAME=AMOUNT"},
	{"resource=fpga=1,fpga=1", "fpga is given twice"},
	{"resource=fpga=1,scratch=2,fpga=2", "fpga is given twice"},
	{"gres=fpga:1,fpga nodes=1", "fpga is given twice"},
	{"resource=Fpga=1", "is not the name of a resource"},
	{"resource=fpga=many", "fpga: 'many' is not an amount"},
	{"resource=fpga=-1", "is not an amount"},
	{"resource=fpga=1 gres=fpga:1", "fpga is given for each task and for each node"},
	{"resource=cpu=0", "more than 0"},
	{"gres=fpga:1 ntasks=2", "give --resource fpga=N (of each task), or add --nodes"},
	{"gres=fpga:3 nodes=1 ntasks-per-node=2", "cannot be divided evenly among 2 tasks"},
	{"tmp=lots", "tmp: 'lots' is not an amount"},
	{"ntasks-per-gpu=2", "a gpu belongs to one task"},
	{"ntasks-per-gpu=1", "needs the number of gpus or of tasks"},
	{"ntasks-per-gpu=1 gpus=2 ntasks=4", "as many gpus as tasks"},
	{"exclusive=topo", "'topo' is not possible"},
	{"wait-all-nodes=2", "must be 0 or 1"},
	{"ntasks-per-node=0", ""},
	{"cpus=0", "more than 0"},
	{"cpus=-1", ""},
	{"cpus=many", "many"},
	{"memory=lots", "lots"},
	{"memory=0", "more than 0"},
	{"memory=9999999999999G", ""},
	{"memory=1G mem-per-cpu=1G", "cannot be given together with --memory"},
	{"memory=1G mem=1G", "cannot be given together with --memory"},
	{"mem-per-cpu=1G memory=1G", "cannot be given together with --mem-per-cpu"},
	{"gpus=1 gpus-per-task=1", "cannot be given together with --gpus"},
	{"gpus=0", ""},
	{"constraint=", "is not a label"},
	{"constraint=a|", "joined by & (and) or | (or)"},
	{"constraint=(a", "is not a label"},
	{"constraint=a|b&c", "write parentheses, as in (a|b)&key"},
	{"constraint=c&a|b", "write parentheses, as in (a|b)&key"},
	{"constraint=[a|b]", "is not a label"},
	{"constraint=a*2", "is not a label"},
	{"constraint=a=", "is not a label"},
	{"constraint=a&&b", "is not a label"},
	{"constraint=!", "is not a label"},
	{"nodelist=cn[1-", ""},
	{"nodelist=cn[1-999999]", ""},
	{"exclude=[", ""},
	{"time=soon", "soon"},
	{"grace-period=never", "never"},
	{"open-mode=replace", "append or truncate"},
	{"umask=9", "octal"},
	{"umask=7777", "octal"},
	{"umask=", "octal"},
	{"export=1A", "is not a variable"},
	{"export=", "is not a variable"},
	{"export=A,,B", "is not a variable"},
	{"propagate=files", "write ALL, NONE, or some of cpu"},
	{"propagate=", "is not a limit"},
	{"nodes=3 ntasks=2", "2 tasks cannot be on 3 nodes"},
	{"nodes=3 ntasks=7 min-tasks=3", "--min-tasks needs the same number of tasks on each node"},
	{"nodes=3 ntasks=7 gpus-per-node=6", "give --gpus-per-task"},
	{"nodes=3 ntasks=7 gres=fpga:6", "or not the same for all: give --resource fpga=N"},
	{"nodes=2 ntasks=5 ntasks-per-node=2",
	 "5 tasks do not fit on 2 nodes with at most 2 tasks each"},
	{"gpus=3 ntasks=2", "3 gpus cannot be divided evenly among 2 tasks"},
};

static void check_refusal(size_t i)
{
	struct err err = {0};
	struct spec s;
	int rc;

	spec_init(&s);
	rc = set_words(&s, refusals[i].words, &err);
	if (rc == 0)
		rc = finish(&s, &err);
	is_int(rc, -EINVAL, "\"%s\" is refused", refusals[i].words);
	has_str(err.text, refusals[i].part, "the message for \"%s\" has the reason",
		refusals[i].words);
	spec_done(&s);
}

static void check_values(void)
{
	struct err err = {0};
	struct spec s;

	spec_init(&s);
	is_int(set_words(
		       &s,
		       "name=n queue=q job-set=js nice=2 priority=-7 priority-class=pc array=0,5,7-9%2 "
		       "hold no-requeue exclusive constraint=gpu=a100&!old nodelist=cn[1-2] "
		       "exclude=cn3 uniformity=rack ntasks=4 min-tasks=3 time=90s "
		       "grace-period=1m output=o error=e "
		       "input=i open-mode=append umask=077 export=NONE chdir=sub comment=c",
		       &err),
	       0, "every option is set %s", err.text);
	is_int(finish(&s, &err), 0, "the job can be finished");
	is_str(s.job.name, "n", "name");
	is_str(s.job.queue, "q", "queue");
	is_str(s.job.job_set, "js", "job set");
	is_int(s.job.priority, -5, "nice is added to the priority");
	is_str(s.job.priority_class, "pc", "priority class");
	is_int(s.job.n_array, 3, "array");
	is_int(s.job.array[2]->last, 9, "its last index");
	is_int(s.job.array_throttle, 2, "throttle");
	ok(s.job.hold && s.job.no_requeue && s.job.requeue_set && s.job.exclusive,
	   "the switches are set");
	is_int(s.job.n_selectors, 2, "labels");
	is_str(s.job.selectors[0]->key, "gpu", "key");
	is_str(s.job.selectors[0]->value, "a100", "value");
	ok(!s.job.selectors[0]->negate, "the label is required");
	is_str(s.job.selectors[1]->key, "old", "the other key");
	ok(s.job.selectors[1]->negate, "the other label is excluded");
	is_int(s.job.n_nodes_include, 2, "nodelist");
	is_str(s.job.nodes_include[1], "cn2", "the second node");
	is_str(s.job.nodes_exclude[0], "cn3", "exclude");
	is_str(s.job.uniformity, "rack", "uniformity");
	is_int(s.job.min_available, 3, "least number of tasks");
	is_int(s.job.time_limit_s, 90, "time limit");
	is_int(s.job.grace_ms, 60000, "grace period");
	ok(s.job.open_append, "open mode");
	is_int(s.job.umask, 077, "umask");
	is_str(s.export, "NONE", "export");
	is_int(s.job.chdir[0], '/', "a directory is made absolute");
	has_str(s.job.chdir, "/sub", "the directory keeps its name");
	is_str(s.job.script_name, "true", "name of the command");
	spec_done(&s);
}

static void check_time(const char *text, int64_t seconds)
{
	struct err err = {0};
	struct spec s;

	spec_init(&s);
	is_int(spec_set(&s, opt_find(tables, "time"), text, &err), 0, "time %s is accepted", text);
	is_int(s.job.time_limit_s, seconds, "time %s", text);
	spec_done(&s);
}

/*
 * The weakest source comes first: the command line beats the environment, and the environment beats
 * the script.
 */
static void check_sources(void)
{
	char *const env[] = {(char *)"ASUBMIT_MEM_PER_CPU=1G",
			     (char *)"ASUBMIT_HOLD=yes",
			     (char *)"ASUBMIT_EXCLUSIVE=no",
			     (char *)"ASUBMIT_NAME=env",
			     (char *)"ASUBMIT_NOSUCH=1",
			     (char *)"PATH=/bin",
			     NULL};
	char *const bad[] = {(char *)"ASUBMIT_TIME=soon", NULL};
	char *const unsure[] = {(char *)"ASUBMIT_HOLD=perhaps", NULL};
	struct err err = {0};
	struct spec s;

	spec_init(&s);
	s.source = SPEC_DIRECTIVE;
	set_words(&s, "memory=4G name=directive queue=q", &err);
	is_int(spec_apply_env(&s, env, &err), 0, "the environment is applied %s", err.text);
	is_str(s.job.name, "env", "the environment beats the script");
	is_str(s.job.queue, "q", "options without a variable keep the script's value");
	ok(s.job.hold && !s.job.exclusive, "switches accept yes and no");
	s.source = SPEC_LINE;
	is_int(set_words(&s, "name=line memory=2G", &err), 0, "memory replaces mem-per-cpu");
	is_int(finish(&s, &err), 0, "the job is finished");
	is_str(s.job.name, "line", "the command line beats all");
	is_int(amount(&s, "memory") >> 30, 2, "of two equal options the later one counts");
	is_int(spec_apply_env(&s, bad, &err), -EINVAL, "a bad variable is refused");
	has_str(err.text, "ASUBMIT_TIME: ", "the message names the variable");
	is_int(spec_apply_env(&s, unsure, &err), -EINVAL, "a switch accepts only yes and no");
	spec_done(&s);
}

/* Resources of other names, in the order in which they were first given. */
static void check_resources(void)
{
	static const struct {
		const char *words, *name;
		int64_t amount;
		bool size;
	} cases[] = {
		{"resource=fpga=1", "fpga", 1, false},
		{"resource=scratch=2T", "scratch", INT64_C(2) << 40, true},
		{"resource=fpga=1,scratch=2T resource=fpga=3", "fpga", 3, false},
		{"gres=fpga", "fpga", 1, false},
		{"gres=gpu:a100:2,fpga:4 nodes=1 ntasks-per-node=2", "fpga", 2, false},
		{"tmp=20 nodes=2", "tmp", INT64_C(20) << 20, true},
		{"tmp=20G nodes=1 ntasks=2", "tmp", INT64_C(10) << 30, true},
		{"resource=cpu=1.5", "cpu", 1500, false},
		{"resource=memory=3G", "memory", INT64_C(3) << 30, false},
		{"resource=gpu=2", "gpu", 2, false},
		{"resource=fpga=0", "fpga", 0, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = {0};
		struct spec s;

		spec_init(&s);
		is_int(set_words(&s, cases[i].words, &err), 0, "\"%s\" %s", cases[i].words,
		       err.text);
		is_int(finish(&s, &err), 0, "the job is finished %s", err.text);
		ok(amount(&s, cases[i].name) == cases[i].amount, "it requests %s", cases[i].name);
		for (size_t k = 0; k < s.group.n_resources; k++)
			if (strcmp(s.group.resources[k]->name, cases[i].name) == 0)
				ok(s.group.resources[k]->size == cases[i].size,
				   "the amount is a %s", cases[i].size ? "size" : "number");
		spec_done(&s);
	}
}

static void check_gpu_type(void)
{
	struct err err = {0};
	struct spec s;

	spec_init(&s);
	is_int(set_words(&s, "constraint=rack=r1 gpus=a100:2", &err), 0, "gpus of a type %s",
	       err.text);
	is_int(finish(&s, &err), 0, "the job is finished %s", err.text);
	is_int(s.job.n_selectors, 2, "the type is a label beside those of --constraint");
	is_str(s.job.selectors[1]->key, "gpu", "its key is gpu");
	is_str(s.job.selectors[1]->value, "a100", "its value is the type");
	is_int(amount(&s, "gpu"), 2, "the number is that of gpus");
	spec_done(&s);
	spec_init(&s);
	s.source = SPEC_DIRECTIVE;
	set_words(&s, "gpus=a100:2", &err);
	s.source = SPEC_LINE;
	set_words(&s, "gpus=3", &err);
	finish(&s, &err);
	is_int(s.job.n_selectors, 0, "a number without a type replaces the type, too");
	spec_done(&s);
}

static void check_what(void)
{
	const char *const args[] = {"a", "b c"};
	const char *const bad[] = {"a\nb"};
	const char *const none[] = {""};
	struct err err = {0};
	struct spec s;

	spec_init(&s);
	is_int(spec_finish(&s, &defaults, &err), -EINVAL, "a job without a command is refused");
	is_int(spec_wrap(&s, "  ", &err), -EINVAL, "an empty --wrap is refused");
	is_int(spec_command(&s, 0, NULL, &err), -EINVAL, "an empty list after -- is refused");
	is_int(spec_command(&s, 1, none, &err), -EINVAL, "an empty command is refused");
	is_int(spec_command(&s, 1, bad, &err), -EINVAL, "an argument with a newline is refused");
	is_int(spec_script(&s, "dir/train.sh", "#!/bin/sh\n", 10, 2, args, &err), 0,
	       "a script is set");
	is_int(spec_finish(&s, &defaults, &err), 0, "the job is finished");
	is_str(s.job.name, "train.sh", "its name is the script's");
	is_str(s.job.args[1], "b c", "arguments are unchanged");
	spec_done(&s);
	spec_init(&s);
	is_int(spec_wrap(&s, "echo hi", &err), 0, "--wrap is set");
	has_str((const char *)s.script, "#!/bin/sh\n", "--wrap makes a script");
	has_str((const char *)s.script, "\necho hi\n", "the script has the command");
	spec_done(&s);
}

static void test_signal(void)
{
	static const struct {
		const char *option, *value;
		int32_t signal;
		int64_t before_s, grace_ms; /* -1: refused */
		bool script;
	} cases[] = {
		{"signal", "USR1@120", 10, 120, 0, false},
		{"signal", "B:12", 12, 0, 0, true},
		{"signal", "B:", 0, 0, 0, true},
		{"signal", "USR1@x", -1, 0, 0, false},
		{"grace-period", "0", 0, 0, 1000, false},
		{"grace-period", "1s", 0, 0, 1000, false},
		{"grace-period", "999ms", 0, 0, -1, false},
		{"grace-period", "90", 0, 0, 90000, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct opt *o = opt_find(tables, cases[i].option);
		bool good = cases[i].signal >= 0 && cases[i].grace_ms >= 0;
		struct spec s;
		struct err err;

		spec_init(&s);
		is_int(spec_set(&s, o, cases[i].value, &err) == 0, good, "--%s=%s", cases[i].option,
		       cases[i].value);
		ok(!good || (s.job.signal == cases[i].signal &&
			     s.job.signal_before_s == cases[i].before_s &&
			     s.job.signal_script == cases[i].script &&
			     s.job.grace_ms == cases[i].grace_ms),
		   "the value is stored");
		spec_done(&s);
	}
}

static const Armada__Rlimit *find_limit(const struct spec *s, const char *name)
{
	for (size_t i = 0; i < s->job.n_rlimits; i++)
		if (strcmp(s->job.rlimits[i]->name, name) == 0)
			return s->job.rlimits[i];
	return NULL;
}

/* Limits of this process are sent if requested and different from the limits of every task. */
static void check_limits(void)
{
	struct rlimit was, core;
	struct err err = {0};
	struct spec s;

	getrlimit(RLIMIT_NOFILE, &was);
	getrlimit(RLIMIT_CORE, &core);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){333, was.rlim_max});
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, core.rlim_max});
	spec_init(&s);
	is_int(set_words(&s, "propagate=ALL", &err), 0, "limits are requested");
	is_int(finish(&s, &err), 0, "the job is finished with limits");
	ok(find_limit(&s, "nofile") && find_limit(&s, "nofile")->soft == 333,
	   "the limit is sent unchanged");
	ok(!find_limit(&s, "core"), "a limit that all tasks have is not sent");
	spec_done(&s);
	spec_init(&s);
	set_words(&s, "propagate=cpu,core", &err);
	finish(&s, &err);
	ok(!find_limit(&s, "nofile"), "a limit that is not named is not sent");
	spec_done(&s);
	setrlimit(RLIMIT_NOFILE, &was);
	setrlimit(RLIMIT_CORE, &core);
}

/* All options of sbatch of Slurm 24.11. */
/* clang-format off */
static const char *const of_sbatch[] = {
	"account", "acctg-freq", "array", "batch", "bb", "bbf", "begin", "chdir",
	"cluster-constraint", "clusters", "comment", "constraint", "container", "container-id",
	"contiguous", "core-spec", "cores-per-socket", "cpu-freq", "cpus-per-gpu", "cpus-per-task",
	"deadline", "delay-boot", "dependency", "distribution", "error", "exclude", "exclusive",
	"export", "export-file", "extra", "extra-node-info", "get-user-env", "gid", "gpu-bind",
	"gpu-freq", "gpus", "gpus-per-node", "gpus-per-socket", "gpus-per-task", "gres", "gres-flags",
	"hint", "hold", "ignore-pbs", "input", "job-name", "kill-on-invalid-dep", "licenses",
	"mail-type", "mail-user", "mcs-label", "mem", "mem-bind", "mem-per-cpu", "mem-per-gpu",
	"mincpus", "network", "nice", "no-kill", "no-requeue", "nodefile", "nodelist", "nodes",
	"ntasks", "ntasks-per-core", "ntasks-per-gpu", "ntasks-per-node", "ntasks-per-socket",
	"open-mode", "output", "overcommit", "oversubscribe", "partition", "power", "prefer",
	"priority", "profile", "propagate", "qos", "reboot", "requeue", "reservation", "resv-ports",
	"segment", "signal", "sockets-per-node", "spread-job", "stepmgr", "switches", "thread-spec",
	"threads-per-core", "time", "time-min", "tmp", "tres-bind", "tres-per-task", "uid", "usage",
	"use-min-nodes", "verbose", "wait-all-nodes", "wckey",
};
/* clang-format on */

/* Every option of sbatch is known; a refused one says what to do instead, in one sentence. */
static void check_sbatch(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_sbatch); i++)
		ok(opt_find(tables, of_sbatch[i]), "sbatch's --%s is known", of_sbatch[i]);
	for (size_t i = 0; i < spec_options.count; i++) {
		const struct opt *o = &spec_options.rows[i];
		struct err err = {0};
		struct spec s;

		if (o->to.type != OPT_TYPE_REFUSE)
			continue;
		spec_init(&s);
		is_int(spec_set(&s, o, o->arg ? "1" : NULL, &err), -EINVAL, "--%s is refused",
		       o->name);
		ok(strlen(err.text) > 8 && strchr(err.text, '.') != err.text + strlen(err.text) - 1,
		   "--%s: %s", o->name, err.text);
		spec_done(&s);
	}
}

/* Labels as "a" or "!a=b", with | before an alternative. */
static void check_constraint(const char *text, const char *expected)
{
	CLEANUP_BUF struct buf seen = {0};
	struct err err = {0};
	struct spec s;

	spec_init(&s);
	is_int(spec_set(&s, opt_find(tables, "constraint"), text, &err), 0, "%s is accepted %s",
	       text, err.text);
	for (size_t i = 0; i < s.job.n_selectors; i++) {
		const Armada__Selector *l = s.job.selectors[i];

		buf_addf(&seen, "%s%s%s%s%s",
			 i == 0           ? ""
			 : l->alternative ? " |"
					  : " ",
			 l->negate ? "!" : "", l->key, l->value[0] ? "=" : "", l->value);
	}
	is_str((const char *)seen.data, expected, "its labels");
	spec_done(&s);
}

static void check_range(void)
{
	struct err err = {0};
	struct spec s;

	spec_init(&s);
	is_int(set_words(&s, "nodes=2-4 ntasks-per-node=3 mem=6G", &err), 0, "a range of nodes %s",
	       err.text);
	is_int(finish(&s, &err), 0, "the job is finished %s", err.text);
	is_int(s.job.nodes, 4, "as many nodes as the maximum");
	is_int(s.job.min_available, 6, "the tasks of the minimum must start");
	is_int(amount(&s, "memory") >> 30, 2, "the memory of a node is divided among its tasks");
	spec_done(&s);
}

/* A later source replaces an amount, also with another option for it. */
static void check_replaced(void)
{
	struct err err = {0};
	struct spec s;

	spec_init(&s);
	s.source = SPEC_DIRECTIVE;
	set_words(&s, "mem=4G gpus-per-node=2", &err);
	s.source = SPEC_LINE;
	is_int(set_words(&s, "memory=1G ntasks=2 gpus=4", &err), 0, "other options replace them %s",
	       err.text);
	is_int(finish(&s, &err), 0, "the job is finished %s", err.text);
	is_int(amount(&s, "memory") >> 30, 1, "memory of a task");
	is_int(amount(&s, "gpu"), 2, "gpus of a task");
	spec_done(&s);
}

int main(void)
{
	check_sbatch();
	check_constraint("a&b", "a b");
	check_constraint("a,b=c", "a b=c");
	check_constraint("a|b", "a |b");
	check_constraint("(a=1|!a)&!c&(d|e|f)", "a=1 |!a !c d |e |f");
	check_constraint("(a)", "a");
	check_range();
	check_replaced();
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		check_shape(i);
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		check_refusal(i);
	check_values();
	check_limits();
	check_time("10", 600);
	check_time("90s", 90);
	check_time("1-00:00:00", 86400);
	check_time("UNLIMITED", -1);
	check_time("0", -1);
	check_time("00:00:00", -1);
	check_time("500ms", 1);
	check_sources();
	check_resources();
	check_gpu_type();
	check_what();
	test_signal();
	return done();
}
