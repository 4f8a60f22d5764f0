/*
 * A job that asks for all memory of its nodes (--mem=0): no other job shares them, and each task is
 * limited to its part of the node's memory.
 */
#include "fixture.h"
#include "node_rig.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

#define JOB(name)   ARMADA__JOB_STATE__JOB_##name
#define FIELD(name) ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_##name

static uint64_t submit(struct test_world *w, uint32_t tasks, uint32_t nodes)
{
	Armada__JobSpec spec;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	group.replicas = tasks;
	spec.nodes = nodes;
	spec.whole_memory = true;
	return world_submit(w, &spec);
}

/* The memory of the task in launch order i of the last input, in MiB. */
static int64_t limit_of(struct test_world *w, int i)
{
	for (size_t n = 0; n < w->out.effect_count; n++) {
		const struct effect *e = &w->out.effects[n];
		const Armada__TaskBody *body;
		struct err err;

		if (e->kind != EFFECT_ORDER || e->order.kind != ORDER_LAUNCH || i--)
			continue;
		body = msg_unpack_as(&armada__task_body__descriptor, e->body, e->len, w->arena,
				     &err);
		for (size_t r = 0; body && r < body->n_resources; r++)
			if (strcmp(body->resources[r]->name, "memory") == 0)
				return body->resources[r]->amount >> 20;
	}
	return -1;
}

static int64_t memory_of(Armada__Resource *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i]->name, "memory") == 0)
			return list[i]->amount >> 20;
	return -1;
}

static int64_t job_memory(struct test_world *w, uint64_t job)
{
	const Armada__JobRow *row = world_row(w, job);

	return row ? memory_of(row->resources, row->n_resources) : -1;
}

static int64_t node_memory(struct test_world *w, const char *name)
{
	const Armada__NodeRow *row = node_row(w, name);

	return row ? memory_of(row->allocated, row->n_allocated) : -1;
}

static void test_share(void)
{
	struct test_world w;
	uint64_t id, other;
	int64_t all, asked;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_node(&w, 2, "n2", 4, "boot2", 2);
	all = memory_of(node_row(&w, "n1")->total, node_row(&w, "n1")->n_total);
	other = world_submit_plain(&w);
	world_decide(&w, other, 0, "n1");
	id = submit(&w, 3, 2);
	asked = job_memory(&w, id);
	ok(asked > 0 && asked < all, "a pending job asks for the default memory");
	world_decide(&w, id, 0, "n2 n1");
	is_int(world_state(&w, id, 0), JOB(PENDING), "a node with another job is not for it");
	world_cancel(&w, TEST_USER, other);
	world_ended(&w, 1, other, 0, 0, 1, ARMADA__END_CAUSE__END_CANCELLED, 0);
	world_decide(&w, id, 0, "n2 n1");
	is_int(limit_of(&w, 0), all / 2, "the first of two tasks has half of its node");
	is_int(limit_of(&w, 1), all / 2, "and the second one");
	is_int(limit_of(&w, 2), all, "the only task of a node has all of it");
	is_int(job_memory(&w, id), 2 * all, "a listing shows all memory of both nodes");
	is_int(node_memory(&w, "n1"), all, "the node has none left");
	other = world_submit_plain(&w);
	world_decide(&w, other, 0, "n1");
	is_int(world_state(&w, other, 0), JOB(PENDING), "another job does not start beside it");
	world_done(&w);
}

static void test_update(void)
{
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__UpdateJobRequest__Field field = FIELD(RESOURCES);
	Armada__Resource memory = ARMADA__RESOURCE__INIT, *list = &memory;
	Armada__TaskGroup group, *groups = &group;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges = &range;
	Armada__JobSpec to;
	struct test_world w;
	uint64_t id, other;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	id = submit(&w, 1, 0);
	memory.name = (char *)"memory";
	memory.amount = 1 << 20;
	spec_init(&to, &group);
	group.resources = &list;
	group.n_resources = 1;
	to.groups = &groups;
	to.n_groups = 1;
	range.first = range.last = id;
	filter.ids = &ranges;
	filter.n_ids = 1;
	m.filter = &filter;
	m.fields = &field;
	m.n_fields = 1;
	m.spec = &to;
	world_send(&w, TEST_USER, MSG_UPDATE_JOB, &m);
	other = world_submit_plain(&w);
	world_decide(&w, other, 0, "n1");
	world_decide(&w, id, 0, "n1");
	is_int(limit_of(&w, 0), 1, "an update to an amount replaces all memory");
	world_done(&w);
}

static void test_refusals(void)
{
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	ok(!submit(&w, 2, 0) && strstr(world_error(&w), "for a number of nodes (--nodes)"),
	   "tasks whose nodes are not known are refused: %s", world_error(&w));
	world_done(&w);
}

int main(void)
{
	test_share();
	test_update();
	test_refusals();
	return done();
}
