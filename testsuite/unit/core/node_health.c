/*
 * Health reports of nodes: an unhealthy node is drained, and resumed when it is healthy; a node
 * that an administrator has drained stays drained.
 */
#include "core/state/state.h"
#include "fixture.h"
#include "tap/tap.h"

#include <string.h>

#define NODE(name) ARMADA__NODE_STATE__NODE_##name

static void say(struct test_world *w, const char *text)
{
	Armada__Heartbeat m = ARMADA__HEARTBEAT__INIT;
	Armada__NodeHealth health = ARMADA__NODE_HEALTH__INIT;

	health.text = (char *)text;
	m.number = 1;
	m.health = text ? &health : NULL;
	world_agent(w, 1, MSG_HEARTBEAT, &m);
}

static void is_node(struct test_world *w, int state, const char *reason, const char *what)
{
	const struct node *n = node_find(core_state(w->core), "n1");

	is_int(n->state, state, "%s", what);
	is_str(n->reason ? n->reason : "", reason, "the reason is that of the report");
}

static void resume(struct test_world *w)
{
	Armada__UpdateNodeRequest m = ARMADA__UPDATE_NODE_REQUEST__INIT;
	char *names[] = {(char *)"n1"};

	m.names = names;
	m.n_names = 1;
	m.action = ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_RESUME;
	world_send(w, ADMIN_USER, MSG_UPDATE_NODE, &m);
}

static void test_health(void)
{
	static char long_text[3000];
	struct test_world w;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	say(&w, NULL);
	is_node(&w, NODE(UP), "", "a node without a health report is up");
	say(&w, "disk");
	is_node(&w, NODE(DRAINED), "disk", "an unhealthy node is drained");
	say(&w, "disk");
	ok(!w.out.record, "the same report again writes no record");
	say(&w, "fan");
	is_node(&w, NODE(DRAINED), "fan", "another text changes the reason");
	say(&w, NULL);
	is_node(&w, NODE(DRAINED), "fan", "a heartbeat without a health report changes nothing");
	world_restart(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	is_node(&w, NODE(DRAINED), "fan", "a restart of the controller changes nothing");
	say(&w, "");
	is_node(&w, NODE(UP), "", "a healthy node is resumed");
	world_drain(&w, "n1", "mine");
	say(&w, "disk");
	is_node(&w, NODE(DRAINED), "mine", "a node that an administrator drained keeps its reason");
	say(&w, "");
	is_node(&w, NODE(DRAINED), "mine", "a healthy report does not resume it");
	resume(&w);
	say(&w, "disk");
	resume(&w);
	say(&w, "disk");
	is_node(&w, NODE(DRAINED), "disk", "a node resumed while unhealthy is drained again");
	memset(long_text, 'x', sizeof(long_text) - 1);
	say(&w, long_text);
	ok(strlen(node_find(core_state(w.core), "n1")->reason) < 1001, "a long reason is cut");
	world_done(&w);
}

static void test_problem(void)
{
	struct test_world w;
	uint64_t id;
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;
	Armada__Report r = ARMADA__REPORT__INIT, *list[] = {&r};
	Armada__TaskKey key = ARMADA__TASK_KEY__INIT;
	Armada__Reports m = ARMADA__REPORTS__INIT;

	world_init(&w);
	world_node(&w, 1, "n1", 4, "boot1", 1);
	id = world_submit_plain(&w);
	world_decide(&w, id, 0, "n1");
	end.cause = ARMADA__END_CAUSE__END_NODE;
	end.text = (char *)"prolog: fire";
	end.node_problem = (char *)"prolog: fire";
	key.job = id;
	key.attempt = 1;
	r.key = &key;
	r.kind = ARMADA__REPORT__KIND__REPORT_ENDED;
	r.end = &end;
	m.reports = list;
	m.n_reports = 1;
	world_agent(&w, 1, MSG_REPORTS, &m);
	is_node(&w, NODE(DRAINED), "prolog: fire", "a failed prolog drains the node");
	is_int(world_state(&w, id, 0), ARMADA__JOB_STATE__JOB_PENDING, "its job is pending");
	say(&w, "");
	is_node(&w, NODE(DRAINED), "prolog: fire", "a healthy report does not resume the node");
	resume(&w);
	is_node(&w, NODE(UP), "", "an administrator resumes it");
	world_agent(&w, 1, MSG_REPORTS, &m);
	is_node(&w, NODE(UP), "", "a repeated report changes nothing");
	world_done(&w);
}

int main(void)
{
	test_health();
	test_problem();
	return done();
}
