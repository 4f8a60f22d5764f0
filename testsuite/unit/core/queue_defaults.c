/*
 * The defaults that a queue gives to its jobs: priority class and resources. The test submits jobs
 * that leave these values out, and compares the stored jobs.
 */
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

/* The default class of a queue is removed from armada.conf: the queue stays usable. */
static void test_removed_class(void)
{
	Armada__QueueSpec queue = ARMADA__QUEUE_SPEC__INIT;
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	struct test_world w;
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	uint64_t id;

	world_init(&w);
	queue.name = (char *)"physics";
	queue.priority_factor = 2;
	queue.default_class = (char *)"armada-preemptible";
	queue.lease_s = 600;
	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
	m.spec = &queue;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	spec_init(&spec, &group);
	spec.queue = (char *)"physics";
	spec.priority_class = (char *)"";
	id = world_submit(&w, &spec);
	ok(id, "a job without a class is accepted: %s", world_error(&w));
	is_str(world_row(&w, id)->priority_class, "armada-preemptible",
	       "the job has the default class of its queue");
	w.policy.class_count = 1;
	world_restart(&w);
	spec_init(&spec, &group);
	spec.queue = (char *)"physics";
	spec.priority_class = (char *)"";
	id = world_submit(&w, &spec);
	ok(id, "after the class is removed, a job without a class is still accepted: %s",
	   world_error(&w));
	is_str(world_row(&w, id)->priority_class, "armada-default",
	       "that job has the default class of the cluster");
	armada__queue_spec__init(&queue);
	queue.name = (char *)"physics";
	queue.cordoned = queue.set_cordoned = true;
	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE;
	world_send(&w, ADMIN_USER, MSG_QUEUE, &m);
	is_str(world_error(&w), "", "a queue whose default class was removed can be updated");
	world_done(&w);
}

/* The amount that each task of the job requests; -1: none. */
static int64_t requested(struct test_world *w, uint64_t id, const char *resource)
{
	Armada__ShowJobRequest m = ARMADA__SHOW_JOB_REQUEST__INIT;
	const Armada__ShowJobReply *r;

	m.job = id;
	world_send(w, TEST_USER, MSG_SHOW_JOB, &m);
	r = world_reply(w, MSG_SHOW_JOB_REPLY);
	for (size_t i = 0; r && i < r->spec->groups[0]->n_resources; i++)
		if (strcmp(r->spec->groups[0]->resources[i]->name, resource) == 0)
			return r->spec->groups[0]->resources[i]->amount;
	return -1;
}

static void test_resources(void)
{
	static Armada__Resource cpus = ARMADA__RESOURCE__INIT, gpus = ARMADA__RESOURCE__INIT,
				memory = ARMADA__RESOURCE__INIT;
	static Armada__Resource *of_queue[] = {&cpus, &gpus}, *of_user[] = {&memory};
	static const Armada__QueueSpec declared = {QUEUE_SPEC_BEGIN, .name = (char *)"big",
						   .default_resources = of_queue,
						   .n_default_resources = 2};
	Armada__Resource cpu, *list[1];
	struct test_world w;
	Armada__TaskGroup group;
	Armada__JobSpec spec;
	uint64_t id;

	world_init(&w);
	w.policy.queues = &declared;
	w.policy.queue_count = 1;
	cpus.name = (char *)"cpu";
	cpus.amount = 3000;
	gpus.name = (char *)"gpu";
	gpus.amount = 2;
	memory.name = (char *)"memory";
	memory.amount = 7 << 20;
	w.own_queue.default_resources = of_user;
	w.own_queue.n_default_resources = 1;
	world_restart(&w);
	spec_init(&spec, &group);
	group.n_resources = 0;
	spec.queue = (char *)"big";
	id = world_submit(&w, &spec);
	is_int(requested(&w, id, "cpu"), 3000,
	       "a job without resources has the default cpus of its queue");
	is_int(requested(&w, id, "gpu"), 2,
	       "a job without resources has the default gpus of its queue");
	is_int(requested(&w, id, "memory"), INT64_C(3) << 30,
	       "memory without a default of the queue is the default of the cluster for each cpu");
	spec_init(&spec, &group);
	spec_cpus(&group, 1, &cpu, list);
	spec.queue = (char *)"big";
	id = world_submit(&w, &spec);
	is_int(requested(&w, id, "cpu"), 1000, "a job with cpus keeps them");
	spec_init(&spec, &group);
	group.n_resources = 0;
	id = world_submit(&w, &spec);
	is_int(requested(&w, id, "memory"), 7 << 20,
	       "a job in the own queue of a user has the defaults of the user_queues template");
	id = world_submit(&w, &spec);
	is_int(requested(&w, id, "memory"), 7 << 20,
	       "a second job in that queue has the same defaults");
	world_done(&w);
}

int main(void)
{
	test_removed_class();
	test_resources();
	return done();
}
