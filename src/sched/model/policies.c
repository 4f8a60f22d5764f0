/* The four plugins of a sched, opened and closed. */
#include "sched/model/policies.h"
#include "sched/sched.h"

#include <errno.h>
#include <float.h>

static bool is_amount(double n)
{
	return n >= 0 && n <= DBL_MAX;
}

static int check_preempt(const struct policies *o, struct err *err)
{
	const struct armada_preempt_traits *t = &o->preempt_traits;

	if (is_amount(t->rate) && is_amount(t->burst))
		return 0;
	return err_set(err, -EINVAL, "plugin %s: its rate is %g and its burst %g",
		       o->preempt_plugin->desc->name, t->rate, t->burst);
}

/* The sequence must name each resource once. */
static int check_sequence(struct policies *o, const struct armada_policy *policy, struct err *err)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < policy->resource_count; i++)
		o->sequence[i] = UINT32_MAX;
	o->select->sequence(o->select_handle, o->sequence);
	for (size_t i = 0; i < policy->resource_count; i++) {
		uint32_t r = o->sequence[i];

		if (r >= policy->resource_count || seen & UINT32_C(1) << r)
			return err_set(err, -EINVAL,
				       "plugin %s: its sequence of resources is not one",
				       o->select_plugin->desc->name);
		seen |= UINT32_C(1) << r;
	}
	return 0;
}

static int check_order(const struct plugin *p, struct err *err)
{
	const struct armada_order_ops *ops = p->ops;

	if (ops->before || ops->pick)
		return 0;
	return err_set(err, -EINVAL, "plugin %s: it neither compares nor picks", p->desc->name);
}

/* A plugin may have a NULL handle; its ops pointer says whether it was opened. */
#define OPEN(kind, ...)                                                                            \
	({                                                                                         \
		const struct armada_##kind##_ops *ops = config->kind->ops;                         \
		struct armada_error e = {""};                                                      \
		int failed = ops->open(&o->kind##_handle, config->kind->values, policy,            \
				       ##__VA_ARGS__, &e);                                         \
                                                                                                   \
		if (failed)                                                                        \
			err_set(err, failed, "plugin %s: %s", config->kind->desc->name, e.text);   \
		o->kind = failed ? NULL : ops;                                                     \
		o->kind##_plugin = config->kind;                                                   \
		failed;                                                                            \
	})

int policies_open(struct policies *o, const struct armada_policy *policy,
		  const struct sched_config *config, struct err *err)
{
	int rc = OPEN(fairness);

	if (!rc)
		rc = check_order(config->order, err);
	if (!rc)
		rc = OPEN(order, &o->order_traits);
	if (!rc)
		rc = OPEN(preempt, &o->preempt_traits);
	if (!rc)
		rc = check_preempt(o, err);
	if (!rc)
		rc = OPEN(select);
	return rc ? rc : check_sequence(o, policy, err);
}

void policies_close(struct policies *o)
{
	if (o->fairness)
		o->fairness->close(o->fairness_handle);
	if (o->order)
		o->order->close(o->order_handle);
	if (o->preempt)
		o->preempt->close(o->preempt_handle);
	if (o->select)
		o->select->close(o->select_handle);
}
