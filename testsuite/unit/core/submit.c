/*
 * Admission: submissions that are refused, their errors, and that a refused submission changes
 * nothing; idempotent submission; permissions to submit; limits of queues.
 */
#include "fixture.h"
#include "tap/tap.h"

#include <math.h>
#include <string.h>

#define REFUSED(w, part, ...)                                                                      \
	do {                                                                                       \
		has_str(world_error(w), part, __VA_ARGS__);                                        \
		ok(!(w)->out.record, "the refused submission changes nothing");                    \
	} while (0)

static void test_refusals(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, *resources[] = {&cpu};

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_submit_plain(&w); /* creates the queue of ann */

	spec_init(&spec, &group);
	spec.queue = (char *)"anne";
	world_submit(&w, &spec);
	REFUSED(&w, "did you mean 'ann'", "a job for an unknown queue is refused");

	spec_init(&spec, &group);
	spec.priority_class = (char *)"armada-defualt";
	world_submit(&w, &spec);
	REFUSED(&w, "did you mean 'armada-default'?", "a job of an unknown class is refused");

	spec_init(&spec, &group);
	cpu.name = (char *)"cpu";
	cpu.amount = 9000;
	group.resources = resources;
	group.n_resources = 1;
	world_submit(&w, &spec);
	REFUSED(&w, "cpu: 9 is more than any node has (the best is n1 with 4)",
		"a job with more cpus than any node has is refused");

	spec_init(&spec, &group);
	spec.nodes = 3;
	group.replicas = 3;
	world_submit(&w, &spec);
	REFUSED(&w, "3 nodes requested; only 1 of the 1 node of",
		"a job for more nodes than the cluster has is refused");

	spec_init(&spec, &group);
	spec.nodes = 4;
	group.replicas = 3;
	world_submit(&w, &spec);
	REFUSED(&w, "each node has at least one task", "three tasks on four nodes are refused");
	world_done(&w);
}

static void test_more_refusals(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__IndexRange a = ARMADA__INDEX_RANGE__INIT, b = a, *array[] = {&a, &b};

	world_init(&w);
	world_submit_plain(&w); /* creates the queue of ann */

	spec_init(&spec, &group);
	a.first = 1;
	a.last = 5;
	b.first = 5;
	b.last = 9;
	spec.array = array;
	spec.n_array = 2;
	world_submit(&w, &spec);
	REFUSED(&w, "given twice", "an array with an index given twice is refused");

	a.last = 4000000000u;
	world_submit(&w, &spec);
	REFUSED(&w, "at most 10000000 are accepted",
		"an array of four billion elements is refused");

	spec_init(&spec, &group);
	spec.grace_ms = 500;
	world_submit(&w, &spec);
	REFUSED(&w, "at least 1 s", "a grace period of half a second is refused");
	spec.grace_ms = 3600000;
	world_submit(&w, &spec);
	REFUSED(&w, "at most", "a grace period of an hour is refused");

	spec_init(&spec, &group);
	group.n_argv = 0;
	world_submit(&w, &spec);
	REFUSED(&w, "nothing to run", "a job without a script and a command is refused");

	world_done(&w);
}

static void test_constraints(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__Selector selector = ARMADA__SELECTOR__INIT, *selectors[] = {&selector};
	char *names[] = {(char *)"n9", (char *)"n1"};

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_submit_plain(&w); /* creates the queue of ann */

	spec_init(&spec, &group);
	spec.nodes_include = names;
	spec.n_nodes_include = 1;
	world_submit(&w, &spec);
	REFUSED(&w, "node 'n9' does not exist", "a job for an unknown node is refused");

	spec_init(&spec, &group);
	spec.nodes_exclude = &names[1];
	spec.n_nodes_exclude = 1;
	world_submit(&w, &spec);
	REFUSED(&w, "no node matches", "a job that excludes all nodes is refused");

	spec_init(&spec, &group);
	selector.key = (char *)"gpu";
	selector.value = (char *)"a100";
	spec.selectors = selectors;
	spec.n_selectors = 1;
	world_submit(&w, &spec);
	REFUSED(&w, "no node has the label 'gpu=a100'",
		"a job for a label that no node has is refused");

	spec_init(&spec, &group);
	selector.negate = true;
	spec.selectors = selectors;
	spec.n_selectors = 1;
	ok(world_submit(&w, &spec) != 0, "a job that excludes this label is accepted");

	spec_init(&spec, &group);
	spec.uniformity = (char *)"rack";
	world_submit(&w, &spec);
	REFUSED(&w, "no node has the label 'rack'",
		"a job with a uniformity label that no node has is refused");
	world_done(&w);
}

static void test_where(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	world_init(&w);
	world_submit_plain(&w);
	spec_init(&spec, &group);
	spec.chdir = (char *)"work";
	world_submit(&w, &spec);
	REFUSED(&w, "not an absolute path", "a relative working directory is refused");
	world_done(&w);
}

