/*
 * Draws the actions of users and administrators: one time in three an action on an existing job or
 * node, else a submission.
 *
 * Input: the random numbers of the seed. Output: one request. The table says how often each action
 * is drawn; an action draws its parameters itself.
 */
#include "asim/storm/user.h"
#include "asim/storm/admin.h"
#include "asim/storm/change.h"
#include "asim/storm/ctl.h"
#include "asim/storm/health.h"
#include "asim/storm/policy.h"
#include "asim/storm/queue.h"
#include "asim/storm/request.h"
#include "asim/storm/submit.h"

/* Any job; more often one that has not ended, and of these more often an array. */
static const struct sim_job *pick_job(struct storm *s)
{
	const struct sim_job *j = &s->jobs[storm_random(s, s->job_count)];

	for (int i = 0; i < 6 && (!j->id || sim_client_is_over(j) || (i < 3 && j->elements == 1));
	     i++)
		j = &s->jobs[storm_random(s, s->job_count)];
	return j;
}

static void hold_or_release(struct storm *s, const struct sim_job *j,
			    const struct sim_node *n UNUSED)
{
	sim_request_hold(s, j, storm_random(s, 2));
}

static void drain_or_resume(struct storm *s, const struct sim_job *j UNUSED,
			    const struct sim_node *n)
{
	sim_admin_drain(s, n, storm_random(s, 3));
}

static void change_conf(struct storm *s, const struct sim_job *j UNUSED,
			const struct sim_node *n UNUSED)
{
	if (!storm_fault(s, 4))
		return;
	storm_trace(s, "armada.conf is changed");
	sim_policy_draw(s);
	sim_ctl_reconfigure(s);
}

/* The frequency of an action is the number of its indices. */
static const struct {
	bool known; /* only for a job whose id is known */
	void (*act)(struct storm *s, const struct sim_job *j, const struct sim_node *n);
} actions[] = {
	[0 ... 1] = {true, sim_request_cancel},
	[2] = {true, hold_or_release},
	[3] = {false, drain_or_resume},
	[4] = {false, change_conf},
	[5] = {false, sim_request_signal},
	[6 ... 8] = {true, sim_request_update},
	[9 ... 10] = {true, sim_request_requeue},
	[11 ... 12] = {false, sim_admin_act},
	[13 ... 15] = {false, sim_request_preempt},
	[16] = {false, sim_queue_update},
	[17 ... 19] = {true, sim_change_template},
};

void sim_user_steps(struct storm *s)
{
	sim_request_steps(s);
	if (storm_random(s, 2))
		sim_request_signal_step(s);
	if (storm_random(s, 4) == 0)
		sim_request_list_steps(s);
}

void sim_user_act(struct storm *s)
{
	const struct sim_job *j;
	const struct sim_node *n;
	size_t what;

	if (storm_random(s, 3) || !s->job_count) {
		sim_submit_new(s);
		return;
	}
	j = pick_job(s);
	n = &s->nodes[storm_random(s, SIM_NODES)];
	what = storm_random(s, ARRAY_SIZE(actions));
	if (j->id || !actions[what].known)
		actions[what].act(s, j, n);
}

void sim_user_retry(struct storm *s, const struct sim_event *ev)
{
	struct sim_job *j = &s->jobs[ev->number];

	if (!j->id)
		sim_submit_send(s, j);
}

/*
 * A gang of jobs that lost a member before it began waits for ever: no user submits another member.
 */
static void cancel_rest(struct storm *s, uint32_t gang)
{
	bool lost = false;

	for (size_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].gang == gang)
			lost |= s->jobs[i].cancelled || s->jobs[i].ended[0];
	for (size_t i = 0; i < s->job_count && lost; i++)
		if (s->jobs[i].gang == gang && s->jobs[i].id && !s->jobs[i].ended[0])
			sim_request_cancel(s, &s->jobs[i], NULL);
}

void sim_user_settle(struct storm *s, const struct sim_event *ev UNUSED)
{
	for (size_t i = 0; i < s->job_count; i++)
		if (s->jobs[i].gang == i + 1)
			cancel_rest(s, s->jobs[i].gang);

	sim_request_hold(s, NULL, true);
	for (int i = 0; i < SIM_NODES; i++) {
		/* A node drained by its health check resumes when it is healthy. */
		if (!sim_health_is_drained(s, &s->nodes[i]))
			sim_admin_drain(s, &s->nodes[i], true);
		sim_health_set(s, &s->nodes[i], false);
		sim_admin_confirm_dead(s, &s->nodes[i]);
	}
	storm_plan(s, 30000000, (struct sim_event){.kind = SIM_SETTLE});
}
