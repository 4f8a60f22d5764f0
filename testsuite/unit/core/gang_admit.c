/*
 * Submissions of gangs of jobs that are refused: members that disagree with each other, in one
 * request and with pending members.
 */
#include "gang_members.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define END(name) ARMADA__END_CAUSE__END_##name

static const struct {
	struct gang_member jobs[3];
	size_t count;
	const char *says;
} refusals[] = {
	{{{.no_gang = true, .cardinality = 2}}, 1, "give --gang-id too"},
	{{{.no_gang = true, .min = 1}}, 1, "give --gang-id too"},
	{{{.cardinality = 0}}, 1, "gang g: the number of its members is missing: at least 1"},
	{{{.cardinality = 2, .min = 3}}, 1, "gang g: the minimum of 3 is more than its 2 members"},
	{{{.cardinality = 20000}}, 1, "at most 10000 are accepted (limits.tasks_per_job)"},
	{{{.cardinality = 2, .array = true}}, 1, "an array cannot be a member of a gang"},
	{{{.cardinality = 2, .tasks = 4, .least = 2}}, 1, "starts with all of its tasks"},
	{{{.cardinality = 2}, {.cardinality = 3, .name = "train-2"}},
	 2,
	 "gang g: job 2 of the request (train-2) has cardinality 3, and job 1 of the request "
	 "(train) has 2"},
	{{{.cardinality = 3}, {.cardinality = 3}, {.cardinality = 3, .min = 2, .name = "x"}},
	 3,
	 "job 3 of the request (x) has minimum 2, and job 1 of the request (train) has 3"},
	{{{.cardinality = 2}, {.cardinality = 2, .class = "armada-preemptible"}},
	 2,
	 "has class armada-preemptible, and job 1 of the request (train) has armada-default"},
	{{{.cardinality = 2}, {.cardinality = 2, .exclusive = true}},
	 2,
	 "has exclusive yes, and job 1 of the request (train) has no"},
	{{{.cardinality = 2}, {.cardinality = 2}, {.cardinality = 2, .name = "third"}},
	 3,
	 "gang g: job 3 of the request (third) is one too many: the gang has 2 members already"},
	{{{.cardinality = 2, .tasks = 6000, .cpus = 1}, {.cardinality = 2, .tasks = 6000}},
	 2,
	 "it has 12000 tasks; at most 10000 are accepted"},
};

static void test_refusals(void)
{
	struct test_world w;

	world_init(&w);
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		uint64_t id = gang_members_submit(&w, refusals[i].jobs, refusals[i].count);

		ok(!id && !w.out.record && strstr(world_error(&w), refusals[i].says),
		   "the whole request is refused: %s", refusals[i].says);
		if (!strstr(world_error(&w), refusals[i].says))
			diag("%s", world_error(&w));
	}
	world_done(&w);
}

static const struct {
	struct gang_member job;
	const char *says;
} late[] = {
	{{.cardinality = 4}, "this job (train) has cardinality 4, and job 1 has 3"},
	{{.cardinality = 3, .min = 1}, "has minimum 1, and job 1 has 3"},
	{{.cardinality = 3, .class = "armada-preemptible"},
	 "has class armada-preemptible, and job 1 has armada-default"},
	{{.cardinality = 3, .uniformity = "rack"}, "has uniformity label rack, and job 1 has none"},
	{{.cardinality = 3, .exclusive = true}, "has exclusive yes, and job 1 has no"},
	{{.cardinality = 3, .exclusive_user = true}, "has exclusive user, and job 1 has no"},
};

static void make_queue(struct test_world *w, const char *name)
{
	Armada__QueueRequest m = ARMADA__QUEUE_REQUEST__INIT;
	Armada__QueueSpec q = ARMADA__QUEUE_SPEC__INIT;

	m.verb = ARMADA__QUEUE_REQUEST__VERB__QUEUE_CREATE;
	m.spec = &q;
	q.name = (char *)name;
	world_send(w, ADMIN_USER, MSG_QUEUE, &m);
}

/* The same checks against pending members. */
static void test_late(void)
{
	struct test_world w;

	world_init(&w);
	gang_member_submit(&w, (struct gang_member){.cardinality = 3});
	for (size_t i = 0; i < ARRAY_SIZE(late); i++) {
		ok(!gang_member_submit(&w, late[i].job) && strstr(world_error(&w), late[i].says),
		   "refused: %s", late[i].says);
		if (!strstr(world_error(&w), late[i].says))
			diag("%s", world_error(&w));
	}
	ok(gang_member_submit(&w, (struct gang_member){.cardinality = 5, .id = "h"}),
	   "a gang with another id is another gang");
	make_queue(&w, "other");
	ok(!gang_member_submit(&w, (struct gang_member){.cardinality = 3, .queue = "other"}) &&
		   strstr(world_error(&w),
			  "gang g: this job (train) is in queue other, and job 1 is in "
			  "queue ann: all members of a gang must be in one queue"),
	   "a member in another queue is refused");
	ok(!gang_members_submit(
		   &w,
		   (struct gang_member[]){{.cardinality = 2, .id = "i"},
					  {.cardinality = 2, .id = "i", .queue = "other"}},
		   2) &&
		   strstr(world_error(&w),
			  "job 2 of the request (train) is in queue other, and job 1 of "
			  "the request (train) is in queue ann"),
	   "so are members of one request");
	gang_members_submit(
		&w, (struct gang_member[]){{.cardinality = 3, .job_set = "s"}, {.cardinality = 3}},
		2);
	ok(!gang_member_submit(&w, (struct gang_member){.cardinality = 3}) &&
		   strstr(world_error(&w),
			  "is one too many: the gang has 3 members already (1, 3, 4)"),
	   "the error names the members");
	world_done(&w);
}

int main(void)
{
	test_refusals();
	test_late();
	return done();
}
