/*
 * Random worlds with all features: policies, limits, gangs of several classes, some with a minimum
 * of members, labels, taints, lists of nodes, arrays, nodes that are removed and return, members
 * that end one by one, a time budget, decisions that the core does not accept. Two schedulers must
 * decide as the referee does (contest.h).
 *
 *	mixed_worlds [FIRST-SEED [COUNT]]
 */
#include "unit/sched/contest.h"
#include "util/mem.h"

#include <string.h>

enum { ROUNDS = 7, WORLDS = 250, FEW = 8 };

/* Seeds that have found a defect; a change of the random draws makes them useless. */
static const uint64_t kept[] = {609, 2415, 5779, 20922, 29502, 33786, 41690, 43158, 87253};

static const char values[][REF_NAME] = {"v1", "v0", "w"};
static const char hosts[][REF_NAME] = {"h0",  "h1",  "h2",  "h3",  "h4",  "h5",  "h6",  "h7",
				       "h8",  "h9",  "h10", "h11", "h12", "h13", "h14", "h15",
				       "h16", "h17", "h18", "h19", "h20", "h21", "h22", "h23",
				       "h24", "h25", "h26", "h27", "h28", "h29", "h30", "h31",
				       "h32", "h33", "h34", "h35", "h36", "h37", "h38"};

static void no_limit(double *limit)
{
	for (int d = 0; d < REF_DIMS; d++)
		limit[d] = -1;
}

static void draw_limit(struct contest *c, int one_in, double *limit)
{
	no_limit(limit);
	if (!contest_one_in(c, one_in))
		return;
	for (int d = 0; d < REF_DIMS; d++)
		if (contest_one_in(c, 2))
			limit[d] = (1 + contest_draw(c, 12)) / 8.0;
}

static void draw_rate(struct contest *c, int one_in, struct ref_rate *r)
{
	if (!contest_one_in(c, one_in))
		return;
	r->rate = contest_draw(c, 5) / 2.0;
	r->burst = 1 + contest_draw(c, 8);
}

static void draw_fairness(struct contest *c)
{
	static const double drf[] = {1, 1, 1, 0}, asset[] = {1, 0, 1, 0};
	struct ref_policy *p = &c->w.policy;

	p->asset = contest_one_in(c, 3);
	memcpy(p->counts, p->asset ? asset : drf, sizeof(p->counts));
	for (int d = 0; d < REF_DIMS && contest_one_in(c, 2); d++)
		p->counts[d] = contest_draw(c, 5) / 2.0;
	c->plugins[0] = p->asset ? "asset" : "drf";
}

static void draw_policy(struct contest *c)
{
	static const char *const preempts[] = {"none", "urgency", "fairshare"};
	static const char *const selects[] = {"binpack", "queuepack", "spread"};
	struct ref_policy *p = &c->w.policy;
	int limits = contest_one_in(c, 2) ? 4 : 1000;

	draw_fairness(c);
	p->preempt = contest_one_in(c, 2) ? contest_draw(c, 3) : REF_FAIRSHARE;
	p->select = contest_one_in(c, 3) ? contest_draw(c, 3) : REF_BINPACK;
	c->plugins[2] = preempts[p->preempt];
	c->plugins[3] = selects[p->select];
	p->prefer_large = contest_one_in(c, 3);
	p->partial = contest_one_in(c, 2);
	p->protected_fraction = contest_draw(c, 5) / 2.0;
	p->backfill = contest_one_in(c, 2);
	c->timed = p->backfill && contest_one_in(c, 2);
	c->eviction_probability = contest_one_in(c, 6) ? 0.5 : 1;
	c->fpga = contest_one_in(c, 2);
	c->refuse = contest_one_in(c, 3) ? 6 : 0;
	if (contest_one_in(c, limits))
		p->jobs_per_round = 1 + contest_draw(c, 12);
	if (contest_one_in(c, limits))
		p->lookback = 1 + contest_draw(c, 12);
	draw_limit(c, limits, p->per_round);
	draw_rate(c, limits, &p->rate);
	draw_rate(c, limits, &p->queue_rate);
	draw_rate(c, limits, &p->preempt_rate);
}

