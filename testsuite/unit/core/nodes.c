/*
 * Requests about nodes: states, labels and taints, reboots, deletion, invalid names, and dry
 * runs.
 */
#include "node_rig.h"

static void test_states(void)
{
	static const struct {
		int from, to[NODE_EV_COUNT]; /* DRAIN RESUME SILENT BACK DEAD LEAVE */
	} rows[] = {
		{NODE(UP),
		 {NODE(DRAINED), NODE(UP), NODE(UNKNOWN), NODE(UP), NODE(DOWN), NODE(DOWN)}},
		{NODE(DRAINED),
		 {NODE(DRAINED), NODE(UP), NODE(DRAINED), NODE(DRAINED), NODE(DRAINED),
		  NODE(DRAINED)}},
		{NODE(DOWN),
		 {NODE(DRAINED), NODE(DOWN), NODE(UNKNOWN), NODE(UP), NODE(DOWN), NODE(DOWN)}},
		{NODE(UNKNOWN),
		 {NODE(DRAINED), NODE(UNKNOWN), NODE(UNKNOWN), NODE(UP), NODE(DOWN), NODE(DOWN)}},
	};
	bool seen[NODE_STATE_COUNT] = {false};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		seen[rows[i].from] = true;
		for (int e = 0; e < NODE_EV_COUNT; e++)
			is_int(node_next(rows[i].from, (enum node_event)e), rows[i].to[e],
			       "state %d, event %d", rows[i].from, e);
	}
	for (int st = 0; st < NODE_STATE_COUNT; st++)
		for (int e = 0; e < NODE_EV_COUNT && !seen[st]; e++)
			is_int(node_next(st, (enum node_event)e), NEXT_NONE,
			       "state %d is not a state of nodes", st);
}

static void test_labels(void)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	Armada__Label label = ARMADA__LABEL__INIT, *labels[] = {&label};
	Armada__Taint taint = ARMADA__TAINT__INIT, *taints[] = {&taint};
	char *gone[] = {(char *)"disk"};
	struct test_world w;

	node_run_one(&w);
	world_node_labelled(&w, 5, "n5", "disk", "slow");
	m.action = ACTION(LABEL);
	label.key = (char *)"disk";
	label.value = (char *)"fast";
	m.labels = labels;
	m.n_labels = 1;
	ok(node_update(&w, "n5", &m), "a label is set");
	is_str(node_row(&w, "n5")->labels[0]->value, "fast", "it overrides the node's own label");
	world_node_labelled(&w, 5, "n5", "disk", "slow");
	is_str(node_row(&w, "n5")->labels[0]->value, "fast",
	       "the label stays when the node registers again");
	world_restart(&w);
	is_str(node_row(&w, "n5")->set_labels[0]->value, "fast",
	       "the label stays after a restart of the controller");
	m.n_labels = 0;
	m.remove = gone;
	m.n_remove = 1;
	ok(node_update(&w, "n5", &m), "the label is removed");
	is_str(node_row(&w, "n5")->labels[0]->value, "slow", "the node's own label is shown again");
	ok(!node_update(&w, "n5", &m), "the node's own label cannot be removed");
	has_str(world_error(&w), "or from armada.conf", "the error says whose label it is");
	label.value = (char *)"a b";
	m.n_labels = 1;
	m.n_remove = 0;
	ok(!node_update(&w, "n5", &m), "a value with a space is refused");
	m.action = ACTION(TAINT);
	m.n_labels = 0;
	m.taints = taints;
	m.n_taints = 1;
	taint.key = (char *)"maint";
	taint.value = (char *)"x";
	taint.effect = (char *)"NoExecute";
	ok(!node_update(&w, "n5", &m), "an unknown effect is refused");
	taint.effect = (char *)"NoSchedule";
	ok(node_update(&w, "n5", &m), "a taint is set");
	is_str(node_row(&w, "n5")->taints[0]->key, "maint", "the taint is shown");
	world_done(&w);
}

