/*
 * Checks after a round: the records that the scheduler keeps of nodes and queues are compared
 * with its input, and the decisions with the limits and constraints. It reads internal structs
 * of the scheduler. Each check returns an error, or NULL.
 */
#include "sched/round/round.h"
#include "unit/sched/contest.h"
#include "unit/sched/referee_parts.h"

#include <stdlib.h>
#include <string.h>

/* The records that the scheduler keeps of nodes and queues, compared with its input. */

static bool pinned_down(const struct ref *w, int unit)
{
	return !ref_urgent(w, unit) || (w->policy.preempt == REF_NOBODY && !ref_scavenges(w, unit));
}

/*
 * The resources that members use on the node: all members, or those of this priority and above and
 * those that cannot be preempted.
 */
static int used_by(const struct contest *c, int node, const int64_t *level, int64_t *ret)
{
	const struct ref *w = &c->w;
	int tasks = 0;

	memset(ret, 0, REF_DIMS * sizeof(*ret));
	for (int u = 0; u < w->job_count * REF_ELEMENTS; u++) {
		if (w->units[u].state != REF_RUNS)
			continue;
		for (int m = 0; m < ref_shape(w, u)->members; m++) {
			const struct ref_part *p = ref_part(w, u, m);

			if (w->units[u].nodes[m] != node)
				continue;
			tasks++;
			if (level && !pinned_down(w, u) && w->classes[p->class].priority < *level)
				continue;
			for (int d = 0; d < REF_DIMS; d++)
				ret[d] += p->request[d];
		}
	}
	return tasks;
}

static const char *check_level(const struct contest *c, const struct model *m, uint32_t at,
			       int node, int class)
{
	int64_t used[REF_DIMS];
	uint32_t level = m->levels.of_class[class];
	const int64_t *bound;

	if (!m->levels.count)
		return NULL;
	bound = m->blocks.bounds +
		((size_t)(m->blocks.slots[at] / LEVEL_BLOCK) * m->levels.count + level - 1) *
			m->dims;
	used_by(c, node, &c->w.classes[class].priority, used);
	for (size_t d = 0; d < m->dims; d++) {
		int64_t have = priority_level_row(m, at, level)[d];

		if (have != c->w.nodes[node].total[d] - used[d])
			return "the free resources of a node at a priority level are wrong";
		if (c->w.nodes[node].present && bound[d] < have)
			return "the bound of a block of nodes is below the free resources of a node";
	}
	return NULL;
}

/* Does the model know with whom the tasks of the node share it? */
static const char *check_tenants(const struct contest *c, const struct model *m, int node,
				 const struct tenants *has)
{
	const struct ref *w = &c->w;
	struct tenants want = {.tasks = has->tasks, .exclusive = has->exclusive};

	for (int u = 0; u < w->job_count * REF_ELEMENTS; u++) {
		const struct ref_job *j = &w->jobs[u / REF_ELEMENTS];
		uint64_t keeper = users_keeper(m, contest_users[j->user]);

		for (int i = 0; w->units[u].state == REF_RUNS && i < ref_shape(w, u)->members;
		     i++) {
			if (w->units[u].nodes[i] != node)
				continue;
			want.kept += j->keeps;
			want.keepers += keeper;
			want.squares += keeper * keeper;
		}
	}
	return want.kept != has->kept || want.keepers != has->keepers ||
			       want.squares != has->squares
		       ? "the users of the tasks of a node are wrong"
		       : NULL;
}

