/*
 * Makes the world for the tests of permissions, and the request of each kind. A request is sent
 * with the uid, the groups and the role of a person.
 */
#include "rights_stage.h"

struct caller caller_of(const struct person *p, const char **groups, uint32_t *gids)
{
	groups[0] = p->group ? p->group : "people";
	gids[0] = p->uid;
	return (struct caller){.role = ROLE_CLIENT,
			       .uid = p->uid,
			       .gid = p->uid,
			       .user = p->name,
			       .gids = gids,
			       .gid_count = 1,
			       .groups = groups,
			       .group_count = 1,
			       .address = "127.0.0.1",
			       .host = "login"};
}

void send_as(struct stage *s, const struct person *p, enum msg_type type)
{
	const char *groups[1];
	uint32_t gids[1];
	struct caller who = caller_of(p, groups, gids);
	struct input in = {.kind = INPUT_MESSAGE,
			   .conn = 1000 + p->uid,
			   .request = 7,
			   .caller = &who,
			   .type = type,
			   .message = &s->m.any};

	world_feed(&s->w, &in);
}

const struct person root = {.name = "root", .admin = true};

static void make_queue(struct stage *s, const struct person *p)
{
	CLEANUP_ARENA struct arena *a = arena_new(0);
	static char *owners[] = {(char *)"rue"}, *groups[] = {(char *)"rulers"};
	Armada__Permission *list[2 + 3 * PERMIT_VERBS];
	struct permit one = {.kind = PERMIT_USER, .name = "ann", .verbs = 1u << PERMIT_SUBMIT};
	size_t n = 0;

	list[n++] = permit_message(&one, a);
	for (int v = 1; v < PERMIT_VERBS; v++) {
		one = (struct permit){.kind = PERMIT_USER, .verbs = 1u << v};
		snprintf(one.name, sizeof(one.name), "u-%s", permit_verb_name(v));
		list[n++] = permit_message(&one, a);
		one.kind = PERMIT_GROUP;
		snprintf(one.name, sizeof(one.name), "g-%s", permit_verb_name(v));
		list[n++] = permit_message(&one, a);
	}
	one = (struct permit){.kind = PERMIT_ALL, .verbs = 1u << p->holds};
	if (p->way == BY_ALL)
		list[n++] = permit_message(&one, a);
	armada__queue_request__init(&s->m.queue);
	armada__queue_spec__init(&s->queue);
	s->queue.name = (char *)"q";
	s->queue.owners = owners;
	s->queue.n_owners = 1;
	s->queue.group_owners = groups;
	s->queue.n_group_owners = 1;
	s->queue.permissions = list;
	s->queue.n_permissions = n;
	s->m.queue.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
	s->m.queue.spec = &s->queue;
	send_as(s, &root, MSG_QUEUE);
	if (*world_error(&s->w))
		bail("queue: %s", world_error(&s->w));
}

