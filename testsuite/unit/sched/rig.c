#include "unit/sched/rig.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

static void load(struct plugin *p, enum armada_plugin_kind kind, const char *name)
{
	const char *build = getenv("ARMADA_BUILDDIR");
	struct err err;
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s/plugins/%s/.libs", build ? build : ".",
		 plugin_kind_name(kind));
	if (plugin_load(p, dir, kind, name, &err))
		bail("%s", err.text);
}

static void start(struct rig *r, const struct sched_class *classes, size_t count)
{
	static const char *const resources[] = {"cpu", "memory", "gpu"};
	struct sched_config config = {.resources = resources,
				      .resource_count = RIG_RESOURCES,
				      .classes = classes,
				      .class_count = count,
				      .fairness = &r->fairness,
				      .order = &r->order,
				      .preempt = &r->preempt,
				      .select = &r->select};
	struct err err;

	load(&r->fairness, ARMADA_PLUGIN_FAIRNESS, "drf");
	load(&r->order, ARMADA_PLUGIN_ORDER, "progressive");
	load(&r->select, ARMADA_PLUGIN_SELECT, "binpack");
	r->s = sched_new(&config, &err);
	if (!r->s)
		bail("%s", err.text);
}

void rig_init(struct rig *r)
{
	static const struct sched_class classes[] = {{"low", 0, true, true, {0}},
						     {"mid", 1000, true, true, {0}},
						     {"high", 2000, false, false, {0}}};

	load(&r->preempt, ARMADA_PLUGIN_PREEMPT, "none");
	start(r, classes, ARRAY_SIZE(classes));
}

void rig_init_fairshare(struct rig *r, const struct sched_class *classes, size_t count,
			double protected_fraction)
{
	const struct armada_plugin *d;

	load(&r->preempt, ARMADA_PLUGIN_PREEMPT, "fairshare");
	d = r->preempt.desc;
	for (size_t i = 0; i < d->option_count && i < ARRAY_SIZE(r->preempt_values); i++) {
		r->preempt_values[i] = r->preempt.values[i];
		if (strcmp(d->options[i].name, "protected_fraction") == 0)
			r->preempt_values[i].d = protected_fraction;
	}
	plugin_set_values(&r->preempt, r->preempt_values);
	start(r, classes, count);
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
	}
	return (char *)buf_take(&b, NULL);
}

void rig_accept(struct sched *s, const struct sched_decision *d)
{
	if (d->kind == SCHED_START)
		sched_run(s, d->job, d->element, (const char *const *)d->nodes, 1);
}
