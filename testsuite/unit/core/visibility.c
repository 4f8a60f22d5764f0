/*
 * A private cluster: which information about jobs of other users is in replies; and which
 * permissions an owner may give.
 */
#include "core/admission/grant_check.h"
#include "core/txn/job_text.h"
#include "core/view/visibility.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

struct scene {
	struct test_world w;
	uint64_t mine, theirs; /* of ann and of bob */
};

static uint64_t submit(struct test_world *w, uint32_t uid)
{
	static uint8_t key[16] = "by somebody else";
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__JobSpec spec, *specs[1] = {&spec};
	const Armada__SubmitReply *r;
	Armada__TaskGroup group;

	spec_init(&spec, &group);
	m.key.data = key;
	m.key.len = sizeof(key);
	m.jobs = specs;
	m.n_jobs = 1;
	world_send(w, uid, MSG_SUBMIT, &m);
	r = world_reply(w, MSG_SUBMIT_REPLY);
	if (!r)
		bail("not submitted: %s", world_error(w));
	return r->ids[0];
}

/*
 * Two jobs run; the job of ann is preempted for the job of bob, and the round has a text about it.
 */
static void init(struct scene *s, bool private)
{
	world_init(&s->w);
	s->w.policy.private = private;
	world_node(&s->w, 1, "n1", 4, "b1", 1);
	s->mine = world_submit_plain(&s->w);
	s->theirs = submit(&s->w, OTHER_USER);
	world_decide(&s->w, s->mine, 0, "n1");
	world_started(&s->w, 1, s->mine, 0, 0, 1);
}

static void preempt(struct scene *s)
{
	char text[100];
	struct sched_decision d = {.kind = SCHED_PREEMPT,
				   .job = s->mine,
				   .why = "urgency",
				   .for_job = s->theirs,
				   .text = text};
	struct sched_result r = {.decisions = &d, .decision_count = 1};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &r, .round = 2};

	snprintf(text, sizeof(text), "made room for job %d of queue bob", (int)s->theirs);
	world_feed(&s->w, &in);
}

static const Armada__Round *last_round(struct scene *s, uint32_t uid)
{
	Armada__RoundRequest m = ARMADA__ROUND_REQUEST__INIT;
	const Armada__RoundReply *r;

	world_send(&s->w, uid, MSG_ROUND, &m);
	r = world_reply(&s->w, MSG_ROUND_REPLY);
	if (!r || !r->last)
		bail("no round");
	return r->last;
}

static const char *listed(struct scene *s, uint32_t uid)
{
	Armada__ListJobsRequest m = ARMADA__LIST_JOBS_REQUEST__INIT;
	const Armada__ListJobsReply *r;

	world_send(&s->w, uid, MSG_LIST_JOBS, &m);
	r = world_reply(&s->w, MSG_LIST_JOBS_REPLY);
	for (size_t i = 0; r && i < r->n_rows; i++)
		if (r->rows[i]->job == s->mine)
			return r->rows[i]->reason;
	return "(not there)";
}

/* The text of the kill order that was sent last; "" if it has none. */
static const char *kill_text(struct test_world *w)
{
	for (size_t i = 0; i < w->out.effect_count; i++) {
		const struct effect *x = &w->out.effects[i];

		if (x->kind == EFFECT_ORDER && x->order.kind == ORDER_KILL)
			return arena_printf(w->arena, "%.*s", (int)x->len,
					    x->len ? (const char *)x->body : "");
	}
	return "(no order)";
}