static void draw_classes(struct contest *c)
{
	static const struct ref_class classes[REF_CLASSES] = {{0, true, true, {0}},
							      {10, true, false, {0}},
							      {10, true, true, {0}},
							      {20, false, true, {0}},
							      {30, false, false, {0}}};
	int limits = contest_one_in(c, 4) ? 3 : 1000;

	memcpy(c->w.classes, classes, sizeof(classes));
	for (int k = 0; k < REF_CLASSES; k++)
		draw_limit(c, limits, c->w.classes[k].limit);
}

static bool third_in(struct contest *c, int n)
{
	return contest_third(c, n) == 0;
}

/* Absolute limits, in some worlds; the worlds of the kept seeds have none. */
static void draw_quota(struct contest *c, int one_in, struct ref_quota *m)
{
	*m = contest_no_quota;
	if (!c->users || !third_in(c, one_in))
		return;
	if (third_in(c, 2))
		m->running = contest_third(c, 6);
	if (third_in(c, 3))
		m->amounts[0] = 500 * contest_third(c, 40);
	if (third_in(c, 6))
		m->amounts[1] = RIG_G * contest_third(c, 20);
	if (third_in(c, 6))
		m->amounts[2] = contest_third(c, 4);
}

/* Limits of accounts, in worlds with absolute limits. */
static void draw_account(struct contest *c, struct ref_quota *m)
{
	*m = contest_no_quota;
	if (!c->users || contest_fourth(c, 3))
		return;
	if (!contest_fourth(c, 2))
		m->running = contest_fourth(c, 8);
	if (!contest_fourth(c, 3))
		m->amounts[0] = 500 * contest_fourth(c, 50);
	if (!contest_fourth(c, 6))
		m->amounts[1] = RIG_G * contest_fourth(c, 24);
}

static void draw_users(struct contest *c)
{
	for (int i = 1; i <= REF_ACCOUNTS; i++) {
		draw_account(c, &c->w.accounts[i]);
		draw_account(c, &c->w.each[i]);
	}
	draw_quota(c, 3, &c->w.user_quota);
	for (int i = 1; i <= REF_USERS; i++)
		draw_quota(c, 4, &c->w.named[i]);
	contest_tell_users(c);
}

/* Limits of classes in the queue, in worlds with absolute limits. */
static void draw_own(struct contest *c, struct ref_queue *q)
{
	memset(q->own, 0, sizeof(q->own));
	for (int k = 0; c->users && k < REF_CLASSES; k++) {
		q->own[k].said = third_in(c, 6);
		no_limit(q->own[k].of);
		for (int d = 0; q->own[k].said && d < REF_DIMS; d++)
			if (third_in(c, 2))
				q->own[k].of[d] = contest_third(c, 12) / 8.0;
	}
}

static void draw_queue(struct contest *c, int queue)
{
	struct ref_queue *q = &c->w.queues[queue];

	q->factor = 1 + contest_draw(c, 3);
	q->cordoned = contest_one_in(c, 10);
	draw_limit(c, 8, q->limit);
	draw_quota(c, 3, &q->quota);
	draw_quota(c, 3, &q->user_quota);
	draw_own(c, q);
	contest_tell_queue(c, queue);
}

static void draw_taint(struct contest *c, struct ref_taint *t)
{
	strcpy(t->key, contest_one_in(c, 2) ? "t" : "u");
	strcpy(t->value, contest_one_in(c, 2) ? "x" : "y");
	t->soft = contest_one_in(c, 4);
}