static const char *check_node(const struct contest *c, const struct model *m, int node,
			      double *capacity)
{
	const struct ref_node *n = &c->w.nodes[node];
	uint32_t at = nodes_find(m, contest_names[node]);
	int64_t used[REF_DIMS];
	int tasks = used_by(c, node, NULL, used);

	if (!n->present && !tasks)
		return at == NIL ? NULL : "a removed node is still in the model";
	if (at == NIL)
		return "a node is missing in the model";
	if (m->nodes.list[at].present != n->present || m->nodes.list[at].schedulable != n->up ||
	    m->nodes.list[at].tenants.tasks != (uint32_t)tasks)
		return "the state or the number of tasks of a node is wrong";
	if (check_tenants(c, m, node, &m->nodes.list[at].tenants))
		return check_tenants(c, m, node, &m->nodes.list[at].tenants);
	for (size_t d = 0; d < m->dims; d++) {
		if (nodes_free(m, at)[d] != n->total[d] - used[d])
			return "the free resources of a node are wrong";
		if (n->present && (n->up || tasks))
			capacity[d] += (double)n->total[d];
	}
	for (int k = 0; k < REF_CLASSES; k++) {
		const char *wrong = check_level(c, m, at, node, k);

		if (wrong)
			return wrong;
	}
	return NULL;
}

static void sum_queue(const struct contest *c, int queue, bool waits,
		      int64_t sums[REF_CLASSES + 1][REF_DIMS])
{
	const struct ref *w = &c->w;

	for (int u = 0; u < w->job_count * REF_ELEMENTS; u++) {
		const struct ref_job *j = &w->jobs[u / REF_ELEMENTS];

		if (j->queue != queue || w->units[u].state != (waits ? REF_WAITS : REF_RUNS) ||
		    (waits && j->held))
			continue;
		for (int m = 0; m < ref_shape(w, u)->members; m++)
			for (int d = 0; d < REF_DIMS; d++)
				if (waits || w->units[u].nodes[m] >= 0)
					sums[ref_part(w, u, m)->class][d] +=
						ref_part(w, u, m)->request[d];
	}
}

static const char *check_queue(const struct contest *c, const struct model *m, int queue)
{
	uint32_t at = queues_find(m, contest_queues[queue]);
	int64_t runs[REF_CLASSES + 1][REF_DIMS] = {0}, waits[REF_CLASSES + 1][REF_DIMS] = {0};

	if (at == NIL)
		return NULL;
	sum_queue(c, queue, false, runs);
	sum_queue(c, queue, true, waits);
	for (size_t d = 0; d < m->dims; d++) {
		int64_t all = 0;

		for (size_t k = 0; k < REF_CLASSES + (size_t)m->levels.scavenging; k++) {
			all += runs[k][d];
			if (m->queues.list[at].used[k * m->dims + d] != runs[k][d])
				return "the resources that a queue uses in a class are wrong";
			if (m->queues.list[at].demand[k * m->dims + d] != waits[k][d])
				return "the demand of a queue is wrong";
		}
		if (m->queues.list[at].allocated[d] != all)
			return "the resources that a queue uses are wrong";
	}
	return NULL;
}

static const char *check_use(const struct contest *c, struct ref_owner of,
			     const struct spending *have)
{
	struct ref_use want;

	ref_sum_use(&c->w, of, &want);
	if (have->now.running != want.running)
		return "the number of running jobs of a limit is wrong";
	for (int d = 0; d < REF_COUNTED; d++)
		if (have->now.amounts[d] != want.amounts[d])
			return "the used resources of a limit are wrong";
	return NULL;
}

static int user_number(const struct model *m, uint32_t user)
{
	for (int i = 1; i <= REF_USERS; i++)
		if (strcmp(contest_users[i], m->users.list[user].name) == 0)
			return i;
	return 0;
}

static int account_number(const struct model *m, uint32_t account)
{
	return strcmp(contest_accounts[1], m->accounts.list[account].name) == 0 ? 1 : 2;
}

