/* Holds of owners and of administrators, and their release. */
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
	is_str(word(&h), "Held", "the reason word is Held");
	is_int(hold(&h, TEST_USER, false)->changed, 0, "a second hold changes nothing");
	is_int(hold(&h, TEST_USER, true)->changed, 1, "the owner releases the job");
	is_int(hold(&h, TEST_USER, false)->changed, 1, "the owner holds it again");
	is_int(hold(&h, ADMIN_USER, true)->changed, 1, "an administrator releases it");
	world_done(&h.w);
}

static void test_admin(void)
{
	const Armada__HoldReply *r;
	struct hold h;

	init(&h);
	is_int(hold(&h, ADMIN_USER, false)->changed, 1, "an administrator holds a job");
	is_str(word(&h), "JobHeldAdmin", "the reason word is JobHeldAdmin");
	has_str(world_reason(&h.w, h.job), "held by an administrator", "the reason says so");
	/* the owner of the job also owns the queue, which is the own queue of the user */
	r = hold(&h, TEST_USER, true);
	ok(r && r->changed == 0 && r->denied == 1, "the owner cannot release it");
	has_str(r->problems[0], "is held by an administrator", "the error names the administrator");
	is_int(hold(&h, TEST_USER, false)->changed, 0, "a hold of the owner changes nothing");
	is_int(hold(&h, TEST_USER, true)->denied, 1,
	       "after that the owner still cannot release it");
	world_restart(&h.w);
	is_str(word(&h), "JobHeldAdmin", "a restarted controller knows the kind of the hold");
	is_int(hold(&h, ADMIN_USER, true)->changed, 1, "an administrator releases it");
	ok(strcmp(word(&h), "JobHeldAdmin") != 0, "the job is not held any more");
	world_done(&h.w);
}

static void test_stronger(void)
{
	struct hold h;

	init(&h);
	hold(&h, TEST_USER, false);
	is_int(hold(&h, ADMIN_USER, false)->changed, 0,
	       "a hold by an administrator of a held job counts no change");
	is_str(word(&h), "JobHeldAdmin", "the hold is now that of an administrator");
	is_int(hold(&h, TEST_USER, true)->denied, 1, "the owner cannot release it any more");
	world_done(&h.w);
}

int main(void)
{
	test_owner();
	test_admin();
	test_stronger();
	return done();
}
