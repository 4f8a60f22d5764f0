/*
 * Permissions: every request, with every relation of a user to a job and its queue, in a private
 * cluster and in a public one. The expected replies are a table here, independent of
 * core/view/rights.c, so that a row there that allows too much fails.
 */
#include "rights_stage.h"

enum outcome { MAY, DENIED, UNKNOWN, BROKEN };

static const char *const outcomes[] = {"may", "is denied", "finds nothing", "gets an error"};

/* ---- what is expected ---- */

static bool rules_queue(const struct person *p)
{
	return p->admin || p->queue_owner;
}

static bool can_see(const struct person *p, bool private)
{
	if (!private || rules_queue(p) || p->job_owner)
		return true;
	return p->holds == PERMIT_WATCH || p->holds == PERMIT_CANCEL ||
	       p->holds == PERMIT_REPRIORITISE || p->holds == PERMIT_PREEMPT;
}

static enum outcome on_job(const struct person *p, bool private, bool may)
{
	return may ? MAY : can_see(p, private) ? DENIED : UNKNOWN;
}

static enum outcome anybody(const struct person *p, bool private)
{
	(void)p, (void)private;
	return MAY;
}

static enum outcome only_admins(const struct person *p, bool private)
{
	(void)private;
	return p->admin ? MAY : DENIED;
}

/* Only another controller may: the users of this test are none. */
static enum outcome no_user(const struct person *p, bool private)
{
	(void)p, (void)private;
	return DENIED;
}

static enum outcome queue_rulers(const struct person *p, bool private)
{
	(void)private;
	return rules_queue(p) ? MAY : DENIED;
}

static enum outcome submitters(const struct person *p, bool private)
{
	(void)private;
	/* the owner of the job has submit on the queue, because the job was accepted */
	return rules_queue(p) || p->job_owner || p->holds == PERMIT_SUBMIT ? MAY : DENIED;
}

static enum outcome cancellers(const struct person *p, bool private)
{
	return on_job(p, private, rules_queue(p) || p->job_owner || p->holds == PERMIT_CANCEL);
}

static enum outcome reprioritisers(const struct person *p, bool private)
{
	return on_job(p, private,
		      rules_queue(p) || p->job_owner || p->holds == PERMIT_REPRIORITISE);
}

static enum outcome updaters(const struct person *p, bool private)
{
	return on_job(p, private, rules_queue(p) || p->job_owner);
}

static enum outcome preempters(const struct person *p, bool private)
{
	return on_job(p, private, rules_queue(p) || p->holds == PERMIT_PREEMPT);
}

static enum outcome watchers(const struct person *p, bool private)
{
	return can_see(p, private) ? MAY : UNKNOWN;
}

static enum outcome secret_keepers(const struct person *p, bool private)
{
	return on_job(p, private, p->admin || p->job_owner);
}

static enum outcome job_owners(const struct person *p, bool private)
{
	return on_job(p, private, p->job_owner);
}

enum about { NO_JOB, JOB_RUNS, JOB_WAITS };

