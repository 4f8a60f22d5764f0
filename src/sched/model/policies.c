/* The four plugins of a sched, opened and closed. */
#include "sched/model/policies.h"
#include "sched/sched.h"

#include <errno.h>
#include <float.h>

static int refuse(const struct plugin *p, int rc, const struct armada_error *e, struct err *err)
{
	return err_set(err, rc, "plugin %s: %s", p->desc->name, e->text);
}

/* A NULL handle is a plugin's right; whether it was opened is in its ops pointer. */
static int open_fairness(struct policies *o, const struct armada_policy *policy,
			 const struct plugin *p, struct err *err)
{
	const struct armada_fairness_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc = ops->open(&o->fairness_handle, p->values, policy, &e);

	if (rc)
		return refuse(p, rc, &e, err);
	o->fairness = ops;
	o->fairness_plugin = p;
	return 0;
}

static int open_order(struct policies *o, const struct armada_policy *policy,
		      const struct plugin *p, struct err *err)
{
	const struct armada_order_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc;

	if (!ops->before && !ops->pick)
		return err_set(err, -EINVAL, "plugin %s: it neither compares nor picks",
			       p->desc->name);
	rc = ops->open(&o->order_handle, p->values, policy, &o->order_traits, &e);
	if (rc)
		return refuse(p, rc, &e, err);
	o->order = ops;
	o->order_plugin = p;
	return 0;
}

static bool is_amount(double n)
{
	return n >= 0 && n <= DBL_MAX;
}

static int open_preempt(struct policies *o, const struct armada_policy *policy,
			const struct plugin *p, struct err *err)
{
	const struct armada_preempt_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc = ops->open(&o->preempt_handle, p->values, policy, &o->preempt_traits, &e);

	if (rc)
		return refuse(p, rc, &e, err);
	o->preempt = ops;
	o->preempt_plugin = p;
	if (!is_amount(o->preempt_traits.rate) || !is_amount(o->preempt_traits.burst))
		return err_set(err, -EINVAL, "plugin %s: its rate is %g and its burst %g",
			       p->desc->name, o->preempt_traits.rate, o->preempt_traits.burst);
	return 0;
}

static int check_sequence(const struct policies *o, const struct armada_policy *policy,
			  struct err *err)
{
	uint32_t seen = 0;

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

static int open_select(struct policies *o, const struct armada_policy *policy,
		       const struct plugin *p, struct err *err)
{
	const struct armada_select_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc;

	rc = ops->open(&o->select_handle, p->values, policy, &e);
	if (rc)
		return refuse(p, rc, &e, err);
	o->select = ops;
	o->select_plugin = p;
	for (size_t i = 0; i < policy->resource_count; i++)
		o->sequence[i] = UINT32_MAX;
	ops->sequence(o->select_handle, o->sequence);
	return check_sequence(o, policy, err);
}

int policies_open(struct policies *o, const struct armada_policy *policy,
		  const struct sched_config *config, struct err *err)
{
	int rc = open_fairness(o, policy, config->fairness, err);

	if (!rc)
		rc = open_order(o, policy, config->order, err);
	if (!rc)
		rc = open_preempt(o, policy, config->preempt, err);
	return rc ? rc : open_select(o, policy, config->select, err);
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