static void test_idempotent(void)
{
	struct test_world w;
	uint64_t first;

	world_init(&w);
	first = world_submit_plain(&w);
	w.key--;
	is_int(world_submit_plain(&w), first,
	       "I5: a submission with the same key gets the same id");
	ok(!w.out.record, "the second submission creates no job");
	world_tick(&w, INT64_C(90000000000));
	w.key--;
	is_int(world_submit_plain(&w), first, "a submission key expires only with a later record");
	world_submit_plain(&w);
	world_done(&w);
}

/* The ids that a listing with one selector of labels has, as a sum. */
static uint64_t listed(struct test_world *w, const char *key, const char *value, bool negate)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__Selector want = ARMADA__SELECTOR__INIT, *list[] = {&want};
	const Armada__ListJobsReply *r;
	uint64_t sum = 0;

	want.key = (char *)key;
	want.value = (char *)value;
	want.negate = negate;
	filter.labels = list;
	filter.n_labels = 1;
	m.filter = &filter;
	world_send(w, TEST_USER, MSG_LIST_JOBS, &m);
	r = world_reply(w, MSG_LIST_JOBS_REPLY);
	for (size_t i = 0; r && i < r->n_rows; i++)
		sum += r->rows[i]->job;
	return sum;
}

static void test_labels(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__Label a = ARMADA__LABEL__INIT, b = a, *both[] = {&a, &b};

	world_init(&w);
	spec_init(&spec, &group);
	spec.labels = both;
	spec.n_labels = 2;
	a.key = (char *)"team";
	a.value = (char *)"physics";
	b.key = (char *)"example.org/run";
	ok(world_submit(&w, &spec) == 1, "a job with two labels is accepted");
	spec.n_labels = 0;
	world_submit(&w, &spec);
	is_int(listed(&w, "team", "physics", false), 1, "a value selects it");
	is_int(listed(&w, "team", "bio", false), 0, "... and no other value");
	is_int(listed(&w, "example.org/run", "", false), 1, "a key selects it");
	is_int(listed(&w, "team", "", true), 2, "the opposite selects the others");
	spec.n_labels = 2;
	b.key = a.key;
	world_submit(&w, &spec);
	REFUSED(&w, "label team is given twice", "a key that comes twice is refused");
	b.key = (char *)"a b";
	world_submit(&w, &spec);
	REFUSED(&w, "'a b' is not the key of a label", "a wrong key is refused");
	b.key = (char *)"b";
	b.value = (char *)"x,y";
	world_submit(&w, &spec);
	REFUSED(&w, "label b: 'x,y' is not the value of a label", "a wrong value is refused");
	world_done(&w);
}

/* Submits a command under a named key. */
static uint64_t submit_named(struct test_world *w, const char *name, const char *word, const char *host)
{
	char *argv[] = {(char *)"/bin/echo", (char *)word};
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	uint64_t id;

	spec_init(&spec, &group);
	group.argv = argv;
	group.n_argv = 2;
	spec.submit_host = (char *)host;
	w->key_name = name;
	id = world_submit(w, &spec);
	w->key_name = NULL;
	return id;
}

static void test_named_key(void)
{
	struct test_world w;
	uint64_t first;

	world_init(&w);
	w.policy.max_keys_of_user = 3;
	first = submit_named(&w, "nightly", "a", "login1");
	is_int(submit_named(&w, "nightly", "a", "login2"), first,
	       "two submissions with one named key are one job");
	ok(!w.out.record, "the second one changes nothing");
	is_int(submit_named(&w, "nightly", "b", "login1"), 0, "another content is refused");
	REFUSED(&w, "the submission key 'nightly' was used for job 1", "... with the job");
	for (int i = 0; i < 10; i++)
		world_submit_plain(&w);
	world_restart(&w);
	is_int(submit_named(&w, "nightly", "a", "login1"), first,
	       "many later keys and a restart do not make the controller forget a named key");
	submit_named(&w, "weekly", "a", "login1");
	submit_named(&w, "monthly", "a", "login1");
	is_int(submit_named(&w, "yearly", "a", "login1"), 0, "named keys are bounded");
	REFUSED(&w, "limits.submit_keys_per_user", "... which the refusal says");
	world_tick(&w, INT64_C(90000000000));
	world_submit_plain(&w);
	ok(submit_named(&w, "nightly", "b", "login1") > first, "an expired key can be used again");
	world_done(&w);
}

static void test_permissions(void)
{
	struct test_world w;
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec q = ARMADA__QUEUE_SPEC__INIT;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	char *owners[] = {(char *)"bob"};

	world_init(&w);
	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
	m.spec = &q;
	q.name = (char *)"physics";
	q.owners = owners;
	q.n_owners = 1;
	world_send(&w, TEST_USER, MSG_QUEUE, &m);
	REFUSED(&w, "only administrators", "a user cannot create a queue");
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	ok(world_reply(&w, MSG_OK) != NULL, "an administrator can create a queue");
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	REFUSED(&w, "exists already", "a queue cannot be created twice");
	spec_init(&spec, &group);
	spec.queue = (char *)"physics";
	world_submit(&w, &spec);
	REFUSED(&w, "may not submit", "ann is not an owner of bob's queue");
	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE;
	q.n_owners = 0;
	q.set_owners = true;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	ok(world_submit(&w, &spec) != 0, "every user may submit to a queue without owners");
	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_DELETE;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	REFUSED(&w, "holds 1 job:", "a queue with jobs cannot be deleted");
	world_done(&w);
}