static void register_rebootable(struct test_world *w, uint64_t conn, const char *boot)
{
	Armada__RegisterNode m = ARMADA__REGISTER_NODE__INIT;
	uint8_t id[16] = "n8";

	m.name = (char *)"n8";
	m.node_id = m.spool_id = (ProtobufCBinaryData){16, id};
	m.boot_id = (char *)boot;
	m.can_reboot = true;
	world_agent(w, conn, MSG_REGISTER_NODE, &m);
}

static void test_reboot(void)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	struct test_world w;

	node_run_one(&w);
	m.action = ACTION(REBOOT);
	m.reason = (char *)"new kernel";
	ok(!node_update(&w, "n1", &m), "a node without a reboot program is not rebooted");
	has_str(world_error(&w), "agents.reboot_program", "the error names the option");
	register_rebootable(&w, 8, "boot8");
	ok(node_update(&w, "n8", &m), "a node with a reboot program is rebooted");
	is_int(world_orders(&w, ORDER_REBOOT), 1,
	       "the order is sent at once if no task runs there");
	is_int(node_row(&w, "n8")->state, NODE(DRAINED), "the node is drained");
	is_str(node_row(&w, "n8")->reason, "reboot: new kernel", "the reason names the reboot");
	world_restart(&w);
	register_rebootable(&w, 9, "boot8");
	ok(node_row(&w, "n8")->rebooting, "a restarted controller knows of the reboot");
	world_beat(&w, 9);
	is_int(world_orders(&w, ORDER_REBOOT), 1, "it sends the order again");
	register_rebootable(&w, 9, "boot9");
	is_int(node_row(&w, "n8")->state, NODE(UP), "with another boot id the node is up");
	ok(!node_row(&w, "n8")->rebooting, "the reboot is over");
	m.stay_drained = true;
	node_update(&w, "n8", &m);
	register_rebootable(&w, 9, "boot10");
	is_int(node_row(&w, "n8")->state, NODE(DRAINED),
	       "with stay_drained the node stays drained");
	world_done(&w);
}

static void test_reboot_waits(void)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	struct test_world w;
	uint64_t job;

	node_run_one(&w);
	register_rebootable(&w, 8, "boot8");
	spec_init(&spec, &group);
	job = world_submit(&w, &spec);
	m.action = ACTION(REBOOT);
	m.reason = (char *)"";
	world_decide(&w, job, 0, "n1");
	world_started(&w, 1, job, 0, 0, 1);
	m.now = true;
	node_update(&w, "n8", &m);
	is_int(world_orders(&w, ORDER_KILL), 0, "tasks on other nodes are not killed");
	node_change(&w, "n8", ACTION(RESUME), "");
	ok(!node_row(&w, "n8")->rebooting, "a resume withdraws the reboot");
	world_done(&w);
}

static void test_delete(void)
{
	struct test_world w;
	uint64_t job;

	node_run_one(&w);
	job = node_run_silent(&w);
	ok(!node_change(&w, "n1", ACTION(DELETE), ""), "a connected node cannot be deleted");
	world_closed(&w, 1);
	ok(!node_change(&w, "n1", ACTION(DELETE), ""), "a node with tasks cannot be deleted");
	has_str(world_error(&w), "1_0.0/1", "the error names the tasks");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	world_ended(&w, 1, job, 0, 0, 1, END(EXITED), 0);
	world_closed(&w, 1);
	ok(node_change(&w, "n1", ACTION(DELETE), ""),
	   "a node without tasks and connection is deleted");
	ok(!node_row(&w, "n1"), "it is not listed");
	world_node(&w, 1, "n1", 4, "boot1", 1);
	is_int(node_row(&w, "n1")->state, NODE(UP), "it is up when it joins again");
	world_done(&w);
}

/*
 * Invalid names of nodes are refused, because the fence program, which may be a script, gets the
 * name as its argument.
 */
static void test_names(void)
{
	static const char *const bad[] = {"",       "-f",  ".n1",    "n;reboot",
					  "n$(id)", "n 1", "n[1-2]", "a/b"};
	struct test_world w;

	world_init(&w);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		world_node(&w, 1, bad[i], 4, "b1", 1);
		ok(strstr(world_error(&w), "is not a node name"), "'%s' is refused as a node name",
		   bad[i]);
	}
	world_node(&w, 1, "Rack_3-n1.example.org", 4, "b1", 1);
	is_str(world_error(&w), "", "a host name is accepted");
	world_done(&w);
}