static void draw_node(struct contest *c, int node)
{
	struct ref_node *n = &c->w.nodes[node];

	n->total[0] = 1000 * (1 + contest_draw(c, 9));
	n->total[1] = RIG_G * (1 + contest_draw(c, 9));
	n->total[2] = contest_draw(c, 3);
	n->total[3] = c->fpga ? contest_draw(c, 3) : 0;
	memset(n->labels, 0, sizeof(n->labels));
	for (int k = 0; k < 2; k++)
		if (!contest_one_in(c, 4))
			strcpy(n->labels[k], values[contest_draw(c, 3)]);
	if (contest_one_in(c, 3))
		strcpy(n->labels[2], hosts[contest_draw(c, ARRAY_SIZE(hosts))]);
	memset(n->taints, 0, sizeof(n->taints));
	n->taint_count = contest_one_in(c, 6) ? 1 + contest_draw(c, REF_LISTED) : 0;
	for (int i = 0; i < n->taint_count; i++)
		draw_taint(c, &n->taints[i]);
	n->up = !contest_one_in(c, 10);
}

/*
 * In some worlds there are more nodes than in a block of the node index, all of one kind and size.
 */
static void draw_nodes(struct contest *c)
{
	bool many = contest_one_in(c, 24), alike = contest_one_in(c, 6);

	c->w.node_count = many ? 66 + contest_draw(c, REF_NODES - 66) : 1 + contest_draw(c, FEW);
	for (int n = 0; n < c->w.node_count; n++) {
		draw_node(c, n);
		if (alike && n)
			c->w.nodes[n] = c->w.nodes[0];
		c->w.nodes[n].present = !contest_one_in(c, 8);
	}
	contest_tell_nodes(c);
}

static void draw_selectors(struct contest *c, struct ref_part *p)
{
	p->selector_count = contest_one_in(c, 6) ? 1 + contest_draw(c, REF_LISTED) : 0;
	for (int i = 0; i < p->selector_count; i++) {
		struct ref_selector *s = &p->selectors[i];

		s->key = contest_draw(c, REF_KEYS);
		if (!contest_one_in(c, 4))
			strcpy(s->value, s->key == 2 ? hosts[contest_draw(c, ARRAY_SIZE(hosts))]
						     : values[contest_draw(c, 3)]);
		s->negate = contest_one_in(c, s->key == 2 ? 2 : 4);
	}
	p->toleration_count = contest_one_in(c, 3) ? 1 + contest_draw(c, REF_LISTED) : 0;
	for (int i = 0; i < p->toleration_count; i++) {
		struct ref_toleration *t = &p->tolerations[i];

		if (!contest_one_in(c, 4))
			strcpy(t->key, contest_one_in(c, 2) ? "t" : "u");
		strcpy(t->value, contest_one_in(c, 2) ? "x" : "y");
		t->exists = contest_one_in(c, 2);
	}
}

static int draw_listed(struct contest *c)
{
	return contest_one_in(c, 12) ? REF_NODES : contest_draw(c, c->w.node_count);
}

static void draw_lists(struct contest *c, struct ref_part *p)
{
	p->include_count = contest_one_in(c, 20) ? 1 + contest_draw(c, REF_LISTED) : 0;
	for (int i = 0; i < p->include_count; i++)
		p->include[i] = draw_listed(c);
	p->exclude_count = contest_one_in(c, 12) ? 1 + contest_draw(c, REF_LISTED) : 0;
	for (int i = 0; i < p->exclude_count; i++)
		p->exclude[i] = draw_listed(c);
}

static void draw_part(struct contest *c, struct ref_part *p)
{
	p->request[0] = 500 * (1 + contest_draw(c, 10));
	p->request[1] = RIG_G / 2 * contest_draw(c, 8);
	p->request[2] = contest_one_in(c, 5);
	p->request[3] = c->fpga && contest_one_in(c, 6);
	p->class = contest_draw(c, REF_CLASSES);
	p->members = 1;
	draw_selectors(c, p);
	draw_lists(c, p);
}

/* Each part has a minimum of its own. */
static void draw_minima(struct contest *c, struct ref_shape *s)
{
	s->min = 0;
	for (int i = 0; i < s->part_count; i++)
		s->min += s->parts[i].min = 1 + contest_seventh(c, s->parts[i].members);
}

