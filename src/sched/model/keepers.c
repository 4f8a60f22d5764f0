/*
 * Keepers (keepers.h): a user becomes one with the first job that keeps its nodes, and ceases to be one with
 * the last.
 *
 * Input: such jobs as they come and go. Output: when that changes what the user is, all of its other jobs
 * are in the subqueues of other shapes, and its running tasks count on their nodes with these shapes.
 */
#include "sched/model/keepers.h"
#include "sched/model/job_reshape.h"
#include "sched/model/model.h"

static void move_job(struct model *m, uint32_t job)
{
	struct reshape r;
	uint32_t shape;

	job_reshape_begin(m, job, &r);
	shape = job_shape_intern(m, &r.as);
	job_reshape_done(&r);
	subqueue_move(m, job, subqueue_like(m, job, shape));
}

static void move_jobs(struct model *m, uint32_t user)
{
	tasks_count_for_user(m, user, -1);
	for (uint32_t i = 0; i < m->jobs.count; i++)
		if (m->jobs.list[i].subqueue != NIL && users_of_job(m, i) == user)
			move_job(m, i);
	tasks_count_for_user(m, user, 1);
	m->changes++;
}

void keepers_count(struct model *m, uint32_t queue_user, int sign)
{
	uint32_t user = m->users.in_queue.list[queue_user].user;
	struct user *u = &m->users.list[user];
	bool was = u->keeping > 0;

	u->keeping += (uint32_t)sign;
	if (was == (u->keeping > 0))
		return;
	m->users.keepers += (uint32_t)sign;
	if (u->jobs > 1) /* the one that comes or goes is counted, too */
		move_jobs(m, user);
}