static void test_kill_text(void)
{
	char text[ORDER_TEXT_MAX + 10];
	struct sched_decision d = {.kind = SCHED_PREEMPT, .why = "fair-share", .text = text};
	struct sched_result r = {.decisions = &d, .decision_count = 1};
	struct input in = {.kind = INPUT_DECISIONS, .decisions = &r, .round = 2};
	struct scene s;

	init(&s, false);
	for (size_t i = 0; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa9", 3);
	d.job = s.mine;
	world_feed(&s.w, &in);
	is_int((int)strlen(kill_text(&s.w)), ORDER_TEXT_MAX - 1,
	       "a long text is cut between two characters");
	has_str(kill_text(&s.w), "fair-share preemption: \xc3\xa9", "it begins with the rule");
	world_done(&s.w);
	init(&s, false);
	world_cancel(&s.w, TEST_USER, s.mine);
	has_str(kill_text(&s.w), "cancelled by ", "the order for a cancelled job says by whom");
	world_done(&s.w);
}

static void test_texts(void)
{
	struct scene s;

	init(&s, true);
	preempt(&s);
	is_str(kill_text(&s.w), "urgency preemption: made room for another job of queue bob",
	       "the kill order has the text, without the job of another user");
	is_str(listed(&s, TEST_USER), "urgency preemption: made room for another job of queue bob",
	       "the text does not name a job of another user");
	has_str(listed(&s, ADMIN_USER), "made room for job ", "an administrator sees its name");
	is_str(listed(&s, OTHER_USER), "(not there)", "bob does not see the job");
	world_done(&s.w);
	init(&s, false);
	preempt(&s);
	has_str(kill_text(&s.w), "made room for job ",
		"in a public cluster the order has the name");
	has_str(listed(&s, TEST_USER), "made room for job ",
		"in a public cluster the text has the name");
	world_done(&s.w);
}

static void test_rounds(void)
{
	const Armada__Round *r;
	struct scene s;

	init(&s, true);
	preempt(&s);
	r = last_round(&s, TEST_USER);
	is_int(r->n_decisions, 1, "ann sees the decision about her job");
	is_int(r->decisions[0]->for_job, 0, "she does not see the job that gets the room");
	is_str(r->decisions[0]->text, "made room for another job of queue bob",
	       "the text does not name it");
	r = last_round(&s, OTHER_USER);
	is_int(r->n_decisions, 0, "bob sees no decision about jobs of others");
	is_int(r->preempted, 1, "bob sees the count");
	r = last_round(&s, ADMIN_USER);
	is_int(r->n_decisions, 1, "an administrator sees all decisions");
	is_int(r->decisions[0]->for_job, (int)s.theirs,
	       "an administrator sees the job that gets the room");
	world_done(&s.w);
}

/*
 * The reply to a client that waits for a job has the reason of the end, without jobs of other
 * users.
 */
static void test_waiting(void)
{
	Armada__WaitJobRequest m = ARMADA__WAIT_JOB_REQUEST__INIT;
	const Armada__WaitJobReply *r;
	Armada__CancelRequest cancel = ARMADA__CANCEL_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ranges[] = {&range};
	struct scene s;

	init(&s, true);
	m.job = s.theirs;
	world_send(&s.w, OTHER_USER, MSG_WAIT_JOB, &m);
	range.first = range.last = s.theirs;
	filter.ids = ranges;
	filter.n_ids = 1;
	cancel.filter = &filter;
	cancel.reason = (char *)"for job 17_3, and job 2x";
	world_send(&s.w, ADMIN_USER, MSG_CANCEL, &cancel);
	r = world_reply(&s.w, MSG_WAIT_JOB_REPLY);
	ok(r != NULL, "the waiting client gets a reply");
	has_str(r ? r->reason : "", "for another job, and ", "the reason names no job of others");
	world_done(&s.w);
}

static void test_words(void)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{"", ""},
		{"waits for its turn", "waits for its turn"},
		{"would delay job 5, for which", "would delay another job, for which"},
		{"job 5", "another job"},
		{"job 5_12 and job 6_1", "another job and another job"},
		{"job 7 of its gang", "job 7 of its gang"},
		{"job 7_3 and job 77", "job 7_3 and another job"},
		{"job five, job -5, jobs 5, subjob 5", "job five, job -5, jobs 5, subjob 5"},
		{"job 99999999999999999999999", "another job"},
		{"job ", "job "},
		{"job 5_", "another job_"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_str(job_text_strip((char *)cases[i].text, 7, a), cases[i].shown, "\"%s\"",
		       cases[i].text);
}

/*
 * A permission can be given only by a user that has it. The permission to manage the queue is
 * checked earlier.
 */
static void test_grants(void)
{
	static const Armada__QueueVerb verbs[] = {ARMADA__QUEUE_VERB__QUEUE_MAY_CANCEL,
						  ARMADA__QUEUE_VERB__QUEUE_MAY_SUBMIT};
	Armada__Permission one = ARMADA__PERMISSION__INIT, *list[] = {&one};
	Armada__QueueSpec made = ARMADA__QUEUE_SPEC__INIT;
	char *owners[] = {(char *)"ann"}, *people[] = {(char *)"people"};
	const Armada__QueueSpec spec = ARMADA__QUEUE_SPEC__INIT;
	struct queue q = {.name = (char *)"q", .spec = &spec};
	struct permit held = {.kind = PERMIT_USER, .name = "ann", .verbs = 1u << PERMIT_CANCEL};
	const char *const groups[] = {"people"};
	struct caller ann = {.uid = TEST_USER, .user = "ann", .groups = groups, .group_count = 1};
	struct txn c = {.policy = &(struct core_policy){.private = true}};
	struct input in = {.caller = &ann};
	struct err err;

	c.in = &in;
	q.permissions = &held;
	q.permission_count = 1;
	one.kind = ARMADA__SUBJECT_KIND__SUBJECT_USER;
	one.name = (char *)"zoe";
	one.verbs = (Armada__QueueVerb *)(uintptr_t)verbs;
	one.n_verbs = 1;
	made.permissions = list;
	made.n_permissions = 1;
	made.owners = owners;
	made.n_owners = 1;
	ok(grants_check(&c, &q, &made, &err) == 0, "a permission that the user has can be given");
	one.n_verbs = 2;
	ok(grants_check(&c, &q, &made, &err) < 0, "another permission cannot be given");
	has_str(err.text, "you cannot give submit", "the error names it");
	held.verbs = 1u << PERMIT_SUBMIT;
	snprintf(held.name, sizeof(held.name), "zoe");
	ok(grants_check(&c, &q, &made, &err) < 0,
	   "a permission that the user has only in part cannot be given");
	one.verbs++;
	one.n_verbs = 1;
	ok(grants_check(&c, &q, &made, &err) == 0, "a permission that exists already can stay");
	made.n_owners = 0;
	ok(grants_check(&c, &q, &made, &err) < 0, "the user cannot remove itself from the owners");
	has_str(err.text, "keep 'ann' or one of your groups", "the error says what is expected");
	made.group_owners = people;
	made.n_group_owners = 1;
	ok(grants_check(&c, &q, &made, &err) == 0, "ownership by a group of the user is enough");
}

int main(void)
{
	test_texts();
	test_kill_text();
	test_rounds();
	test_waiting();
	test_words();
	test_grants();
	return done();
}