static const struct cell {
	enum msg_type type;
	const char *what; /* NULL: the name of the message describes it */
	enum about about;
	void (*say)(struct stage *s, uint64_t job);
	enum outcome (*expect)(const struct person *p, bool private);
} cells[] = {
	/* clang-format off */
	{MSG_PING,		NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_SUBMIT,		NULL,		NO_JOB,		say_submit,	submitters},
	{MSG_SUBMIT,		"depend on",	JOB_WAITS,	say_depend,	watchers},
	{MSG_CANCEL,		NULL,		JOB_WAITS,	say_cancel,	cancellers},
	{MSG_CANCEL,		"of one that runs", JOB_RUNS,	say_cancel,	cancellers},
	{MSG_CANCEL,		"signal",	JOB_RUNS,	say_signal,	cancellers},
	{MSG_HOLD,		NULL,		JOB_WAITS,	say_hold,	cancellers},
	{MSG_REQUEUE,		NULL,		JOB_RUNS,	say_requeue,	cancellers},
	{MSG_SUSPEND,		NULL,		JOB_RUNS,	say_suspend,	cancellers},
	{MSG_PREEMPT,		NULL,		JOB_RUNS,	say_preempt,	preempters},
	{MSG_UPDATE_JOB,	"comment",	JOB_WAITS,	say_update,	updaters},
	{MSG_UPDATE_JOB,	"restart",	JOB_RUNS,	say_restart,	updaters},
	{MSG_UPDATE_JOB,	"priority",	JOB_WAITS,	say_priority,	reprioritisers},
	{MSG_LIST_JOBS,		NULL,		JOB_WAITS,	say_list,	watchers},
	{MSG_LIST_JOBS,		"of one that runs", JOB_RUNS,	say_list,	watchers},
	{MSG_HISTORY,		NULL,		NO_JOB,		say_nothing,	anybody}, /* further checks are below */
	{MSG_SHOW_JOB,		NULL,		JOB_WAITS,	say_show,	watchers},
	{MSG_SHOW_JOB,		"script",	JOB_WAITS,	say_show_script, secret_keepers},
	{MSG_SHOW_JOB,		"environment",	JOB_WAITS,	say_show_env,	secret_keepers},
	{MSG_WAIT_JOB,		NULL,		JOB_WAITS,	say_wait,	watchers},
	{MSG_WATCH,		NULL,		JOB_WAITS,	say_watch,	watchers},
	{MSG_EXPLAIN,		NULL,		JOB_WAITS,	say_explain,	watchers},
	{MSG_EXPLAIN,		"of one that runs", JOB_RUNS,	say_explain,	watchers},
	{MSG_OUTPUT,		NULL,		JOB_RUNS,	say_output,	secret_keepers},
	{MSG_STEP,		NULL,		JOB_RUNS,	say_step,	job_owners},
	{MSG_SIGNAL_STEP,	NULL,		JOB_RUNS,	say_signal_step, job_owners},
	{MSG_LIST_STEPS,	NULL,		JOB_RUNS,	say_list_steps,	watchers},
	{MSG_ROUND,		NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_PROPERTIES,	NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_ACCOUNTING,	NULL,		NO_JOB,		say_nothing,	anybody}, /* further checks are in 0440-aacct.t */
	{MSG_USAGE_SUMS,	NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_SHARES,		NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_EXTEND_LEASE,	NULL,		NO_JOB,		say_extend,	only_admins},
	{MSG_LIST_NODES,	NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_UPDATE_NODE,	NULL,		NO_JOB,		say_node,	only_admins},
	{MSG_QUEUE,		"create",	NO_JOB,		say_create,	only_admins},
	{MSG_QUEUE,		"cordon",	NO_JOB,		say_cordon,	queue_rulers},
	{MSG_QUEUE,		"permissions",	NO_JOB,		say_permit,	queue_rulers},
	{MSG_QUEUE,		"factor",	NO_JOB,		say_factor,	only_admins},
	{MSG_QUEUE,		"cordon and factor", NO_JOB,	say_both,	only_admins},
	{MSG_LIST_QUEUES,	NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_PERMISSIONS,	"one's own",	NO_JOB,		say_nothing,	anybody},
	{MSG_PERMISSIONS,	"another's",	NO_JOB,		say_permissions_of, queue_rulers},
	{MSG_CLASSES,		NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_CONTROLLERS,	NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_TAKEOVER,		NULL,		NO_JOB,		say_nothing,	only_admins},
	{MSG_COPY_CHANGE,	NULL,		NO_JOB,		say_nothing,	only_admins},
	{MSG_COPY_HISTORY,	NULL,		NO_JOB,		say_nothing,	no_user}, /* and copies.c */
	{MSG_NOTIFY,		NULL,		NO_JOB,		say_nothing,	only_admins},
	{MSG_LOG_LEVELS,	NULL,		NO_JOB,		say_nothing,	only_admins},
	{MSG_ACCOUNTS,		NULL,		NO_JOB,		say_nothing,	anybody}, /* further checks are in accounts.c */
	{MSG_COUNTERS,		NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_LIMITS,		NULL,		NO_JOB,		say_nothing,	anybody}, /* further checks are in bounds.c */
	{MSG_RESOURCES,		NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_SET_FLOATING,	NULL,		NO_JOB,		say_floating,	only_admins},
	{MSG_CREATE_TOKEN,	NULL,		NO_JOB,		say_token,	anybody}, /* further checks are in tokens.c */
	{MSG_LIST_TOKENS,	NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_REVOKE_TOKENS,	NULL,		NO_JOB,		say_nothing,	anybody},
	{MSG_RECONFIGURE,	NULL,		NO_JOB,		say_nothing,	only_admins},
	{MSG_RECONFIGURE,	"dry run",	NO_JOB,		say_dry_run,	only_admins},
	{MSG_SHUTDOWN,		NULL,		NO_JOB,		say_nothing,	only_admins},
	/* clang-format on */
};

/* ---- persons ---- */

enum { PEOPLE = 5 + 4 * (PERMIT_VERBS - 1) };