static const char *check_accounts(const struct contest *c, const struct model *m)
{
	const char *wrong = NULL;

	for (uint32_t a = 0; a < m->accounts.count && !wrong; a++)
		if (m->accounts.list[a].name)
			wrong = check_use(c, (struct ref_owner){-1, -1, account_number(m, a)},
					  &m->accounts.list[a].spending);
	for (uint32_t t = 0; t < m->accounts.of_user.count && !wrong; t++) {
		const struct account_user *u = &m->accounts.of_user.list[t];
		struct ref_owner of = {-1, 0, 0};

		if (!u->jobs)
			continue;
		of.user = u->user == NIL ? 0 : user_number(m, u->user);
		of.account = account_number(m, u->account);
		wrong = check_use(c, of, &u->spending);
	}
	return wrong;
}

/* The use that counts for absolute limits, for all users and accounts. */
static const char *check_spending(const struct contest *c, const struct model *m)
{
	const char *wrong = NULL;

	for (int q = 0; q < REF_QUEUES && !wrong; q++) {
		uint32_t at = queues_find(m, contest_queues[q]);

		if (at != NIL)
			wrong = check_use(c, (struct ref_owner){q, -1, -1},
					  &m->queues.list[at].spending);
		for (uint32_t t = 0; t < m->users.in_queue.count && !wrong; t++)
			if (m->users.in_queue.list[t].jobs && m->users.in_queue.list[t].queue == at)
				wrong = check_use(
					c,
					(struct ref_owner){
						q, user_number(m, m->users.in_queue.list[t].user),
						-1},
					&m->users.in_queue.list[t].spending);
	}
	for (uint32_t u = 0; u < m->users.count && !wrong; u++)
		if (m->users.list[u].name)
			wrong = check_use(c, (struct ref_owner){-1, user_number(m, u), -1},
					  &m->users.list[u].spending);
	return wrong ? wrong : check_accounts(c, m);
}

/*
 * The node index must have every usable node once, the one with the least free resources first.
 * Only overcommitted nodes are left out.
 */
static const char *check_index(const struct contest *c, struct model *m)
{
	static const int sequence[REF_DIMS] = {0, 1, 3, 2};
	struct node_index_ask ask = {.kinds = UINT64_MAX >> 1};
	int64_t request[SCHED_RESOURCES];
	struct node_index_cursor cursor = {0};
	uint32_t node, last = NIL, n = 0, want = 0;

	for (size_t d = 0; d < SCHED_RESOURCES; d++)
		request[d] = INT64_MIN;
	ask.request = request;
	for (uint32_t i = 0; i < m->nodes.count; i++)
		want += m->nodes.list[i].present && m->nodes.list[i].schedulable &&
			!m->nodes.list[i].tenants.exclusive;
	for (; (node = node_index_next(m, &m->nodes.index, &ask, &cursor)) != NIL;
	     n++, last = node) {
		for (int i = 0; last != NIL && i < REF_DIMS; i++) {
			size_t d = (size_t)sequence[i];

			if (d >= m->dims || nodes_free(m, last)[d] == nodes_free(m, node)[d])
				continue;
			if (nodes_free(m, last)[d] > nodes_free(m, node)[d])
				return "the node index is out of order";
			break;
		}
	}
	(void)c;
	return n == want ? NULL : "nodes are missing in the node index";
}

static bool differ(double a, double b)
{
	return a > b + 1e-6 || b > a + 1e-6;
}

/* The tokens left. */
static const char *check_purse(const struct contest *c, int twin)
{
	const struct sched *s = c->rigs[twin].s;
	const struct model *m = &s->model;
	const struct ref_policy *p = &c->w.policy;
	const struct ref_purse *want = &c->purses[twin];

	if ((p->rate.burst > 0 && differ(s->buckets.start, want->all)) ||
	    (p->preempt == REF_FAIRSHARE && p->preempt_rate.burst > 0 &&
	     differ(s->buckets.preempt, want->preempt)))
		return "the number of tokens is wrong";
	for (int q = 0; q < REF_QUEUES && p->queue_rate.burst > 0; q++) {
		uint32_t at = queues_find(m, contest_queues[q]);

		if (at != NIL && differ(m->queues.list[at].tokens, want->queues[q]))
			return "the number of tokens of a queue is wrong";
	}
	return NULL;
}

