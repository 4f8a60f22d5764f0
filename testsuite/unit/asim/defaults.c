/*
 * The defaults of `asim rounds` are those of armctld: a scenario that says nothing has the classes,
 * limits, plugins, options and queues of a controller whose armada.conf says nothing; and with
 * --config those of the file. Both sides are compared as each gives them to the scheduler.
 */
#include "armctld/policy.h"
#include "armctld/plugins.h"
#include "asim/rounds/scenario.h"
#include "conf/value.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char empty[] = "{\"rounds\": []}";

/* What armctld makes of a file. */
struct site {
	struct conf *conf;
	struct policy *policy;
	struct plugins plugins;
	char file[32];
};

/* lines: the settings of the file. */
static void site_open(struct site *s, const char *lines)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	CLEANUP_BUF struct buf text = {0};
	struct err err = {""};
	FILE *f;

	*s = (struct site){.file = "/tmp/asim-defaults-XXXXXX"};
	buf_addf(
		&text,
		"controller_user = \"root\"; agent_user = \"root\"; plugin_dir = \"%s/plugins.d\"; %s",
		build ? build : ".", lines);
	f = fdopen(mkstemp(s->file), "w");
	if (!f || fputs((char *)text.data, f) < 0 || fclose(f))
		bail("%s cannot be written", s->file);
	if (conf_load(&s->conf, s->file, &err) < 0 || policy_new(&s->policy, s->conf, &err) < 0 ||
	    plugins_load(&s->plugins, s->conf, &err) < 0)
		bail("%s", err.text);
}

static void site_done(struct site *s)
{
	unlink(s->file);
	policy_free(s->policy);
	plugins_done(&s->plugins);
	conf_free(s->conf);
}

/* The resources of both are in another order. */
static void same_fraction(const struct scenario *sc, const struct sched_fraction *mine,
			  const struct sched_fraction *theirs, const char *what)
{
	bool same = true;

	for (size_t i = 0; i < sc->resource_count; i++) {
		int k = resource_index(sc->resources[i]);

		same &= (mine->limited >> i & 1) == (theirs->limited >> k & 1) &&
			mine->of[i] == theirs->of[k];
	}
	ok(same, "%s", what);
}

static void same_class(const struct scenario *sc, const struct scenario_class *mine,
		       const struct sched_class *theirs)
{
	is_str(mine->name, theirs->name, "class %s", theirs->name);
	is_int(mine->priority, theirs->priority, "its priority");
	ok(mine->fair_share_preemptible == theirs->fair_share_preemptible &&
		   mine->urgency_preemptible == theirs->urgency_preemptible,
	   "its kinds of preemption");
	same_fraction(sc, &mine->limit, &theirs->limit, "its limit");
}

/* armctld has the default class first. */
static void same_classes(const struct scenario *sc, const struct site *s)
{
	const struct core_policy *p = &s->policy->core;

	is_int((long long)sc->class_count, (long long)p->class_count, "the number of classes");
	for (size_t i = 0; i < p->class_count; i++)
		for (size_t k = 0; k < sc->class_count; k++)
			if (strcmp(sc->classes[k].name, p->classes[i].name) == 0)
				same_class(sc, &sc->classes[k], &p->classes[i]);
}

static void same_limits(const struct scenario *sc, const struct sched_limits *theirs)
{
	const struct sched_limits *mine = &sc->limits;

	ok(mine->jobs_per_round == theirs->jobs_per_round &&
		   mine->queue_lookback == theirs->queue_lookback,
	   "the numbers of a round, and the look-back");
	ok(mine->rate.rate == theirs->rate.rate && mine->rate.burst == theirs->rate.burst &&
		   mine->queue_rate.rate == theirs->queue_rate.rate &&
		   mine->queue_rate.burst == theirs->queue_rate.burst,
	   "the rates");
	same_fraction(sc, &mine->per_round, &theirs->per_round, "the resources of a round");
}

