/* Holds: who may take off whose. */
#include "fixture.h"
#include "tap/tap.h"

#include <string.h>

struct hold {
	struct test_world w;
	uint64_t job;
	Armada__JobRange range, *ranges[1];
	Armada__JobFilter filter;
};

static void init(struct hold *h)
{
	world_init(&h->w);
	h->job = world_submit_plain(&h->w);
	armada__job_filter__init(&h->filter);
	armada__job_range__init(&h->range);
	h->range.first = h->range.last = h->job;
	h->ranges[0] = &h->range;
	h->filter.ids = h->ranges;
	h->filter.n_ids = 1;
}

static const Armada__HoldReply *hold(struct hold *h, uint32_t uid, bool release)
{
	Armada__HoldRequest m = ARMADA__HOLD_REQUEST__INIT;

	m.filter = &h->filter;
	m.release = release;
	world_send(&h->w, uid, MSG_HOLD, &m);
	return world_reply(&h->w, MSG_HOLD_REPLY);
}

static const char *word(struct hold *h)
{
	const Armada__JobRow *row = world_row(&h->w, h->job);

	return row ? row->reason_word : "";
}

static void test_owner(void)
{
	struct hold h;

	init(&h);
	is_int(hold(&h, TEST_USER, false)->changed, 1, "an owner holds a job");
	is_str(word(&h), "Held", "which its reason says");
	is_int(hold(&h, TEST_USER, false)->changed, 0, "once");
	is_int(hold(&h, TEST_USER, true)->changed, 1, "and releases it");
	is_int(hold(&h, TEST_USER, false)->changed, 1, "and holds it again");
	is_int(hold(&h, ADMIN_USER, true)->changed, 1, "an administrator releases it too");
	world_done(&h.w);
}

static void test_admin(void)
{
	const Armada__HoldReply *r;
	struct hold h;

	init(&h);
	is_int(hold(&h, ADMIN_USER, false)->changed, 1, "an administrator holds a job");
	is_str(word(&h), "JobHeldAdmin", "which its reason says");
	has_str(world_reason(&h.w, h.job), "held by an administrator", "in words too");
	/* the owner of the job is also the owner of the queue, which is their own */
	r = hold(&h, TEST_USER, true);
	ok(r && r->changed == 0 && r->denied == 1, "its owner does not release it");
	has_str(r->problems[0], "is held by an administrator", "and is told why");
	is_int(hold(&h, TEST_USER, false)->changed, 0, "holding it again changes nothing");
	is_int(hold(&h, TEST_USER, true)->denied, 1, "nor does it take the hold over");
	world_restart(&h.w);
	is_str(word(&h), "JobHeldAdmin", "a new controller knows who held it");
	is_int(hold(&h, ADMIN_USER, true)->changed, 1, "an administrator releases it");
	ok(strcmp(word(&h), "JobHeldAdmin") != 0, "and it waits for other things");
	world_done(&h.w);
}

static void test_stronger(void)
{
	struct hold h;

	init(&h);
	hold(&h, TEST_USER, false);
	is_int(hold(&h, ADMIN_USER, false)->changed, 0, "what is held already is not held anew");
	is_str(word(&h), "JobHeldAdmin", "but by an administrator now");
	is_int(hold(&h, TEST_USER, true)->denied, 1, "and its owner does not release it any more");
	world_done(&h.w);
}

int main(void)
{
	test_owner();
	test_admin();
	test_stronger();
	return done();
}