void stage_init(struct stage *s, const struct person *p, bool private)
{
	static const struct conf_floating floating[] = {{.name = "matlab", .total = 5}};
	static const struct resource_row row = {"matlab", RESOURCE_COUNT, true};
	static struct permit all_queues[PERMIT_VERBS];

	for (int v = 1; v < PERMIT_VERBS; v++) {
		all_queues[v] = (struct permit){.kind = PERMIT_GROUP, .verbs = 1u << v};
		snprintf(all_queues[v].name, sizeof(all_queues[v].name), "c-%s",
			 permit_verb_name(v));
	}
	resource_table_set(&row, 1, &(struct err){{0}});
	world_init(&s->w);
	s->w.policy.allow_root_jobs = true;
	s->w.policy.private = private;
	s->w.policy.floating = floating;
	s->w.policy.floating_count = 1;
	s->w.policy.permissions = all_queues + 1;
	s->w.policy.permission_count = PERMIT_VERBS - 1;
	world_node(&s->w, 1, "n1", 4, "b1", 1);
	make_queue(s, p);
	spec_init(&s->spec, &s->group);
	s->spec.queue = (char *)"q";
	s->runs = world_submit(&s->w, &s->spec);
	spec_init(&s->spec, &s->group);
	s->spec.queue = (char *)"q";
	/* the set is named as the job, see say_watch */
	s->spec.job_set = (char *)(s->runs == 1 ? "2" : "");
	s->waits = world_submit(&s->w, &s->spec);
	world_decide(&s->w, s->runs, 0, "n1");
	world_started(&s->w, 1, s->runs, 0, 0, 1);
	s->names[0] = (char *)"n1";
	spec_init(&s->spec, &s->group);
	s->spec.queue = (char *)"q";
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

void say_nothing(struct stage *s, uint64_t job)
{
	(void)s, (void)job;
}

void say_submit(struct stage *s, uint64_t job)
{
	static uint8_t key[16] = "a key of its own";

	(void)job;
	s->m.submit.key.data = key;
	s->m.submit.key.len = sizeof(key);
	s->m.submit.jobs = s->specs;
	s->m.submit.n_jobs = 1;
}

/* A job of the user's own queue, which every user may submit to, that depends on the other job. */
void say_depend(struct stage *s, uint64_t job)
{
	static Armada__Dependency on, *list[1] = {&on};

	say_submit(s, job);
	armada__dependency__init(&on);
	on.type = ARMADA__DEPENDENCY_TYPE__DEPENDENCY_AFTERANY;
	on.job = job;
	s->spec.queue = (char *)"";
	s->spec.dependencies = list;
	s->spec.n_dependencies = 1;
}

void say_cancel(struct stage *s, uint64_t job)
{
	s->m.cancel.filter = only(s, job);
}

void say_signal(struct stage *s, uint64_t job)
{
	s->m.cancel.filter = only(s, job);
	s->m.cancel.signal = 10;
}

void say_hold(struct stage *s, uint64_t job)
{
	s->m.hold.filter = only(s, job);
}

void say_requeue(struct stage *s, uint64_t job)
{
	s->m.requeue.filter = only(s, job);
}

void say_suspend(struct stage *s, uint64_t job)
{
	s->m.suspend.filter = only(s, job);
}

void say_preempt(struct stage *s, uint64_t job)
{
	s->m.preempt.filter = only(s, job);
}

void say_update(struct stage *s, uint64_t job)
{
	s->m.update_job.filter = only(s, job);
	s->m.update_job.spec = &s->spec;
	s->fields[0] = ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_COMMENT;
	s->m.update_job.fields = s->fields;
	s->m.update_job.n_fields = 1;
	s->spec.comment = (char *)"looked at";
	s->spec.priority = 7;
}

void say_priority(struct stage *s, uint64_t job)
{
	say_update(s, job);
	s->fields[0] = ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_PRIORITY;
}

void say_restart(struct stage *s, uint64_t job)
{
	say_update(s, job);
	s->fields[0] = ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_PROGRAM;
	s->m.update_job.script = (ProtobufCBinaryData){10, (uint8_t *)"#!/bin/sh\n"};
	s->m.update_job.restart = true;
}

void say_list(struct stage *s, uint64_t job)
{
	s->m.list_jobs.filter = only(s, job);
}

void say_show(struct stage *s, uint64_t job)
{
	s->m.show_job.job = job;
}

void say_show_script(struct stage *s, uint64_t job)
{
	s->m.show_job.job = job;
	s->m.show_job.with_script = true;
}

void say_show_env(struct stage *s, uint64_t job)
{
	s->m.show_job.job = job;
	s->m.show_job.with_env = true;
}

void say_wait(struct stage *s, uint64_t job)
{
	s->m.wait_job.job = job;
}

void say_watch(struct stage *s, uint64_t job)
{
	s->m.watch.queue = (char *)"q";
	s->m.watch.job_set = arena_printf(s->w.arena, "%d", (int)job);
	s->m.watch.new_only = true;
}

void say_explain(struct stage *s, uint64_t job)
{
	s->m.explain.job = job;
}

void say_step(struct stage *s, uint64_t job)
{
	static uint8_t payload[] = "echo";

	s->m.step.job = job;
	s->m.step.payload.data = payload;
	s->m.step.payload.len = sizeof(payload);
}

/* The owner starts a step in the job. */
static void add_step(struct stage *s, uint64_t job)
{
	static const struct person owner = {.name = "ann", .uid = TEST_USER, .job_owner = true};

	armada__step_request__init(&s->m.step);
	say_step(s, job);
	send_as(s, &owner, MSG_STEP);
}

void say_signal_step(struct stage *s, uint64_t job)
{
	add_step(s, job);
	armada__signal_step_request__init(&s->m.signal_step);
	s->m.signal_step.job = job;
}

void say_list_steps(struct stage *s, uint64_t job)
{
	add_step(s, job);
	armada__list_steps_request__init(&s->m.list_steps);
	s->m.list_steps.filter = only(s, job);
}

void say_output(struct stage *s, uint64_t job)
{
	s->m.output.job = job;
}

void say_extend(struct stage *s, uint64_t job)
{
	(void)job;
	s->m.extend_lease.all = true;
	s->m.extend_lease.duration_s = 3600;
}

void say_node(struct stage *s, uint64_t job)
{
	(void)job;
	s->m.update_node.names = s->names;
	s->m.update_node.n_names = 1;
	s->m.update_node.action = ARMADA__UPDATE_NODE_REQUEST__ACTION__NODE_DRAIN;
	s->m.update_node.reason = (char *)"to see";
}

static void queue_request(struct stage *s, Armada__QueueRequest__Verb verb, const char *name)
{
	armada__queue_spec__init(&s->queue);
	s->queue.name = (char *)name;
	s->m.queue.verb = verb;
	s->m.queue.spec = &s->queue;
}

void say_create(struct stage *s, uint64_t job)
{
	(void)job;
	queue_request(s, ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE, "new");
	s->queue.priority_factor = 1;
}

void say_cordon(struct stage *s, uint64_t job)
{
	(void)job;
	queue_request(s, ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE, "q");
	s->queue.set_cordoned = s->queue.cordoned = true;
}

void say_permit(struct stage *s, uint64_t job)
{
	static Armada__QueueVerb verbs[] = {ARMADA__QUEUE_VERB__QUEUE_MAY_PREEMPT};
	static Armada__Permission one, *list[1] = {&one};

	(void)job;
	queue_request(s, ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE, "q");
	armada__permission__init(&one);
	one.kind = ARMADA__SUBJECT_KIND__SUBJECT_USER;
	one.name = (char *)"zoe";
	one.verbs = verbs;
	one.n_verbs = 1;
	s->queue.set_permissions = true;
	s->queue.permissions = list;
	s->queue.n_permissions = 1;
}

void say_factor(struct stage *s, uint64_t job)
{
	(void)job;
	queue_request(s, ARMADA__QUEUE_REQUEST__VERB__QUEUE_UPDATE, "q");
	s->queue.priority_factor = 0.5;
}

/* One field of an owner and one of an administrator: all or none. */
void say_both(struct stage *s, uint64_t job)
{
	say_cordon(s, job);
	s->queue.priority_factor = 0.5;
}

void say_permissions_of(struct stage *s, uint64_t job)
{
	static char *names[] = {(char *)"q"};

	(void)job;
	s->m.permissions.user = (char *)"yan";
	s->m.permissions.queues = names;
	s->m.permissions.n_queues = 1;
}

void say_dry_run(struct stage *s, uint64_t job)
{
	(void)job;
	s->m.reconfigure.dry_run = true;
}

void say_token(struct stage *s, uint64_t job)
{
	static uint8_t secret[TOKEN_SECRET] = {1};

	(void)job;
	s->m.token.secret = (ProtobufCBinaryData){sizeof(secret), secret};
}

void say_floating(struct stage *s, uint64_t job)
{
	(void)job;
	s->m.floating.name = (char *)"matlab";
	s->m.floating.total = 3;
}