static void same_plugin(const struct plugin *mine, const struct plugin *theirs, const char *kind)
{
	is_str(mine->desc->name, theirs->desc->name, "the plugin of kind %s", kind);
	for (size_t i = 0; i < theirs->desc->option_count; i++)
		ok(value_equal(&theirs->desc->options[i], &mine->values[i], &theirs->values[i]),
		   "its option %s", theirs->desc->options[i].name);
}

static void same_plugins(const struct scenario *sc, const struct site *s)
{
	static const enum armada_plugin_kind kinds[POLICIES] = {ARMADA_PLUGIN_FAIRNESS,
								ARMADA_PLUGIN_ORDER,
								ARMADA_PLUGIN_PREEMPT,
								ARMADA_PLUGIN_SELECT};

	for (size_t i = 0; i < POLICIES; i++)
		same_plugin(&sc->plugins[i], &s->plugins.kinds[kinds[i]],
			    plugin_kind_name(kinds[i]));
}

static void same_users(const struct scenario *sc, const struct core_policy *p)
{
	ok(quota_equal(&sc->user_quota, &p->user_quota), "the limits of each user");
	is_int((long long)sc->user_count, (long long)p->user_count, "the users with other limits");
	for (size_t i = 0; i < sc->user_count && i < p->user_count; i++)
		ok(strcmp(sc->users[i].name, p->users[i].name) == 0 &&
			   quota_equal(&sc->users[i].quota, &p->users[i].quota),
		   "the limits of user %s", p->users[i].name);
}

static void same(const struct scenario *sc, const struct site *s)
{
	same_classes(sc, s);
	same_limits(sc, &s->policy->core.limits);
	same_plugins(sc, s);
	same_users(sc, &s->policy->core);
}

/* A scenario of this document; config: of --config. */
static void scenario_open(struct scenario *sc, const char *text, const char *config,
			  const struct site *s)
{
	const struct scenario_source from = {.config = config,
					     .plugin_dir = config ? NULL : s->conf->plugin_dir};
	struct err err = {""};

	if (scenario_parse(sc, text, strlen(text), &from, &err) < 0)
		bail("%s", err.text);
}

static void test_nothing(void)
{
	struct scenario sc;
	struct site s;

	site_open(&s, "");
	scenario_open(&sc, empty, NULL, &s);
	same(&sc, &s);
	scenario_done(&sc);
	site_done(&s);
}

/* Entries with a name alone. */
static void test_entries(void)
{
	static const char text[] = "{\"rounds\": [], \"priority_classes\": [{\"name\": \"a\"}, "
				   "{\"name\": \"b\", \"preemptible\": true}, "
				   "{\"name\": \"c\", \"preemptible\": false}], "
				   "\"queues\": [{\"name\": \"q\"}]}";
	struct scenario sc;
	struct site s;

	site_open(
		&s,
		"priority_classes = ({ name = \"a\"; }, { name = \"b\"; preemptible = true; }, "
		"{ name = \"c\"; preemptible = false; }); scheduler = { default_class = \"a\"; }; "
		"queues = ({ name = \"q\"; });");
	scenario_open(&sc, text, NULL, &s);
	same_classes(&sc, &s);
	ok(sc.queues[0].factor == s.conf->queues[0].values[QUEUE_OF_priority_factor].d,
	   "the priority factor of a queue");
	ok(sc.queues[0].cordoned == s.policy->core.queues[0].cordoned, "its cordon");
	scenario_done(&sc);
	site_done(&s);
}