static void draw_shape(struct contest *c, struct ref_shape *s)
{
	bool scavenges;

	memset(s, 0, sizeof(*s));
	s->part_count = 1;
	draw_part(c, &s->parts[0]);
	s->uniform = -1;
	s->exclusive = contest_one_in(c, 10);
	scavenges = c->lends && !s->exclusive && contest_fifth(c, 4) == 0;
	if (contest_one_in(c, 3)) {
		s->part_count = contest_one_in(c, 2) ? 1 + contest_draw(c, REF_PARTS) : 1;
		for (int i = 1; i < s->part_count; i++)
			if (contest_one_in(c, 4))
				memcpy(&s->parts[i], &s->parts[i - 1], sizeof(s->parts[i]));
			else
				draw_part(c, &s->parts[i]);
		for (int i = 0; i < s->part_count; i++)
			s->parts[i].members = 1 + contest_draw(c, REF_MEMBERS / s->part_count);
	}
	for (int i = 0; i < s->part_count; i++)
		s->members += s->parts[i].members;
	s->min = s->members;
	for (int i = 0; scavenges && i < s->part_count; i++)
		s->parts[i].class = REF_SCAVENGE;
	if (s->members == 1)
		return;
	if (contest_one_in(c, 3))
		s->min = 1 + contest_draw(c, s->members);
	s->distinct = contest_one_in(c, 3);
	s->uniform = contest_one_in(c, 3) ? contest_draw(c, REF_KEYS) : -1;
	if (c->minima && s->part_count > 1 && contest_seventh(c, 2) == 0)
		draw_minima(c, s);
}

/* The job is the first extra task of a running job, with others after it, in some worlds. */
static void submit_extras(struct contest *c, int job)
{
	int count = 1 + contest_sixth(c, 3);

	c->w.jobs[job].elements = c->w.jobs[job].throttle = 0;
	c->w.jobs[job].least = 0;
	for (int i = 0; i < count && c->w.job_count < REF_JOBS; i++) {
		int extra = c->w.job_count++;

		c->w.jobs[extra] = c->w.jobs[job];
		c->w.jobs[extra].turn = i + 1;
		contest_tell_job(c, extra);
		contest_wait(c, extra * REF_ELEMENTS);
	}
}

static void submit(struct contest *c)
{
	int job = c->w.job_count;
	struct ref_job *j = &c->w.jobs[job];
	struct ref_shape s;

	if (job == REF_JOBS)
		return;
	*j = (struct ref_job){.present = true};
	j->queue = contest_draw(c, REF_QUEUES);
	if (c->w.shape_count && !contest_one_in(c, 3)) {
		j->shape = contest_draw(c, c->w.shape_count);
	} else {
		draw_shape(c, &s);
		j->shape = contest_shape(c, &s);
	}
	j->throttle = contest_one_in(c, 4) ? 1 + contest_draw(c, REF_ELEMENTS) : 0;
	j->priority = contest_draw(c, 3) - 1;
	j->submit = contest_draw(c, 5);
	if (c->timed && contest_one_in(c, 2))
		j->limit = 500000 * (1 + contest_draw(c, 8));
	j->elements = 1;
	if (c->users && j->limit >= 1000000 && third_in(c, 2))
		j->least = 1000000 * (1 + contest_third(c, (int)(j->limit / 1000000)));
	if (c->users) {
		j->user = contest_third(c, REF_USERS + 1);
		j->elements += third_in(c, 6);
		j->account = contest_fourth(c, REF_ACCOUNTS + 1);
		j->replacement = c->w.shapes[j->shape].members == 1 && third_in(c, 12);
		j->elements = j->replacement ? 1 : j->elements;
		j->throttle = j->replacement ? 0 : j->throttle;
		j->keeps = c->keepers && j->user && third_in(c, c->keepers) &&
			   c->w.shapes[j->shape].parts[0].class != REF_SCAVENGE;
	}
	if (c->grows && !j->replacement && c->w.shapes[j->shape].members == 1 &&
	    contest_sixth(c, 3) == 0) {
		submit_extras(c, job);
		return;
	}
	c->w.job_count++;
	contest_tell_job(c, job);
	if (j->replacement) {
		contest_wait(c, job * REF_ELEMENTS);
		return;
	}
	for (int e = contest_one_in(c, 3) ? contest_draw(c, REF_ELEMENTS) : 0; e >= 0; e--)
		if (!contest_one_in(c, 6))
			contest_wait(c, job * REF_ELEMENTS + e);
	if (contest_one_in(c, 12))
		contest_hold(c, job, true);
}