static size_t make_people(struct person *list)
{
	static char groups[2 * PERMIT_VERBS][32];
	static const char *const names[] = {
		[BY_USER] = "u", [BY_GROUP] = "og", [BY_ALL] = "all", [BY_CLUSTER] = "oc"};
	uint32_t uid = 2000;
	size_t n = 0;

	list[n++] = root;
	list[n++] = (struct person){.name = "ann", .uid = TEST_USER, .job_owner = true};
	list[n++] = (struct person){.name = "rue", .uid = ++uid, .queue_owner = true};
	list[n++] = (struct person){
		.name = "gus", .uid = ++uid, .group = "rulers", .queue_owner = true};
	list[n++] = (struct person){.name = "zoe", .uid = ++uid};
	for (int way = BY_USER; way <= BY_CLUSTER; way++)
		for (int v = 1; v < PERMIT_VERBS; v++) {
			struct person *p = &list[n++];
			char *group = groups[2 * v + (way == BY_CLUSTER) - 1];

			*p = (struct person){.uid = ++uid, .way = (enum way)way, .holds = v};
			snprintf(p->name, sizeof(p->name), "%s-%s", names[way],
				 permit_verb_name(v));
			if (way != BY_GROUP && way != BY_CLUSTER)
				continue;
			snprintf(group, sizeof(groups[0]), "%c-%s", way == BY_GROUP ? 'g' : 'c',
				 permit_verb_name(v));
			p->group = group;
		}
	return n;
}

/* ---- replies ---- */

/* An id that no job has, small enough to be encoded in as many bytes as the id of the job. */
enum { NEVER_WAS = 9 };

static bool is_id(const struct stage *s, uint8_t byte)
{
	const uint64_t ids[] = {s->runs, s->waits, NEVER_WAS};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (byte == ids[i] || byte == '0' + ids[i])
			return true;
	return false;
}

/*
 * The output of the core without bytes that may be an id: the replies for an invisible and an
 * unknown job must be equal.
 */
static void note_answer(const struct stage *s, struct buf *ret)
{
	buf_clear(ret);
	buf_addf(ret, "%d", s->w.out.record != NULL);
	for (size_t i = 0; i < s->w.out.effect_count; i++) {
		const struct effect *e = &s->w.out.effects[i];

		if (e->kind == EFFECT_LOG)
			continue;
		buf_addf(ret, " %d %d %d %d:", e->kind, e->type, (int)e->len, e->wait);
		for (size_t k = 0; k < e->len; k++) {
			uint8_t byte = e->body[k];

			if (is_id(s, byte))
				byte = '*';
			buf_add(ret, &byte, 1);
		}
	}
}

/* A reply of "not permitted", or one that counts a denied job. */
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
	return e && e->code == 4;
}

static void say(struct stage *s, const struct cell *c, uint64_t job)
{
	protobuf_c_message_init(msg_find(c->type)->schema, &s->m);
	/* an admission fills in the spec */
	spec_init(&s->spec, &s->group);
	s->spec.queue = (char *)"q";
	c->say(s, job);
}

static enum outcome play(struct stage *s, const struct cell *c, const struct person *p)
{
	CLEANUP_BUF struct buf never = {0}, now = {0};
	uint64_t job = c->about == JOB_RUNS ? s->runs : s->waits;

	if (c->about != NO_JOB) {
		say(s, c, NEVER_WAS);
		send_as(s, p, c->type);
		note_answer(s, &never);
	}
	say(s, c, job);
	send_as(s, p, c->type);
	note_answer(s, &now);
	if (was_denied(&s->w))
		return s->w.out.record ? BROKEN : DENIED;
	if (c->about != NO_JOB && never.len == now.len &&
	    memcmp(never.data, now.data, now.len) == 0)
		return UNKNOWN;
	return *world_error(&s->w) ? BROKEN : MAY;
}

static void check_cell(const struct cell *c, const struct person *people, size_t count,
		       bool private)
{
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++) {
		enum outcome want = c->expect(&people[i], private), got;
		const struct right *r = right_of(c->type);
		struct stage s = {0};

		stage_init(&s, &people[i], private);
		got = play(&s, c, &people[i]);
		if (got != want) {
			wrong++;
			diag("%s %s, private %d: %s %s, and not %s%s%s; the table: role %d, verb "
			     "%d of %d",
			     msg_find(c->type)->name, c->what ? c->what : "", private,
			     people[i].name, outcomes[got], outcomes[want],
			     *world_error(&s.w) ? ": " : "", world_error(&s.w),
			     r ? (int)r->role : -1, r ? (int)r->verb : -1, r ? (int)r->of : -1);
		}
		world_done(&s.w);
	}
	ok(!wrong, "%s%s%s%s: %zu people", msg_find(c->type)->name, c->what ? ", " : "",
	   c->what ? c->what : "", private ? ", private" : "", count);
}

/*
 * The history is read by the shell, which gets the viewer: the users and queues whose jobs are
 * visible.
 */
