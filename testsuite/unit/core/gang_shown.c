/*
 * Gangs of jobs in decisions, explanations, reports and variables: uniformity labels, incomplete
 * gangs, the members in the report of a round, and the environment of their tasks.
 */
#include "gang_members.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

/* A node with a rack. */
static void rack_node(struct test_world *w, uint64_t conn, const char *name, const char *rack)
{
	Armada__RegisterNode m = ARMADA__REGISTER_NODE__INIT;
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, memory = ARMADA__RESOURCE__INIT;
	Armada__Resource *list[] = {&cpu, &memory};
	Armada__Label label = ARMADA__LABEL__INIT, *labels[] = {&label};
	uint8_t id[16] = {(uint8_t)conn};

	cpu.name = (char *)"cpu";
	cpu.amount = 4000;
	memory.name = (char *)"memory";
	memory.amount = INT64_C(64) << 30;
	label.key = (char *)"rack";
	label.value = (char *)rack;
	m.name = (char *)name;
	m.node_id.data = m.spool_id.data = id;
	m.node_id.len = m.spool_id.len = sizeof(id);
	m.boot_id = (char *)"boot";
	m.resources = list;
	m.n_resources = 2;
	m.labels = labels;
	m.n_labels = 1;
	world_agent(w, conn, MSG_REGISTER_NODE, &m);
}

static void test_uniform(void)
{
	struct test_world w;
	uint64_t a;

	world_init(&w);
	rack_node(&w, 1, "n1", "a");
	rack_node(&w, 2, "n2", "b");
	rack_node(&w, 3, "n3", "b");
	a = gang_member_submit(
		&w, (struct gang_member){.cardinality = 2, .cpus = 3, .uniformity = "rack"});
	gang_member_submit(&w,
			   (struct gang_member){.cardinality = 2, .cpus = 3, .uniformity = "rack"});
	world_decide(&w, a, 0, "n1 n2");
	is_int(world_leased(&w), 0, "a decision for nodes of two racks is refused");
	world_decide(&w, a, 0, "n2 n3");
	is_int(world_leased(&w), 2, "a decision for nodes of one rack is accepted");
	gang_members_submit(&w,
			    (struct gang_member[]){
				    {.id = "h", .cardinality = 3, .cpus = 3, .uniformity = "rack"},
				    {.id = "h", .cardinality = 3, .cpus = 3, .uniformity = "rack"},
				    {.id = "h", .cardinality = 3, .cpus = 3, .uniformity = "rack"}},
			    3);
	ok(strstr(world_error(&w), "cpu: 9 at once is more than the 2 nodes with rack=b (all must "
				   "have one value of 'rack') have: 8"),
	   "a gang larger than every rack is refused");
	world_done(&w);
}

static const struct effect *explain(struct test_world *w, uint64_t job)
{
	Armada__ExplainRequest m = ARMADA__EXPLAIN_REQUEST__INIT;

	m.job = job;
	world_send(w, TEST_USER, MSG_EXPLAIN, &m);
	for (size_t i = 0; i < w->out.effect_count; i++)
		if (w->out.effects[i].kind == EFFECT_EXPLAIN)
			return &w->out.effects[i];
	return NULL;
}

/*
 * The scheduler knows the gang by its first job. The core itself explains what the scheduler does
 * not know.
 */
static void test_explained(void)
{
	struct test_world w;
	const Armada__ExplainReply *r;
	const struct effect *e;
	uint64_t a, b;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	e = explain(&w, a);
	r = world_reply(&w, MSG_EXPLAIN_REPLY);
	ok(!e && r && r->why == WHY_GANG_INCOMPLETE, "the core explains an incomplete gang");
	is_str(r ? r->text : "", "gang g waits for 1 of its 2 members",
	       "the text counts the missing members");
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	e = explain(&w, b);
	ok(e && e->ask.job == b && e->ask.as == a,
	   "the scheduler is queried about a complete gang by its first job");
	world_done(&w);
}

static const Armada__Round *last_round(struct test_world *w)
{
	Armada__RoundRequest m = ARMADA__ROUND_REQUEST__INIT;
	const Armada__RoundReply *r;

	world_send(w, TEST_USER, MSG_ROUND, &m);
	r = world_reply(w, MSG_ROUND_REPLY);
	return r->last;
}

/* The report of the last round names every member. */
static void test_noted(void)
{
	struct test_world w;
	const Armada__Round *r;
	uint64_t a, b;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .min = 2, .cpus = 3});
	b = gang_member_submit(&w, (struct gang_member){.cardinality = 3, .min = 2, .cpus = 3});
	gang_member_submit(&w, (struct gang_member){.cardinality = 3, .min = 2, .cpus = 3});
	world_decide(&w, a, 0, "- n1 n2");
	r = last_round(&w);
	is_int((int)r->started, 2, "two members were started");
	is_int((int)r->refused, 0, "no decision was refused");
	is_int((int)r->decisions[0]->job, (int)b, "the first decision has its job");
	is_str(r->decisions[1]->nodes[0], "n2", "the second decision has its node");
	world_preempt(&w, b, 0);
	r = last_round(&w);
	is_int((int)r->preempted, 2, "both members were preempted");
	world_done(&w);
}

static void test_environment(void)
{
	struct test_world w;
	int seen = 0;
	uint64_t a;
	struct err err;

	gang_members_begin(&w);
	a = gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	gang_member_submit(&w, (struct gang_member){.cardinality = 2});
	world_decide(&w, a, 0, "n1 n2");
	for (size_t i = 0; i < w.out.effect_count; i++) {
		const struct effect *e = &w.out.effects[i];
		const Armada__TaskBody *b;

		if (e->kind != EFFECT_ORDER)
			continue;
		b = msg_unpack_as(&armada__task_body__descriptor, e->body, e->len, w.arena, &err);
		for (size_t k = 0; b && k < b->n_task_env; k++)
			seen += strcmp(b->task_env[k], "ARMADA_GANG_ID=g") == 0 ||
				strcmp(b->task_env[k], "ARMADA_GANG_CARDINALITY=2") == 0;
	}
	is_int(seen, 4, "both tasks have the variables of the gang");
	world_done(&w);
}

int main(void)
{
	test_uniform();
	test_explained();
	test_noted();
	test_environment();
	return done();
}