static void end_members(struct contest *c, int unit)
{
	for (int m = 0; m < ref_shape(&c->w, unit)->members; m++)
		if (c->w.units[unit].nodes[m] >= 0 && contest_one_in(c, 2))
			contest_member_end(c, unit, m);
}

static void change_unit(struct contest *c, int unit)
{
	bool runs = c->w.units[unit].state == REF_RUNS;

	if (runs && c->users && third_in(c, 20))
		contest_yield(c, unit);
	if (runs && c->users && c->w.units[unit].elements > 1 && third_in(c, 4))
		contest_left(c, unit, 1);
	if (runs && contest_one_in(c, 5)) {
		contest_end(c, unit);
		if (contest_one_in(c, 4))
			contest_wait(c, unit);
	} else if (runs && contest_one_in(c, 10)) {
		end_members(c, unit);
	} else if (runs && contest_one_in(c, 16)) {
		contest_pin(c, unit, !c->w.units[unit].pinned);
	} else if (c->w.units[unit].state == REF_WAITS && contest_one_in(c, 24)) {
		contest_unwait(c, unit);
	}
}

static void change_job(struct contest *c, int job)
{
	bool runs = false;

	if (!c->w.jobs[job].present)
		return;
	for (int e = 0; e < REF_ELEMENTS; e++) {
		change_unit(c, job * REF_ELEMENTS + e);
		runs = runs || c->w.units[job * REF_ELEMENTS + e].state == REF_RUNS;
	}
	if (contest_one_in(c, 16))
		contest_hold(c, job, !c->w.jobs[job].held);
	else if (!runs && contest_one_in(c, 30))
		contest_remove_job(c, job);
}

static void change_node(struct contest *c, int node)
{
	struct ref_node *n = &c->w.nodes[node];

	if (contest_one_in(c, 24)) {
		draw_node(c, node);
		contest_tell_node(c, node);
	} else if (contest_one_in(c, 16)) {
		n->up = !n->up;
		contest_tell_node(c, node);
	} else if (n->present && contest_one_in(c, 24)) {
		contest_drop_node(c, node);
	}
}

static void change(struct contest *c)
{
	for (int job = 0; job < c->w.job_count; job++)
		change_job(c, job);
	for (int n = 0; n < c->w.node_count; n++)
		change_node(c, n);
	for (int q = 0; q < REF_QUEUES; q++)
		if (contest_one_in(c, 12))
			draw_queue(c, q);
	if (c->users && third_in(c, 8))
		draw_users(c);
	for (int i = contest_draw(c, c->w.node_count > FEW ? 28 : 18); i > 0; i--)
		submit(c);
	c->now_us += 500000 * contest_draw(c, 5);
	c->budget = contest_one_in(c, 8) ? contest_draw(c, 6) : -1;
}

static bool play(struct contest *c)
{
	bool good = true;

	c->users = third_in(c, 2);
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		c->users = c->users && c->seed != kept[i];
	c->keepers = c->users && third_in(c, 2) ? 2 + contest_third(c, 8) : 0;
	c->lends = contest_fifth(c, 2) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		c->lends = c->lends && c->seed != kept[i];
	c->grows = contest_sixth(c, 2) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		c->grows = c->grows && c->seed != kept[i];
	c->minima = contest_seventh(c, 2) == 0;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		c->minima = c->minima && c->seed != kept[i];
	draw_policy(c);
	draw_classes(c);
	contest_open(c);
	draw_users(c);
	draw_nodes(c);
	for (int q = 0; q < REF_QUEUES; q++)
		draw_queue(c, q);
	for (int r = 0; r < ROUNDS && good; r++) {
		change(c);
		good = contest_round(c);
	}
	return good;
}

int main(int argc, char **argv)
{
	return contest_main(argc, argv, play, kept, ARRAY_SIZE(kept), WORLDS);
}
