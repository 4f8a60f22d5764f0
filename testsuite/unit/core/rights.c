/*
 * S11: who may do what, for every message of the table, every role and what a caller is to the job.
 * What is expected stands here a second time, so that a row of core/routes.c that is too generous fails.
 */
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <string.h>

enum { OWNER = 1, OTHER = 2, ADMIN = 4, EVERYBODY = OWNER | OTHER | ADMIN };

enum { EXIT_DENIED = 4 };

static const struct right {
	enum msg_type type;
	unsigned who;
} rights[] = {
	/* clang-format off */
	{MSG_PING,		EVERYBODY},
	{MSG_SUBMIT,		EVERYBODY},
	{MSG_CANCEL,		OWNER | ADMIN},
	{MSG_HOLD,		OWNER | ADMIN},
	{MSG_REQUEUE,		OWNER | ADMIN},
	{MSG_PREEMPT,		OWNER | ADMIN}, /* it is the owner of its queue, too */
	{MSG_UPDATE_JOB,	OWNER | ADMIN},
	{MSG_LIST_JOBS,		EVERYBODY},
	{MSG_HISTORY,		EVERYBODY},
	{MSG_SHOW_JOB,		EVERYBODY}, /* but for script and environment, below */
	{MSG_WAIT_JOB,		EVERYBODY},
	{MSG_STEP,		OWNER},
	{MSG_EXPLAIN,		EVERYBODY},
	{MSG_ROUND,		EVERYBODY},
	{MSG_SHARES,		EVERYBODY},
	{MSG_EXTEND_LEASE,	ADMIN},
	{MSG_LIST_NODES,	EVERYBODY},
	{MSG_UPDATE_NODE,	ADMIN},
	{MSG_QUEUE,		ADMIN},
	{MSG_LIST_QUEUES,	EVERYBODY},
	{MSG_PERMISSIONS,	EVERYBODY},
	{MSG_RECONFIGURE,	ADMIN},
	{MSG_SHUTDOWN,		ADMIN},
	/* clang-format on */
};

static const struct {
	unsigned is;
	uint32_t uid;
	const char *name;
} people[] = {
	{OWNER, TEST_USER, "the owner"},
	{OTHER, OTHER_USER, "another user"},
	{ADMIN, ADMIN_USER, "an administrator"},
};

/* A job that runs, one that waits, and messages about them that are in order. */
struct stage {
	struct test_world w;
	uint64_t runs, waits;
	Armada__JobSpec spec;
	Armada__TaskGroup group;
	Armada__JobRange range, *ranges[1];
	Armada__JobFilter filter;
	char *names[1];
	union {
		Armada__SubmitRequest submit;
		Armada__CancelRequest cancel;
		Armada__HoldRequest hold;
		Armada__RequeueRequest requeue;
		Armada__PreemptRequest preempt;
		Armada__UpdateJobRequest update_job;
		Armada__ShowJobRequest show_job;
		Armada__WaitJobRequest wait_job;
		Armada__StepRequest step;
		Armada__ExplainRequest explain;
		Armada__ExtendLeaseRequest extend_lease;
		Armada__UpdateNodeRequest update_node;
		Armada__QueueRequest queue;
		ProtobufCMessage any;
		char room[1024];
	} m;
	Armada__JobSpec *specs[1];
	Armada__UpdateJobRequest__Field fields[1];
	Armada__QueueSpec queue;
};

static void stage_init(struct stage *s)
{
	world_init(&s->w);
	s->w.policy.allow_root_jobs = true;
	world_node(&s->w, 1, "n1", 4, "b1", 1);
	s->runs = world_submit_plain(&s->w);
	s->waits = world_submit_plain(&s->w);
	world_decide(&s->w, s->runs, 0, "n1");
	world_started(&s->w, 1, s->runs, 0, 0, 1);
	s->names[0] = (char *)"n1";
	spec_init(&s->spec, &s->group);
	s->specs[0] = &s->spec;
}

static Armada__JobFilter *only(struct stage *s, uint64_t job)
{
	armada__job_filter__init(&s->filter);
	armada__job_range__init(&s->range);
	s->range.first = s->range.last = job;
	s->ranges[0] = &s->range;
	s->filter.ids = s->ranges;
	s->filter.n_ids = 1;
	return &s->filter;
}

static void say_job(struct stage *s, enum msg_type type)
{
	static uint8_t payload[] = "echo";

	switch (type) {
	case MSG_CANCEL:
		s->m.cancel.filter = only(s, s->waits);
		break;
	case MSG_HOLD:
		s->m.hold.filter = only(s, s->waits);
		break;
	case MSG_REQUEUE:
		s->m.requeue.filter = only(s, s->runs);
		break;
	case MSG_PREEMPT:
		s->m.preempt.filter = only(s, s->runs);
		break;
	case MSG_UPDATE_JOB:
		s->m.update_job.filter = only(s, s->waits);
		s->m.update_job.spec = &s->spec;
		s->fields[0] = ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_PRIORITY;
		s->m.update_job.fields = s->fields;
		s->m.update_job.n_fields = 1;
		s->spec.priority = 7;
		break;
	case MSG_SHOW_JOB:
		s->m.show_job.job = s->waits;
		break;
	case MSG_WAIT_JOB:
		s->m.wait_job.job = s->waits;
		break;
	case MSG_EXPLAIN:
		s->m.explain.job = s->waits;
		break;
	case MSG_STEP:
		s->m.step.job = s->runs;
		s->m.step.payload.data = payload;
		s->m.step.payload.len = sizeof(payload);
		break;
	default:
		break;
	}
}