const char *contest_check_books(const struct contest *c, int twin)
{
	struct model *m = &c->rigs[twin].s->model;
	double capacity[REF_DIMS] = {0};
	const char *wrong = NULL;

	for (int n = 0; n < c->w.node_count && !wrong; n++)
		wrong = check_node(c, m, n, capacity);
	for (int q = 0; q < REF_QUEUES && !wrong; q++)
		wrong = check_queue(c, m, q);
	for (size_t d = 0; d < m->dims && !wrong; d++)
		if ((double)m->nodes.capacity[d] != capacity[d])
			wrong = "the total resources of all nodes are wrong";
	wrong = wrong ? wrong : check_purse(c, twin);
	wrong = wrong ? wrong : check_spending(c, m);
	return wrong ? wrong : check_index(c, m);
}

/* The decisions. */

static int node_of(const struct sched_decision *d, size_t member)
{
	return d->nodes[member] ? atoi(d->nodes[member] + 1) : -1;
}

static const char *check_place(const struct contest *c, const struct sched_decision *d)
{
	const struct ref *w = &c->w;
	const struct ref_shape *f = ref_shape(w, contest_unit(d));
	int placed = 0, first = -1;

	if (d->node_count != (size_t)f->members)
		return "a gang was started with a wrong number of members";
	for (int m = 0; m < f->members; m++) {
		int node = node_of(d, (size_t)m);

		if (node < 0)
			continue;
		placed++;
		if (!ref_suits(w, ref_part(w, contest_unit(d), m), node))
			return "a member is on a node that its constraints exclude";
		for (int k = 0; k < m && f->distinct; k++)
			if (node_of(d, (size_t)k) == node)
				return "two members of a unit with distinct nodes are on one node";
		first = first < 0 ? node : first;
		if (f->uniform >= 0 && (!*w->nodes[node].labels[f->uniform] ||
					strcmp(w->nodes[node].labels[f->uniform],
					       w->nodes[first].labels[f->uniform]) != 0))
			return "the members are on nodes with different values of the uniformity label";
	}
	return placed < (w->policy.partial ? f->min : f->members) ? "part of a gang" : NULL;
}

/*
 * A victim for urgency is of a lower class than the gang that it was displaced for. A victim for fair
 * share is of no higher class, and its queue was above its protected share.
 */
static const char *check_victim(const struct contest *c, const struct sched_decision *d,
				const struct ref_shares *shares)
{
	const struct ref *w = &c->w;
	int unit = contest_unit(d), queue = w->jobs[unit / REF_ELEMENTS].queue;
	double share = shares->capped[queue] > shares->fair[queue] ? shares->capped[queue]
								   : shares->fair[queue];
	bool fair = strcmp(d->why, "fair-share") == 0, lent = strcmp(d->why, "scavenging") == 0;
	int64_t mine = ref_most_urgent(w, unit), its;

	if (w->units[unit].state != REF_RUNS)
		return "a unit was preempted that does not run";
	if (fair ? !ref_fair(w, unit) : !ref_urgent(w, unit))
		return "a unit was preempted that may not be preempted";
	if (lent != ref_scavenges(w, unit))
		return "a unit was preempted as if it scavenged, or as if it did not";
	if ((!lent && w->policy.preempt == REF_NOBODY) ||
	    (fair && w->policy.preempt == REF_URGENCY))
		return "a unit was preempted although the policy does not allow it";
	if (!d->for_job)
		return "a unit was preempted for no other";
	its = ref_most_urgent(w, contest_for(d));
	if (fair ? mine > its : mine >= its)
		return "a unit was preempted for one that is not urgent enough";
	if (fair && shares->cost[queue] <= w->policy.protected_fraction * share * (1 - 1e-9))
		return "a queue within its share lost a unit to a unit of the same class";
	return NULL;
}