/* The limits of the first queue of a listing, as text. */
static void has_limits(struct test_world *w, const char *name, const char *want, const char *says)
{
	Armada__ListQueuesRequest m = ARMADA__LIST_QUEUES_REQUEST__INIT;
	char *names[] = {(char *)name};
	const Armada__ListQueuesReply *r;
	struct buf text CLEANUP_BUF = {0};

	m.names = names;
	m.n_names = 1;
	world_send(w, TEST_USER, MSG_LIST_QUEUES, &m);
	r = world_reply(w, MSG_LIST_QUEUES_REPLY);
	for (size_t i = 0; r && r->n_queues && i < r->queues[0]->spec->n_limits; i++)
		buf_addf(&text, "%s=%g ", r->queues[0]->spec->limits[i]->resource,
			 r->queues[0]->spec->limits[i]->part);
	buf_addstr(&text, "");
	is_str((char *)text.data, want, "%s", says);
}

static void test_queue_limits(void)
{
	Armada__Fraction half = ARMADA__FRACTION__INIT, *halves[] = {&half};
	struct test_world w;
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec q = ARMADA__QUEUE_SPEC__INIT;
	Armada__Fraction f[2] = {ARMADA__FRACTION__INIT, ARMADA__FRACTION__INIT};
	Armada__Fraction *list[] = {&f[0], &f[1]};

	world_init(&w);
	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
	m.spec = &q;
	q.name = (char *)"physics";
	q.limits = list;
	q.n_limits = 2;
	f[0].resource = (char *)"gpu";
	f[0].part = 0.25;
	f[1].resource = (char *)"cpus";
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	REFUSED(&w, "'cpus' is not a resource; did you mean 'cpu'?",
		"a limit of an unknown resource is refused");
	f[1].resource = (char *)"cpu";
	f[1].part = 1.5;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	REFUSED(&w, "cpu: 1.5 is not a fraction", "a limit above 1 is refused");
	f[1].part = NAN;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	REFUSED(&w, "is not a fraction", "a limit that is NaN is refused");
	f[1].resource = (char *)"gpu";
	f[1].part = 0;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	REFUSED(&w, "gpu is given twice", "two limits of the same resource are refused");
	f[1].resource = (char *)"cpu";
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	has_limits(&w, "physics", "cpu=0 gpu=0.25 ", "a queue keeps its limits");
	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE;
	q.n_limits = 0;
	q.priority_factor = 2;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	has_limits(&w, "physics", "cpu=0 gpu=0.25 ", "an update of another field keeps them");
	q.n_limits = 1;
	q.set_limits = true;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	has_limits(&w, "physics", "gpu=0.25 ", "an update of the limits replaces them");
	half.resource = (char *)"memory";
	half.part = 0.5;
	w.own_queue.limits = halves;
	w.own_queue.n_limits = 1;
	world_submit_plain(&w);
	has_limits(&w, "ann", "memory=0.5 ",
		   "the queue of a user is created with the limits of the template");
	world_done(&w);
}

/* Resource limits and the group of the submitter. */
static void test_whose(void)
{
	struct test_world w;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__Rlimit a = ARMADA__RLIMIT__INIT, b = ARMADA__RLIMIT__INIT, *limits[] = {&a, &b};

	world_init(&w);
	world_submit_plain(&w); /* creates the queue of ann */
	spec_init(&spec, &group);
	spec.rlimits = limits;
	spec.n_rlimits = 2;
	a.name = b.name = (char *)"nofile";
	world_submit(&w, &spec);
	REFUSED(&w, "limit nofile is given twice", "a resource limit named twice is refused");
	b.name = (char *)"files";
	world_submit(&w, &spec);
	REFUSED(&w, "limit 'files' is not known: there are cpu, fsize",
		"an unknown resource limit is refused");
	spec_init(&spec, &group);
	spec.rlimits = limits;
	spec.n_rlimits = 2;
	b.name = (char *)"core";
	ok(world_submit(&w, &spec) > 0, "two different limits are accepted");
	spec_init(&spec, &group);
	w.gid = 4242;
	world_submit(&w, &spec);
	REFUSED(&w, "group 4242: ann is not a member of it",
		"a job with a group that the submitter is not in is refused");
	world_done(&w);
}

int main(void)
{
	test_refusals();
	test_more_refusals();
	test_constraints();
	test_where();
	test_idempotent();
	test_named_key();
	test_labels();
	test_permissions();
	test_queue_limits();
	test_whose();
	return done();
}