static void say_other(struct stage *s, enum msg_type type)
{
	static uint8_t key[16] = "a key of its own";

	switch (type) {
	case MSG_SUBMIT:
		s->m.submit.key.data = key;
		s->m.submit.key.len = sizeof(key);
		s->m.submit.jobs = s->specs;
		s->m.submit.n_jobs = 1;
		break;
	case MSG_EXTEND_LEASE:
		s->m.extend_lease.all = true;
		s->m.extend_lease.duration_s = 3600;
		break;
	case MSG_UPDATE_NODE:
		s->m.update_node.names = s->names;
		s->m.update_node.n_names = 1;
		s->m.update_node.action = ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_DRAIN;
		s->m.update_node.reason = (char *)"to see";
		break;
	case MSG_QUEUE:
		armada__queue_spec__init(&s->queue);
		s->queue.name = (char *)"new";
		s->queue.priority_factor = 1;
		s->m.queue.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
		s->m.queue.spec = &s->queue;
		break;
	default:
		break;
	}
}

static void say(struct stage *s, enum msg_type type)
{
	protobuf_c_message_init(msg_find(type)->schema, &s->m);
	say_job(s, type);
	say_other(s, type);
}

/* An answer of "not permitted", or one that counts somebody who was denied. */
static bool was_denied(struct test_world *w)
{
	const Armada__ErrorReply *e = world_reply(w, MSG_ERROR);

	for (size_t i = 0; i < w->out.effect_count; i++) {
		const struct effect *x = &w->out.effects[i];
		const ProtobufCFieldDescriptor *f;
		const char *reply;

		if (x->kind != EFFECT_SEND)
			continue;
		f = protobuf_c_message_descriptor_get_field_by_name(msg_find(x->type)->schema,
								    "denied");
		reply = f ? world_reply(w, x->type) : NULL;
		if (reply && *(const uint64_t *)(reply + f->offset))
			return true;
	}
	return e && e->code == EXIT_DENIED;
}

static void check_right(const struct right *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(people); i++) {
		bool may = r->who & people[i].is;
		struct stage s = {0};

		stage_init(&s);
		say(&s, r->type);
		world_send(&s.w, people[i].uid, r->type, &s.m.any);
		if (may)
			ok(!was_denied(&s.w) && !*world_error(&s.w), "%s: %s may (%s)",
			   msg_find(r->type)->name, people[i].name, world_error(&s.w));
		else
			ok(was_denied(&s.w) && !s.w.out.record && s.w.out.effect_count == 1,
			   "%s: %s may not, and nothing happens", msg_find(r->type)->name,
			   people[i].name);
		world_done(&s.w);
	}
}

static const struct right *right_of(enum msg_type type)
{
	for (size_t i = 0; i < ARRAY_SIZE(rights); i++)
		if (rights[i].type == type)
			return &rights[i];
	return NULL;
}

/* What a role has no business with is refused, from whomever it comes. */
static void check_roles(void)
{
	static const enum role roles[] = {ROLE_CLIENT, ROLE_AGENT, ROLE_SERVER, ROLE_NONE};
	size_t count;
	const struct msg_info *rows = msg_rows(&count);
	struct stage s = {0};

	stage_init(&s);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < ARRAY_SIZE(roles); k++) {
			struct caller who = {.role = roles[k], .user = "root", .address = "::1"};
			struct input in = {.kind = INPUT_MESSAGE,
					   .conn = 99,
					   .request = 1,
					   .caller = &who,
					   .type = rows[i].type,
					   .message = &s.m.any};

			if (roles[k] != ROLE_NONE && rows[i].senders & roles[k] &&
			    roles[k] != ROLE_SERVER)
				continue;
			say(&s, rows[i].type);
			world_feed(&s.w, &in);
			if (!was_denied(&s.w) || s.w.out.record || s.w.out.effect_count != 1)
				ok(false, "%s of role %d is refused", rows[i].name, roles[k]);
		}
	ok(true, "no role sends what is another's");
	world_done(&s.w);
}

static void check_table(void)
{
	size_t count;
	const struct msg_info *rows = msg_rows(&count);

	for (size_t i = 0; i < count; i++)
		if (rows[i].senders & ROLE_CLIENT)
			ok(right_of(rows[i].type) != NULL, "%s: it is said here who may",
			   rows[i].name);
}

int main(void)
{
	check_table();
	for (size_t i = 0; i < ARRAY_SIZE(rights); i++)
		check_right(&rights[i]);
	check_roles();
	return done();
}
