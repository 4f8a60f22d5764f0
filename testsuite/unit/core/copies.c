/*
 * The record of a change of the copies: it is made once for each version, a snapshot keeps it, and the
 * administrator who asked is answered. A request leaves the core while records wait.
 */
#include "core/state/state.h"
#include "core/txn/effect.h"
#include "fixture.h"
#include "tap/tap.h"

#include <stdio.h>
#include <string.h>

static struct armada_replica_copies three(uint64_t version, int removed)
{
	struct armada_replica_copies c = {.version = version, .count = 3};

	for (int i = 0; i < 3; i++) {
		snprintf(c.copies[i].name, sizeof(c.copies[i].name), "s%d:6379", i);
		c.copies[i].member = i != removed;
		c.copies[i].removed = i == removed;
	}
	return c;
}

static const Armada__CopiesSet *feed(struct test_world *w, const struct armada_replica_copies *c,
				     uint64_t conn, const char *by)
{
	struct input in = {.kind = INPUT_COPIES, .copies = c, .conn = conn, .text = by};
	const Armada__Event *ev;

	world_feed(w, &in);
	ev = world_event(w, ARMADA__EVENT__KIND_COPIES_SET);
	return ev ? ev->copies_set : NULL;
}

static void test_record(void)
{
	struct armada_replica_copies first = three(1, -1), second = three(2, 1);
	const Armada__CopiesSet *m;
	const struct state *s;
	struct test_world w;

	world_init(&w);
	s = core_state(w.core);
	m = feed(&w, &first, 0, NULL);
	ok(m && m->n_members == 3 && !m->n_removed && !m->by[0],
	   "the set of the engine becomes a record");
	ok(!feed(&w, &first, 0, NULL), "the same version becomes none");
	m = feed(&w, &second, 5, "root");
	ok(m && m->n_members == 2 && m->n_removed == 1 && !strcmp(m->removed[0], "s1:6379"),
	   "a change of an administrator is a record");
	ok(w.out.effect_count == 1 && w.out.effects[0].conn == 5 && w.out.effects[0].type == MSG_OK,
	   "the administrator is answered");
	is_str(s->copies_members, "s0:6379, s2:6379", "the state has the members");
	is_str(s->copies_removed, "s1:6379", "the state has the removed one");
	is_str(s->copies_by, "root", "the state has the administrator");
	ok(!feed(&w, &second, 5, "root") && w.out.effect_count == 1,
	   "a change that the log has already is answered, too");
	first = three(3, -1);
	m = feed(&w, &first, 0, NULL);
	ok(m && m->n_members == 3 && !s->copies_removed[0] && !s->copies_by[0],
	   "a change of the engine is nobody's");
	second.version = 4;
	feed(&w, &second, 0, "ann");
	world_done(&w); /* compares the state with its snapshot */
}

static void test_request(void)
{
	Armada__CopyChangeRequest m = ARMADA__COPY_CHANGE_REQUEST__INIT;
	struct test_world w;

	world_init(&w);
	m.name = (char *)"s1:6379";
	world_send(&w, ADMIN_USER, MSG_COPY_CHANGE, &m);
	ok(w.out.effect_count == 1 && w.out.effects[0].kind == EFFECT_COPY &&
		   !w.out.effects[0].member && !strcmp(w.out.effects[0].text, "s1:6379"),
	   "the request leaves the core");
	ok(!w.out.record && w.out.needs == 1, "it waits for no record");
	world_done(&w);
}

/* The history is for other controllers only, not even for administrators. */
static void test_history(void)
{
	Armada__CopyHistoryRequest m = ARMADA__COPY_HISTORY_REQUEST__INIT;
	struct token_scope scope = {(1u << TOKEN_VERBS) - 1, NULL};
	struct test_world w;

	world_init(&w);
	world_send(&w, CONTROLLER_USER, MSG_COPY_HISTORY, &m);
	ok(w.out.effect_count == 1 && w.out.effects[0].kind == EFFECT_COPY_HISTORY,
	   "the history is read for a controller");
	world_send(&w, ADMIN_USER, MSG_COPY_HISTORY, &m);
	has_str(world_error(&w), "only another controller may", "an administrator is refused");
	w.scope = &scope;
	world_send(&w, CONTROLLER_USER, MSG_COPY_HISTORY, &m);
	has_str(world_error(&w), "the scope of this token", "as is every token");
	world_done(&w);
}

int main(void)
{
	test_record();
	test_request();
	test_history();
	return done();
}
