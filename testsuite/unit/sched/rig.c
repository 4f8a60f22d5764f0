/*
 * Loads the plugins of a policy from the build tree and makes a scheduler with them. Prints
 * decisions and reservations as text.
 */
#include "unit/sched/rig.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void load(struct plugin *p, enum armada_plugin_kind kind, const char *name)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	struct err err;
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s/plugins/%s", build ? build : ".", plugin_kind_name(kind));
	if (plugin_load(p, dir, kind, name, &err))
		bail("%s", err.text);
}

static void set(struct armada_option_value *v, enum armada_option_type type,
		const struct rig_option *o)
{
	v->set = true;
	if (type == ARMADA_OPTION_DOUBLE)
		v->d = o->number;
	else
		v->i = (int64_t)o->number;
	v->pairs = o->pairs;
	v->count = o->count;
}

/* The policy's values for this plugin's options; the others keep their defaults. */
static void set_options(struct plugin *p, struct armada_option_value *values,
			const struct rig_policy *policy)
{
	const struct armada_plugin *d = p->desc;

	for (size_t i = 0; i < d->option_count; i++) {
		values[i] = p->values[i];
		for (size_t k = 0; k < policy->option_count; k++)
			if (strcmp(d->options[i].name, policy->options[k].name) == 0)
				set(&values[i], d->options[i].type, &policy->options[k]);
	}
	plugin_set_values(p, values);
}

void rig_init_policy(struct rig *r, const struct rig_policy *p)
{
	static const char *const resources[] = {"cpu", "memory", "gpu", "fpga",
						"r4",  "r5",     "r6",  "r7"};
	struct plugin *plugins[] = {&r->fairness, &r->order, &r->preempt, &r->select};
	struct sched_config config = {.resources = resources,
				      .resource_count = RIG_RESOURCES + p->more,
				      .classes = p->classes,
				      .class_count = p->class_count,
				      .limits = p->limits,
				      .partial_gangs = p->partial_gangs,
				      .fairness = &r->fairness,
				      .order = &r->order,
				      .preempt = &r->preempt,
				      .select = &r->select};
	struct err err;

	load(&r->fairness, ARMADA_PLUGIN_FAIRNESS, p->fairness ? p->fairness : "drf");
	load(&r->order, ARMADA_PLUGIN_ORDER, p->order ? p->order : "progressive");
	load(&r->preempt, ARMADA_PLUGIN_PREEMPT, p->preempt ? p->preempt : "none");
	load(&r->select, ARMADA_PLUGIN_SELECT, p->select ? p->select : "binpack");
	for (size_t i = 0; i < ARRAY_SIZE(plugins); i++)
		set_options(plugins[i], r->values[i], p);
	r->s = sched_new(&config, &err);
	if (!r->s)
		bail("%s", err.text);
}

void rig_init(struct rig *r)
{
	static const struct sched_class classes[] = {{"low", 0, true, true, {0}, false},
						     {"mid", 1000, true, true, {0}, false},
						     {"high", 2000, false, false, {0}, false}};
	struct rig_policy policy = {.classes = classes, .class_count = ARRAY_SIZE(classes)};

	rig_init_policy(r, &policy);
}

void rig_init_fairshare(struct rig *r, const struct sched_class *classes, size_t count,
			double protected_fraction)
{
	struct rig_policy policy = {
		.preempt = "fairshare",
		.options = {{"protected_fraction", protected_fraction, NULL, 0}},
		.option_count = 1,
		.classes = classes,
		.class_count = count};

	rig_init_policy(r, &policy);
}

void rig_done(struct rig *r)
{
	sched_free(r->s);
	plugin_free(&r->fairness);
	plugin_free(&r->order);
	plugin_free(&r->preempt);
	plugin_free(&r->select);
}

char *rig_decisions(const struct sched_result *result)
{
	struct buf b = {0};

	buf_addstr(&b, "");
	for (size_t i = 0; i < result->decision_count; i++) {
		const struct sched_decision *d = &result->decisions[i];

		buf_addf(&b, "%s%s%llu.%u", i ? " " : "", d->kind == SCHED_PREEMPT ? "-" : "",
			 (unsigned long long)d->job, d->element);
		for (size_t n = 0; n < d->node_count; n++)
			buf_addf(&b, "%c%s", n ? ',' : '@', d->nodes[n]);
		if (d->limit_us)
			buf_addf(&b, " for %llds", (long long)(d->limit_us / 1000000));
	}
	return (char *)buf_take(&b, NULL);
}

void rig_tell_reservation(const struct sched_reservation *v, struct buf *out)
{
	uint32_t uses[140] = {0}; /* enough for every test */

	if (!v)
		return;
	buf_addf(out, " | %llu.%u at %lld", (unsigned long long)(v->job & ~SCHED_TASK_IDS),
		 v->element, (long long)v->start_us);
	for (size_t i = 0; i < v->node_count; i++)
		uses[atoi(v->nodes[i].name + 1)] = v->nodes[i].members;
	for (int n = 0; n < (int)ARRAY_SIZE(uses); n++)
		if (uses[n])
			buf_addf(out, " n%d*%u", n, uses[n]);
}

void rig_accept(struct sched *s, const struct sched_decision *d)
{
	if (d->kind == SCHED_START)
		sched_run(s, d->job, d->element, (const char *const *)d->nodes, 1);
	if (d->kind == SCHED_START && d->limit_us)
		sched_limit(s, d->job, d->element, d->limit_us);
}