static void test_dry_run(void)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "b1", 1);
	m.action = ACTION(DRAIN);
	m.reason = (char *)"x";
	m.dry_run = true;
	ok(!node_update(&w, "n1", &m) && !w.out.record, "a dry run of a drain is refused");
	world_done(&w);
}

static const char *register_with(struct test_world *w, Armada__RegisterNode *m)
{
	static uint8_t id[16] = "n1";

	m->name = (char *)"n1";
	m->node_id = m->spool_id = (ProtobufCBinaryData){16, id};
	m->boot_id = (char *)"b1";
	world_agent(w, 1, MSG_REGISTER_NODE, m);
	return world_error(w);
}

/* What one node makes the controller keep. */
static void test_bounds(void)
{
	enum { LABELS = 1025, RESOURCES = 65 };
	static Armada__Label label[LABELS], *labels[LABELS];
	static Armada__Resource resource[RESOURCES], *resources[RESOURCES];
	static char names[LABELS][16], longest[256], longer[257];
	Armada__RegisterNode m = ARMADA__REGISTER_NODE__INIT;
	struct test_world w;

	memset(longest, 'v', 255);
	memset(longer, 'v', 256);
	for (int i = 0; i < LABELS; i++) {
		snprintf(names[i], sizeof(names[i]), "k%d", i);
		armada__label__init(labels[i] = &label[i]);
		label[i].key = names[i];
		label[i].value = (char *)"v";
	}
	for (int i = 0; i < RESOURCES; i++) {
		armada__resource__init(resources[i] = &resource[i]);
		resource[i].name = names[i];
		resource[i].amount = 1;
	}
	world_init(&w);
	m.labels = labels;
	m.resources = resources;
	m.n_labels = LABELS;
	has_str(register_with(&w, &m), "node n1 reports 1025 labels and taints: at most 1024",
		"too many labels are refused");
	ok(!w.out.record && !node_row(&w, "n1"), "... and nothing of the registration is kept");
	m.n_labels = 1;
	m.n_resources = RESOURCES;
	has_str(register_with(&w, &m), "65 resources: at most 64",
		"too many resources are refused");
	m.n_resources = 2;
	resource[1].name = names[0];
	has_str(register_with(&w, &m), "the resource k0 twice", "a resource is not named twice");
	resource[1].name = names[1];
	label[0].value = longer;
	has_str(register_with(&w, &m), "the value of a label of 256 bytes",
		"a long value is refused");
	for (int i = 0; i < LABELS; i++)
		label[i].value = longest;
	m.n_labels = 260;
	has_str(register_with(&w, &m), "of more than 65536 bytes", "many long values are refused");
	m.n_labels = 200;
	is_str(register_with(&w, &m), "", "200 long labels are accepted");
	m.name = (char *)"n2";
	world_agent(&w, 1, MSG_REGISTER_NODE, &m);
	has_str(world_error(&w), "node n1 is on this connection", "a connection is one node");
	world_done(&w);
}

/* A reason is one line of bounded length, whatever a node reports. */
static void test_long_reason(void)
{
	static char text[3001];
	struct test_world w;
	uint64_t job;

	for (int i = 0; i < 3000; i += 3)
		memcpy(text + i, "\xe2\x82\xac", 3);
	text[0] = '\n';
	node_run_one(&w);
	job = world_submit_plain(&w);
	world_decide(&w, job, 0, "n1");
	world_failed(&w, 1, job, 0, 0, 1, END(LAUNCH_FAILED), text);
	ok(world_event(&w, ARMADA__EVENT__KIND_TASK_ENDED) &&
		   strlen(world_event(&w, ARMADA__EVENT__KIND_TASK_ENDED)->task_ended->end->text) <=
			   1000,
	   "the text of an end is cut");
	world_done(&w);
}

int main(void)
{
	test_bounds();
	test_long_reason();
	test_states();
	test_labels();
	test_reboot();
	test_reboot_waits();
	test_delete();
	test_dry_run();
	test_names();
	return done();
}
