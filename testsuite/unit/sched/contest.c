/*
 * The part of the harness that makes two schedulers and reports nodes, queues, jobs and their
 * changes to both. Random numbers come from three streams (contest.h).
 */
#include "unit/sched/contest.h"
#include "sched/round/round.h"
#include "util/mem.h"

#include <string.h>

/* The last name is that of a node that never exists. */
const char *const contest_names[REF_NODES + 1] = {
	"n0",   "n1",   "n2",   "n3",   "n4",   "n5",   "n6",   "n7",   "n8",   "n9",   "n10",
	"n11",  "n12",  "n13",  "n14",  "n15",  "n16",  "n17",  "n18",  "n19",  "n20",  "n21",
	"n22",  "n23",  "n24",  "n25",  "n26",  "n27",  "n28",  "n29",  "n30",  "n31",  "n32",
	"n33",  "n34",  "n35",  "n36",  "n37",  "n38",  "n39",  "n40",  "n41",  "n42",  "n43",
	"n44",  "n45",  "n46",  "n47",  "n48",  "n49",  "n50",  "n51",  "n52",  "n53",  "n54",
	"n55",  "n56",  "n57",  "n58",  "n59",  "n60",  "n61",  "n62",  "n63",  "n64",  "n65",
	"n66",  "n67",  "n68",  "n69",  "n70",  "n71",  "n72",  "n73",  "n74",  "n75",  "n76",
	"n77",  "n78",  "n79",  "n80",  "n81",  "n82",  "n83",  "n84",  "n85",  "n86",  "n87",
	"n88",  "n89",  "n90",  "n91",  "n92",  "n93",  "n94",  "n95",  "n96",  "n97",  "n98",
	"n99",  "n100", "n101", "n102", "n103", "n104", "n105", "n106", "n107", "n108", "n109",
	"n110", "n111", "n112", "n113", "n114", "n115", "n116", "n117", "n118", "n119", "n120",
	"n121", "n122", "n123", "n124", "n125", "n126", "n127", "n128", "n129", "n130", "n131",
	"n132", "n133", "n134", "n135", "n136", "n137", "n138", "n139", "nx"};
const char *const contest_queues[REF_QUEUES] = {"a", "b", "c", "d"};
const char *const contest_users[REF_USERS + 1] = {NULL, "ann", "bob", "eve"};
const char *const contest_accounts[REF_ACCOUNTS + 1] = {NULL, "phys", "bio"};
const struct ref_quota contest_no_quota = {-1, {-1, -1, -1}};