static const char full[] =
	"scheduler = { default_class = \"b\"; max_jobs_per_round = 7; queue_lookback = 9; rate = 0.5; "
	"burst = 3; queue_rate = 2; queue_burst = 4; max_resource_fraction_per_round = { gpu = 0.5; }; };\n"
	"priority_classes = ({ name = \"a\"; priority = 5; max_fraction_per_queue = { memory = 0.25; }; },"
	" { name = \"b\"; fair_share_preemptible = true; users = [ ]; });\n"
	"queues = ({ name = \"q\"; priority_factor = 2; cordoned = true; limits = { cpu = 0.5; };"
	" class_limits = [\"a:cpu=0.25,gpu=1\"]; max_running = 3; user_max_cpus = 2.5; max_gpus = 0; });\n"
	"user_limits = { max_running = 8; }; users = ({ name = \"root\"; max_memory = \"2G\"; });\n"
	"plugins = { fairness = { name = \"decay\"; half_life = \"3h\"; }; order = \"slices\";"
	" preempt = { name = \"fairshare\"; eviction_probability = 0.25; }; };\n";

static void test_queue(const struct scenario *sc)
{
	const struct scenario_queue *q = &sc->queues[0];
	struct sched_fraction half = {.limited = 1, .of = {0.5}},
			      class = {.limited = 5, .of = {0.25, 0, 1}};

	is_int((long long)sc->queue_count, 2, "the queue of the file, and that of the scenario");
	ok(strcmp(q->name, "q") == 0 && q->factor == 2 && q->cordoned, "a declared queue");
	same_fraction(sc, &q->limit, &half, "its limits");
	is_int((long long)q->class_limit_count, 1, "its limit of a class");
	is_str(q->class_limits[0].class_name, "a", "the class");
	same_fraction(sc, &q->class_limits[0].limit, &class, "the limit");
	ok(quota_get(&q->quota, QUOTA_RUNNING) == 3 && quota_has(&q->quota, QUOTA_GPU) &&
		   !quota_has(&q->quota, QUOTA_CPU) && quota_get(&q->user_quota, QUOTA_CPU) == 2500,
	   "its limits in numbers");
}

static void test_file(void)
{
	static const char text[] =
		"{\"nodes\": [{\"name\": \"n\", \"resources\": {\"cpu\": 4}}], "
		"\"queues\": [{\"name\": \"mine\"}], \"rounds\": [{\"submit\": "
		"[{\"id\": \"j\", \"queue\": \"q\", \"resources\": {\"cpu\": 1}}]}]}";
	struct scenario sc;
	struct site s;

	site_open(&s, full);
	scenario_open(&sc, text, s.file, &s);
	same(&sc, &s);
	test_queue(&sc);
	is_str(sc.classes[sc.jobs[0].shape->class].name, s.policy->core.default_class,
	       "a job without a class has the default class of the file");
	scenario_done(&sc);
	site_done(&s);
}

static void test_refused(void)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"{\"rounds\": [], \"priority_classes\": [{\"name\": \"x\"}]}",
		 "priority_classes: with --config this comes from"},
		{"{\"rounds\": [], \"policy\": {\"order\": \"slices\"}}",
		 "policy: with --config this comes from"},
		{"{\"rounds\": [], \"limits\": {}}", "limits: with --config this comes from"},
		{"{\"rounds\": [], \"default_priority_class\": \"a\"}",
		 "default_priority_class: with --config"},
		{"{\"rounds\": [], \"users\": []}", "users: with --config"},
		{"{\"rounds\": [], \"user_limits\": {}}", "user_limits: with --config"},
		{"{\"rounds\": [], \"queues\": [{\"name\": \"q\"}]}",
		 "queues[0].name: queue q is declared in"},
	};
	struct site s;

	site_open(&s, full);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct scenario_source from = {.config = s.file};
		struct err err = {""};
		struct scenario sc;

		ok(scenario_parse(&sc, cases[i].text, strlen(cases[i].text), &from, &err) < 0,
		   "refused: %s", cases[i].says);
		has_str(err.text, cases[i].says, "the message has the place");
		has_str(err.text, s.file, "the message has the file");
		scenario_done(&sc);
	}
	site_done(&s);
}

int main(void)
{
	test_nothing();
	test_entries();
	test_file();
	test_refused();
	return done();
}
