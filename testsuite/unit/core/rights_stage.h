/*
 * The world of the tests of permissions: a running job, a pending job, and a request of each kind
 * about them.
 */
#pragma once

#include "conf/permit_message.h"
#include "core/request/request.h"
#include "core/view/rights.h"
#include "core/view/visibility.h"
#include "fixture.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

/* The origin of the permission that a person has in the queue. */
enum way { BY_NOTHING, BY_USER, BY_GROUP, BY_ALL, BY_CLUSTER };

struct person {
	char name[32];
	uint32_t uid;
	const char *group;
	bool admin, job_owner, queue_owner; /* of the job's queue, by user name or by group */
	enum way way;
	int holds; /* the verb that the person has; 0: none */
};

struct stage {
	struct test_world w;
	uint64_t runs, waits;
	Armada__JobSpec spec, *specs[1];
	Armada__TaskGroup group;
	Armada__JobRange range, *ranges[1];
	Armada__JobFilter filter;
	char *names[1];
	Armada__UpdateJobRequest__Field fields[1];
	Armada__QueueSpec queue;
	union {
		Armada__SubmitRequest submit;
		Armada__CancelRequest cancel;
		Armada__HoldRequest hold;
		Armada__RequeueRequest requeue;
		Armada__SuspendRequest suspend;
		Armada__PreemptRequest preempt;
		Armada__UpdateJobRequest update_job;
		Armada__ListJobsRequest list_jobs;
		Armada__ListStepsRequest list_steps;
		Armada__SignalStepRequest signal_step;
		Armada__HistoryRequest history;
		Armada__ShowJobRequest show_job;
		Armada__WaitJobRequest wait_job;
		Armada__WatchRequest watch;
		Armada__StepRequest step;
		Armada__OutputRequest output;
		Armada__ExplainRequest explain;
		Armada__ExtendLeaseRequest extend_lease;
		Armada__UpdateNodeRequest update_node;
		Armada__QueueRequest queue;
		Armada__PermissionsRequest permissions;
		Armada__ReconfigureRequest reconfigure;
		ProtobufCMessage any;
		Armada__SetFloatingRequest floating;
		Armada__CreateTokenRequest token;
		char room[1024];
	} m;
};

extern const struct person root;
struct caller caller_of(const struct person *p, const char **groups, uint32_t *gids);
void send_as(struct stage *s, const struct person *p, enum msg_type type);
void stage_init(struct stage *s, const struct person *p, bool private);

/* Each function fills in the request of one kind; job: the job that the request is about. */
void say_nothing(struct stage *s, uint64_t job);
void say_output(struct stage *s, uint64_t job);
void say_submit(struct stage *s, uint64_t job);
void say_depend(struct stage *s, uint64_t job);
void say_cancel(struct stage *s, uint64_t job);
void say_signal(struct stage *s, uint64_t job);
void say_hold(struct stage *s, uint64_t job);
void say_requeue(struct stage *s, uint64_t job);
void say_suspend(struct stage *s, uint64_t job);
void say_preempt(struct stage *s, uint64_t job);
void say_update(struct stage *s, uint64_t job);
void say_restart(struct stage *s, uint64_t job);
void say_priority(struct stage *s, uint64_t job);
void say_list(struct stage *s, uint64_t job);
void say_signal_step(struct stage *s, uint64_t job);
void say_list_steps(struct stage *s, uint64_t job);
void say_show(struct stage *s, uint64_t job);
void say_show_script(struct stage *s, uint64_t job);
void say_show_env(struct stage *s, uint64_t job);
void say_wait(struct stage *s, uint64_t job);
void say_watch(struct stage *s, uint64_t job);
void say_explain(struct stage *s, uint64_t job);
void say_step(struct stage *s, uint64_t job);
void say_extend(struct stage *s, uint64_t job);
void say_node(struct stage *s, uint64_t job);
void say_create(struct stage *s, uint64_t job);
void say_cordon(struct stage *s, uint64_t job);
void say_permit(struct stage *s, uint64_t job);
void say_factor(struct stage *s, uint64_t job);
void say_both(struct stage *s, uint64_t job);
void say_permissions_of(struct stage *s, uint64_t job);
void say_dry_run(struct stage *s, uint64_t job);
void say_token(struct stage *s, uint64_t job);
void say_floating(struct stage *s, uint64_t job);