/* Whether a node holds more than it has, and more than before, after all decisions. */
static const char *check_room(const struct contest *c, const struct sched_result *res)
{
	const struct ref *w = &c->w;
	static int64_t change[REF_NODES][REF_DIMS];
	int64_t used[REF_DIMS];

	memset(change, 0, sizeof(change));
	for (size_t i = 0; i < res->decision_count; i++) {
		const struct sched_decision *d = &res->decisions[i];
		int unit = contest_unit(d), sign = d->kind == SCHED_START ? 1 : -1;

		for (int m = 0; m < ref_shape(w, unit)->members; m++) {
			int node = sign > 0 ? node_of(d, (size_t)m) : w->units[unit].nodes[m];

			for (int k = 0; node >= 0 && k < REF_DIMS; k++)
				change[node][k] += sign * ref_part(w, unit, m)->request[k];
		}
	}
	for (int n = 0; n < w->node_count; n++) {
		used_by(c, n, NULL, used);
		for (int d = 0; d < REF_DIMS; d++)
			if (change[n][d] > 0 && used[d] + change[n][d] > w->nodes[n].total[d])
				return "a node holds more than it has";
	}
	return NULL;
}

/* A node of an exclusive job has no other job. */
static const char *check_alone(const struct contest *c, const struct sched_result *res)
{
	const struct ref *w = &c->w;
	int tasks[REF_NODES], lords[REF_NODES] = {0};
	int64_t used[REF_DIMS];

	for (int n = 0; n < w->node_count; n++)
		tasks[n] = used_by(c, n, NULL, used);
	for (int u = 0; u < w->job_count * REF_ELEMENTS; u++)
		for (int m = 0; w->units[u].state == REF_RUNS && m < ref_shape(w, u)->members; m++)
			if (w->units[u].nodes[m] >= 0)
				lords[w->units[u].nodes[m]] += ref_shape(w, u)->exclusive;
	for (size_t i = 0; i < res->decision_count; i++) {
		const struct sched_decision *d = &res->decisions[i];
		int unit = contest_unit(d), sign = d->kind == SCHED_START ? 1 : -1;

		for (int m = 0; m < ref_shape(w, unit)->members; m++) {
			int node = sign > 0 ? node_of(d, (size_t)m) : w->units[unit].nodes[m];

			if (node < 0)
				continue;
			tasks[node] += sign;
			lords[node] += sign * ref_shape(w, unit)->exclusive;
		}
	}
	for (int n = 0; n < w->node_count; n++)
		if (lords[n] > 0 && tasks[n] > 1)
			return "a node of an exclusive job has another job";
	return NULL;
}

/* A node that a job keeps for its user has no job of another user. */
static const char *check_kept(const struct contest *c, const struct sched_result *res)
{
	const struct ref *w = &c->w;
	bool has[REF_NODES][REF_UNITS] = {{false}};

	for (int u = 0; u < w->job_count * REF_ELEMENTS; u++)
		for (int m = 0; w->units[u].state == REF_RUNS && m < ref_shape(w, u)->members; m++)
			if (w->units[u].nodes[m] >= 0)
				has[w->units[u].nodes[m]][u] = true;
	for (size_t i = 0; i < res->decision_count; i++) {
		const struct sched_decision *d = &res->decisions[i];
		int unit = contest_unit(d), start = d->kind == SCHED_START;

		for (int m = 0; m < ref_shape(w, unit)->members; m++) {
			int node = start ? node_of(d, (size_t)m) : w->units[unit].nodes[m];

			if (node >= 0)
				has[node][unit] = start;
		}
	}
	for (int n = 0; n < w->node_count; n++)
		for (int u = 0; u < w->job_count * REF_ELEMENTS; u++)
			for (int v = 0; has[n][u] && v < u; v++)
				if (has[n][v] && !ref_share(w, u, v))
					return "a node of a job that keeps it has a job of another user";
	return NULL;
}