static uint64_t step(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

int contest_draw(struct contest *c, int below)
{
	return (int)(step(&c->random) % (uint64_t)below);
}

int contest_side(struct contest *c, int below)
{
	return (int)(step(&c->side) % (uint64_t)below);
}

int contest_third(struct contest *c, int below)
{
	return (int)(step(&c->third) % (uint64_t)below);
}

int contest_fifth(struct contest *c, int below)
{
	return (int)(step(&c->fifth) % (uint64_t)below);
}

int contest_sixth(struct contest *c, int below)
{
	return (int)(step(&c->sixth) % (uint64_t)below);
}

int contest_seventh(struct contest *c, int below)
{
	return (int)(step(&c->seventh) % (uint64_t)below);
}

int contest_fourth(struct contest *c, int below)
{
	return (int)(step(&c->fourth) % (uint64_t)below);
}

/* Construction of the schedulers. */

static const char *const classes[REF_CLASSES] = {"low", "fair", "mid", "firm", "high"};

static void add_fraction(const double *limit, struct sched_fraction *ret)
{
	*ret = (struct sched_fraction){0};
	for (int d = 0; d < REF_DIMS; d++)
		if (limit[d] >= 0) {
			ret->limited |= UINT32_C(1) << d;
			ret->of[d] = limit[d];
		}
}

static void add_quota(const struct ref_quota *in, struct quota *ret)
{
	static const enum quota_kind kinds[REF_COUNTED] = {QUOTA_CPU, QUOTA_MEMORY, QUOTA_GPU};

	*ret = (struct quota){0};
	if (in->running >= 0)
		quota_put(ret, QUOTA_RUNNING, in->running);
	for (int d = 0; d < REF_COUNTED; d++)
		if (in->amounts[d] >= 0)
			quota_put(ret, kinds[d], in->amounts[d]);
}

static void make_policy(struct contest *c, struct rig_policy *ret)
{
	static const char *const resources[REF_DIMS] = {"cpu", "memory", "gpu", "fpga"};
	const struct ref_policy *p = &c->w.policy;
	const struct rig_option options[] = {
		{p->asset ? "weights" : "multipliers", 0, c->pairs, REF_DIMS},
		{"prefer_large", p->prefer_large, NULL, 0},
		{"backfill", p->backfill, NULL, 0},
		{"protected_fraction", p->protected_fraction, NULL, 0},
		{"eviction_probability", c->eviction_probability, NULL, 0},
		{"rate", p->preempt_rate.rate, NULL, 0},
		{"burst", p->preempt_rate.burst, NULL, 0}};

	for (int i = 0; i < REF_CLASSES; i++) {
		const struct ref_class *k = &c->w.classes[i];

		c->classes[i] = (struct sched_class){classes[i], k->priority, k->fair,
						     k->urgent,  {0},         false};
		add_fraction(k->limit, &c->classes[i].limit);
	}
	for (int d = 0; d < REF_DIMS; d++)
		c->pairs[d] = (struct armada_option_pair){resources[d], p->counts[d]};
	*ret = (struct rig_policy){.fairness = c->plugins[0],
				   .order = c->plugins[1],
				   .preempt = c->plugins[2],
				   .select = c->plugins[3],
				   .option_count = ARRAY_SIZE(options),
				   .classes = c->classes,
				   .class_count = REF_CLASSES,
				   .partial_gangs = p->partial,
				   .more = c->fpga ? 1 : 0};
	memcpy(ret->options, options, sizeof(options));
	ret->limits.jobs_per_round = (uint64_t)p->jobs_per_round;
	ret->limits.queue_lookback = (uint64_t)p->lookback;
	ret->limits.rate = (struct sched_rate){p->rate.rate, p->rate.burst};
	ret->limits.queue_rate = (struct sched_rate){p->queue_rate.rate, p->queue_rate.burst};
	add_fraction(p->per_round, &ret->limits.per_round);
}

void contest_open(struct contest *c)
{
	struct rig_policy policy;

	make_policy(c, &policy);
	for (int t = 0; t < REF_TWINS; t++)
		rig_init_policy(&c->rigs[t], &policy);
}

void contest_done(struct contest *c)
{
	for (int t = 0; t < REF_TWINS; t++)
		if (c->rigs[t].s)
			rig_done(&c->rigs[t]);
}

/* Nodes and queues. */

static void tell_node(struct contest *c, int node, int t)
{
	static const char *const keys[REF_KEYS] = {"rack", "gen", "host"};
	struct ref_node *n = &c->w.nodes[node];
	struct sched_label labels[REF_KEYS];
	struct sched_taint taints[REF_LISTED];
	struct sched_node in = {.name = contest_names[node],
				.labels = labels,
				.taints = taints,
				.taint_count = (size_t)n->taint_count,
				.schedulable = n->up};

	for (int k = 0; k < REF_KEYS; k++)
		if (*n->labels[k])
			labels[in.label_count++] = (struct sched_label){keys[k], n->labels[k]};
	for (int i = 0; i < n->taint_count; i++)
		taints[i] =
			(struct sched_taint){n->taints[i].key, n->taints[i].value,
					     n->taints[i].soft ? "PreferNoSchedule" : "NoSchedule"};
	memcpy(in.total, n->total, sizeof(n->total));
	sched_node_set(c->rigs[t].s, &in);
}

static bool in_use(const struct contest *c, int node)
{
	for (int u = 0; u < REF_UNITS; u++)
		for (int m = 0; c->w.units[u].state == REF_RUNS && m < REF_MEMBERS; m++)
			if (m < ref_shape(&c->w, u)->members && c->w.units[u].nodes[m] == node)
				return true;
	return false;
}

void contest_tell_node(struct contest *c, int node)
{
	struct ref_node *n = &c->w.nodes[node];
	bool known = n->present || in_use(c, node);

	n->present = true;
	for (int t = 0; t < REF_TWINS; t++) {
		if (!known)
			n->order[t] = c->orders[t]++;
		tell_node(c, node, t);
	}
}

void contest_tell_nodes(struct contest *c)
{
	int order[REF_NODES];

	for (int n = 0; n < c->w.node_count; n++)
		order[n] = n;
	for (int t = 0; t < REF_TWINS; t++) {
		for (int n = c->w.node_count - 1; t && n > 0; n--) {
			int other = contest_side(c, n + 1), was = order[n];

			order[n] = order[other];
			order[other] = was;
		}
		for (int n = 0; n < c->w.node_count; n++) {
			if (!c->w.nodes[order[n]].present)
				continue;
			c->w.nodes[order[n]].order[t] = c->orders[t]++;
			tell_node(c, order[n], t);
		}
	}
}

void contest_drop_node(struct contest *c, int node)
{
	c->w.nodes[node].present = false;
	for (int t = 0; t < REF_TWINS; t++)
		sched_node_remove(c->rigs[t].s, contest_names[node]);
}

void contest_tell_queue(struct contest *c, int queue)
{
	const struct ref_queue *q = &c->w.queues[queue];
	struct sched_class_limit own[REF_CLASSES];
	struct sched_fraction limit;
	struct quota quota, user_quota;
	size_t owns = 0;

	for (int i = 0; i < REF_CLASSES; i++)
		if (q->own[i].said) {
			own[owns].class_name = classes[i];
			add_fraction(q->own[i].of, &own[owns++].limit);
		}
	add_fraction(q->limit, &limit);
	add_quota(&q->quota, &quota);
	add_quota(&q->user_quota, &user_quota);
	for (int t = 0; t < REF_TWINS; t++) {
		sched_queue_set(c->rigs[t].s, contest_queues[queue], q->factor, q->cordoned);
		sched_queue_limit(c->rigs[t].s, contest_queues[queue], &limit);
		sched_queue_quota(c->rigs[t].s, contest_queues[queue], &quota);
		sched_queue_user_quota(c->rigs[t].s, contest_queues[queue], &user_quota);
		sched_queue_class_limits(c->rigs[t].s, contest_queues[queue], own, owns);
	}
}

void contest_tell_users(struct contest *c)
{
	struct sched_user users[REF_USERS];
	struct sched_account accounts[REF_ACCOUNTS];
	struct sched_config config = {
		.users = users, .accounts = accounts, .account_count = REF_ACCOUNTS};

	for (int i = 0; i < REF_ACCOUNTS; i++) {
		accounts[i].name = contest_accounts[i + 1];
		add_quota(&c->w.accounts[i + 1], &accounts[i].quota);
		add_quota(&c->w.each[i + 1], &accounts[i].user_quota);
	}
	add_quota(&c->w.user_quota, &config.user_quota);
	for (int i = 1; i <= REF_USERS; i++) {
		users[config.user_count].name = contest_users[i];
		add_quota(&c->w.named[i], &users[config.user_count].quota);
		config.user_count += users[config.user_count].quota.set != 0;
	}
	for (int t = 0; t < REF_TWINS; t++) {
		accounts_set_limits(&c->rigs[t].s->model, &config);
		users_set_limits(&c->rigs[t].s->model, &config);
	}
}

/* Jobs. */

int contest_shape(struct contest *c, const struct ref_shape *shape)
{
	for (int i = 0; i < c->w.shape_count; i++)
		if (memcmp(&c->w.shapes[i], shape, sizeof(*shape)) == 0)
			return i;
	memcpy(&c->w.shapes[c->w.shape_count], shape, sizeof(*shape));
	return c->w.shape_count++;
}

uint64_t contest_id(const struct contest *c, int job)
{
	const struct ref_job *j = &c->w.jobs[job];

	return ((uint64_t)job + 1) | (j->replacement || j->turn ? SCHED_TASK_IDS : 0);
}

/* The request of a part, and the arrays that it points to. */
struct said {
	struct sched_job part;
	struct sched_selector selectors[REF_LISTED];
	struct sched_toleration tolerations[REF_LISTED];
	const char *include[REF_LISTED], *exclude[REF_LISTED];
};

static void say_part(const struct contest *c, const struct ref_part *p, struct said *ret)
{
	static const char *const keys[REF_KEYS] = {"rack", "gen", "host"};

	*ret = (struct said){.part = {.class_name = c->classes[p->class % REF_CLASSES].name,
				      .members = (uint32_t)p->members,
				      .min_members = (uint32_t)p->min,
				      .selectors = ret->selectors,
				      .selector_count = (size_t)p->selector_count,
				      .tolerations = ret->tolerations,
				      .toleration_count = (size_t)p->toleration_count,
				      .include = ret->include,
				      .include_count = (size_t)p->include_count,
				      .exclude = ret->exclude,
				      .exclude_count = (size_t)p->exclude_count}};
	memcpy(ret->part.request, p->request, sizeof(p->request));
	for (int i = 0; i < p->selector_count; i++)
		ret->selectors[i] =
			(struct sched_selector){keys[p->selectors[i].key], p->selectors[i].value,
						p->selectors[i].negate, false};
	for (int i = 0; i < p->toleration_count; i++)
		ret->tolerations[i] =
			(struct sched_toleration){p->tolerations[i].key,
						  p->tolerations[i].exists ? "Exists" : "Equal",
						  p->tolerations[i].value};
	for (int i = 0; i < p->include_count; i++)
		ret->include[i] = contest_names[p->include[i]];
	for (int i = 0; i < p->exclude_count; i++)
		ret->exclude[i] = contest_names[p->exclude[i]];
}

void contest_tell_job(struct contest *c, int job)
{
	static const char *const keys[REF_KEYS] = {"rack", "gen", "host"};
	const struct ref_job *j = &c->w.jobs[job];
	const struct ref_shape *f = &c->w.shapes[j->shape];
	struct said said[REF_PARTS] = {{.part = {.id = 0}}};
	struct sched_job parts[REF_PARTS], in;
	int low = 0;

	for (int i = 0; i < f->part_count; i++) {
		say_part(c, &f->parts[i], &said[i]);
		parts[i] = said[i].part;
		if (c->w.classes[f->parts[i].class].priority <
		    c->w.classes[f->parts[low].class].priority)
			low = i;
	}
	in = said[low].part;
	if (f->part_count > 1) {
		in.selector_count = in.toleration_count = in.include_count = in.exclude_count = 0;
		in.parts = parts;
		in.part_count = (size_t)f->part_count;
	}
	in.id = contest_id(c, job);
	in.user = contest_users[j->user];
	in.account = contest_accounts[j->account];
	in.elements = (uint32_t)j->elements;
	in.queue = contest_queues[j->queue];
	in.priority = j->priority;
	in.submit_us = j->submit;
	in.time_limit_us = j->limit;
	in.time_min_us = j->least;
	in.members = (uint32_t)f->members;
	in.min_members = (uint32_t)f->min;
	in.distinct = f->distinct;
	in.exclusive = f->exclusive;
	in.exclusive_user = j->keeps;
	in.scavenge = f->parts[0].class == REF_SCAVENGE;
	in.uniformity = f->uniform >= 0 ? keys[f->uniform] : NULL;
	in.throttle = (uint32_t)j->throttle;
	in.turn = (uint32_t)j->turn;
	for (int t = 0; t < REF_TWINS; t++)
		sched_job_add(c->rigs[t].s, &in);
}

static uint64_t id_of(const struct contest *c, int unit)
{
	return contest_id(c, unit / REF_ELEMENTS);
}

static uint32_t element_of(int unit)
{
	return (uint32_t)(unit % REF_ELEMENTS);
}

void contest_wait(struct contest *c, int unit)
{
	c->w.units[unit].state = REF_WAITS;
	for (int t = 0; t < REF_TWINS; t++)
		sched_wait(c->rigs[t].s, id_of(c, unit), element_of(unit), element_of(unit), 1);
}

void contest_spare(struct contest *c, int unit, int other)
{
	c->w.units[unit].spares = other + 1;
	for (int t = 0; t < REF_TWINS; t++)
		sched_displaced_for(c->rigs[t].s, id_of(c, unit), element_of(unit), id_of(c, other),
				    element_of(other));
}

void contest_unwait(struct contest *c, int unit)
{
	c->w.units[unit].state = REF_NONE;
	for (int t = 0; t < REF_TWINS; t++)
		sched_unwait(c->rigs[t].s, id_of(c, unit), element_of(unit), element_of(unit));
}

void contest_end(struct contest *c, int unit)
{
	c->w.units[unit].state = REF_NONE;
	c->w.units[unit].pinned = false;
	memset(c->w.units[unit].yields, 0, sizeof(c->w.units[unit].yields));
	for (int t = 0; t < REF_TWINS; t++)
		sched_end(c->rigs[t].s, id_of(c, unit), element_of(unit));
}

void contest_member_end(struct contest *c, int unit, int member)
{
	c->w.units[unit].nodes[member] = -1;
	for (int t = 0; t < REF_TWINS; t++)
		sched_member_end(c->rigs[t].s, id_of(c, unit), element_of(unit), (uint32_t)member);
}

void contest_pin(struct contest *c, int unit, bool pinned)
{
	c->w.units[unit].pinned = pinned;
	for (int t = 0; t < REF_TWINS; t++)
		sched_pin(c->rigs[t].s, id_of(c, unit), element_of(unit), pinned);
}

void contest_yield(struct contest *c, int unit)
{
	struct ref_unit *u = &c->w.units[unit];

	for (int m = 0; m < ref_shape(&c->w, unit)->members; m++) {
		if (u->nodes[m] < 0)
			continue;
		u->nodes[m] = -1;
		u->yields[m] = true;
		for (int t = 0; t < REF_TWINS; t++)
			sched_member_yield(c->rigs[t].s, id_of(c, unit), element_of(unit),
					   (uint32_t)m);
	}
}

void contest_left(struct contest *c, int unit, int elements)
{
	c->w.units[unit].elements = elements;
	for (int t = 0; t < REF_TWINS; t++)
		sched_elements_left(c->rigs[t].s, id_of(c, unit), element_of(unit),
				    (uint32_t)elements);
}

void contest_hold(struct contest *c, int job, bool held)
{
	c->w.jobs[job].held = held;
	for (int t = 0; t < REF_TWINS; t++)
		sched_job_hold(c->rigs[t].s, contest_id(c, job), held);
}

void contest_remove_job(struct contest *c, int job)
{
	for (int e = 0; e < REF_ELEMENTS; e++) {
		c->w.units[job * REF_ELEMENTS + e].state = REF_NONE;
		c->w.units[job * REF_ELEMENTS + e].spares = 0;
	}
	c->w.jobs[job].present = false;
	for (int t = 0; t < REF_TWINS; t++)
		sched_job_remove(c->rigs[t].s, contest_id(c, job));
}