static void check_history(const struct person *people, size_t count, bool private)
{
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++) {
		const struct person *p = &people[i];
		const struct core_viewer *v = NULL;
		bool all = !private || p->admin || (p->way == BY_CLUSTER && can_see(p, private));
		bool asked = false, as_is;
		struct stage s = {0};

		stage_init(&s, p, private);
		armada__history_request__init(&s.m.history);
		send_as(&s, p, MSG_HISTORY);
		for (size_t k = 0; k < s.w.out.effect_count; k++)
			if (s.w.out.effects[k].kind == EFFECT_FIND) {
				asked = true;
				v = s.w.out.effects[k].viewer;
			}
		as_is = asked && (v == NULL) == all &&
			visibility_sees(v, TEST_USER, "q") == can_see(p, private) &&
			visibility_sees(v, p->uid, "gone") && visibility_sees(v, 77, "gone") == all;
		if (!as_is)
			diag("HISTORY, private %d: %s", private, p->name);
		wrong += !as_is;
		world_done(&s.w);
	}
	ok(!wrong, "HISTORY%s: the viewer sees the right jobs", private ? ", private" : "");
}

/* A message that a role may not send is refused, whatever the user. */
static void check_roles(void)
{
	static const enum role roles[] = {ROLE_CLIENT, ROLE_AGENT, ROLE_SERVER, ROLE_NONE};
	size_t count, refused = 0, sent = 0;
	const struct msg_info *rows = msg_rows(&count);
	struct stage s = {0};

	stage_init(&s, &root, false);
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
			protobuf_c_message_init(rows[i].schema, &s.m);
			world_feed(&s.w, &in);
			sent++;
			if (was_denied(&s.w) && !s.w.out.record && s.w.out.effect_count == 1)
				refused++;
			else
				diag("%s of role %d is not refused", rows[i].name, roles[k]);
		}
	ok(sent && refused == sent, "no role can send messages of another role");
	world_done(&s.w);
}

static void check_table(void)
{
	size_t count;
	const struct msg_info *rows = msg_rows(&count);

	for (size_t i = 0; i < count; i++) {
		bool said = false;

		for (size_t k = 0; k < ARRAY_SIZE(cells); k++)
			said |= cells[k].type == rows[i].type;
		if (rows[i].senders & ROLE_CLIENT)
			ok(said && right_of(rows[i].type) &&
				   right_of(rows[i].type)->role == ROLE_CLIENT,
			   "%s: the test has its permission", rows[i].name);
	}
}

/* A queue without owners and permissions is open to all users, for submission only. */
static void test_open(void)
{
	static const struct person zoe = {.name = "zoe", .uid = 3000};
	const Armada__QueueSpec spec = ARMADA__QUEUE_SPEC__INIT;
	struct queue q = {.name = (char *)"open", .spec = &spec};
	struct stage s = {0};
	const char *groups[1];
	uint32_t gids[1];
	struct caller who = caller_of(&zoe, groups, gids);
	struct permit watch = {.kind = PERMIT_USER, .name = "ann", .verbs = 1u << PERMIT_WATCH};
	struct txn txn = {.policy = &s.w.policy};

	stage_init(&s, &root, true);
	ok(rights_may(&txn, &who, VERB_SUBMIT, NULL, &q), "every user may submit to an open queue");
	ok(!rights_may(&txn, &who, VERB_CANCEL, NULL, &q) &&
		   !rights_may(&txn, &who, VERB_WATCH, NULL, &q) &&
		   !rights_may(&txn, &who, VERB_QUEUE_MANAGE, NULL, &q),
	   "an open queue gives no other permission");
	q.permissions = &watch;
	q.permission_count = 1;
	ok(!rights_may(&txn, &who, VERB_SUBMIT, NULL, &q), "a queue with a permission is not open");
	watch.verbs = 0;
	ok(!rights_may(&txn, &who, VERB_SUBMIT, NULL, &q),
	   "a queue with an empty permission is not open either");
	for (int v = VERB_NONE; v < VERB_COUNT; v++) {
		const char *why;
		bool allowed;

		why = rights_may_why(&txn, &who, (enum verb)v, &q, s.w.arena, &allowed);
		if (allowed != rights_may(&txn, &who, (enum verb)v, NULL, &q) || !*why)
			ok(false, "verb %d: the explanation agrees with the decision (%s)", v, why);
	}
	world_done(&s.w);
}

int main(void)
{
	struct person people[PEOPLE];
	size_t count = make_people(people);

	check_table();
	for (int private = 0; private < 2; private ++) {
		for (size_t i = 0; i < ARRAY_SIZE(cells); i++)
			check_cell(&cells[i], people, count, private);
		check_history(people, count, private);
	}
	check_roles();
	test_open();
	return done();
}