/* The started jobs without the last gang must be within the limits of a round. */
static const char *check_limits(const struct contest *c, const struct sched_result *res,
				const struct ref_shares *shares)
{
	const struct ref_policy *p = &c->w.policy;
	double sums[REF_DIMS] = {0}, last[REF_DIMS] = {0};
	int tasks = 0;

	for (size_t i = 0; i < res->decision_count; i++) {
		const struct sched_decision *d = &res->decisions[i];

		for (int k = 0; k < REF_DIMS && d->kind == SCHED_START; k++)
			last[k] = 0;
		for (size_t m = 0; m < d->node_count; m++) {
			const struct ref_part *part = ref_part(&c->w, contest_unit(d), (int)m);

			for (int k = 0; d->nodes[m] && k < REF_DIMS; k++) {
				sums[k] += (double)part->request[k];
				last[k] += (double)part->request[k];
			}
			tasks += d->nodes[m] != NULL;
		}
	}
	if ((p->jobs_per_round && tasks > p->jobs_per_round) ||
	    (p->rate.burst > 0 && tasks > p->rate.burst))
		return "the round started more tasks than max_jobs_per_round";
	for (int k = 0; k < REF_DIMS; k++)
		if (p->per_round[k] >= 0 && sums[k] - last[k] > p->per_round[k] * shares->total[k])
			return "the round started more resources than max_resource_fraction_per_round";
	return NULL;
}

static const char *check_start(const struct contest *c, const struct sched_result *res,
			       const struct sched_decision *d)
{
	const struct ref *w = &c->w;
	const struct ref_job *j = &w->jobs[contest_unit(d) / REF_ELEMENTS];
	int up = 0;

	if (w->units[contest_unit(d)].state != REF_WAITS || j->held || w->queues[j->queue].cordoned)
		return "a unit was started that is not pending, or is held";
	for (int e = 0; e < REF_ELEMENTS; e++)
		up += w->units[contest_unit(d) / REF_ELEMENTS * REF_ELEMENTS + e].state == REF_RUNS;
	for (size_t i = 0; i < res->decision_count; i++) {
		up += res->decisions[i].kind == SCHED_START && res->decisions[i].job == d->job;
		if (&res->decisions[i] != d && contest_unit(&res->decisions[i]) == contest_unit(d))
			return "there are two decisions about a unit";
	}
	return j->throttle && up > j->throttle
		       ? "more elements of an array run than its throttle allows"
		       : NULL;
}

/* The counts that the round reports for each queue. */
static const char *check_counts(const struct contest *c, const struct sched_result *res)
{
	for (size_t q = 0; q < res->share_count; q++) {
		const struct sched_share *share = &res->shares[q];
		uint64_t started = 0, preempted = 0;

		for (size_t i = 0; i < res->decision_count; i++) {
			const struct sched_decision *d = &res->decisions[i];

			if (strcmp(contest_queues[c->w.jobs[contest_unit(d) / REF_ELEMENTS].queue],
				   share->queue) != 0)
				continue;
			started += d->kind == SCHED_START;
			preempted += d->kind == SCHED_PREEMPT;
		}
		if (share->started != started || share->preempted != preempted)
			return "the counts of a queue are wrong";
	}
	return NULL;
}

const char *contest_check_decisions(const struct contest *c, const struct sched_result *res,
				    const struct ref_shares *shares)
{
	const char *wrong = check_room(c, res);

	wrong = wrong ? wrong : check_alone(c, res);
	wrong = wrong ? wrong : check_kept(c, res);
	wrong = wrong ? wrong : check_limits(c, res, shares);
	wrong = wrong ? wrong : check_counts(c, res);
	for (size_t i = 0; i < res->decision_count && !wrong; i++) {
		const struct sched_decision *d = &res->decisions[i];

		if (d->kind == SCHED_PREEMPT) {
			wrong = check_victim(c, d, shares);
			continue;
		}
		wrong = check_place(c, d);
		wrong = wrong ? wrong : check_start(c, res, d);
	}
	return wrong;
}
