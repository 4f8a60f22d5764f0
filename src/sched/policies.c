/* The four plugins of a sched, opened and closed. */
#include "sched/parts.h"

#include <errno.h>
#include <float.h>

static int refuse(const struct plugin *p, int rc, const struct armada_error *e, struct err *err)
{
	return err_set(err, rc, "plugin %s: %s", p->desc->name, e->text);
}

/* A NULL handle is a plugin's right; whether it was opened is in its ops pointer. */
static int open_fairness(struct sched *s, const struct armada_policy *policy,
			 const struct plugin *p, struct err *err)
{
	const struct armada_fairness_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc = ops->open(&s->fairness_handle, p->values, policy, &e);

	if (rc)
		return refuse(p, rc, &e, err);
	s->fairness = ops;
	s->fairness_plugin = p;
	return 0;
}

static int open_order(struct sched *s, const struct armada_policy *policy, const struct plugin *p,
		      struct err *err)
{
	const struct armada_order_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc;

	if (!ops->before && !ops->pick)
		return err_set(err, -EINVAL, "plugin %s: it neither compares nor picks",
			       p->desc->name);
	rc = ops->open(&s->order_handle, p->values, policy, &s->order_traits, &e);
	if (rc)
		return refuse(p, rc, &e, err);
	s->order = ops;
	s->order_plugin = p;
	return 0;
}

static bool is_amount(double n)
{
	return n >= 0 && n <= DBL_MAX;
}

static int open_preempt(struct sched *s, const struct armada_policy *policy, const struct plugin *p,
			struct err *err)
{
	const struct armada_preempt_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc = ops->open(&s->preempt_handle, p->values, policy, &s->preempt_traits, &e);

	if (rc)
		return refuse(p, rc, &e, err);
	s->preempt = ops;
	s->preempt_plugin = p;
	if (!is_amount(s->preempt_traits.rate) || !is_amount(s->preempt_traits.burst))
		return err_set(err, -EINVAL, "plugin %s: its rate is %g and its burst %g",
			       p->desc->name, s->preempt_traits.rate, s->preempt_traits.burst);
	return 0;
}

static int check_sequence(const struct sched *s, struct err *err)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < s->dims; i++) {
		uint32_t r = s->sequence[i];

		if (r >= s->dims || seen & UINT32_C(1) << r)
			return err_set(err, -EINVAL,
				       "plugin %s: its sequence of resources is not one",
				       s->select_plugin->desc->name);
		seen |= UINT32_C(1) << r;
	}
	return 0;
}

static int open_select(struct sched *s, const struct armada_policy *policy, const struct plugin *p,
		       struct err *err)
{
	const struct armada_select_ops *ops = p->ops;
	struct armada_error e = {""};
	int rc;

	rc = ops->open(&s->select_handle, p->values, policy, &e);
	if (rc)
		return refuse(p, rc, &e, err);
	s->select = ops;
	s->select_plugin = p;
	for (size_t i = 0; i < s->dims; i++)
		s->sequence[i] = UINT32_MAX;
	ops->sequence(s->select_handle, s->sequence);
	return check_sequence(s, err);
}

int policies_open(struct sched *s, const struct armada_policy *policy,
		  const struct sched_config *config, struct err *err)
{
	int rc = open_fairness(s, policy, config->fairness, err);

	if (!rc)
		rc = open_order(s, policy, config->order, err);
	if (!rc)
		rc = open_preempt(s, policy, config->preempt, err);
	return rc ? rc : open_select(s, policy, config->select, err);
}

void policies_close(struct sched *s)
{
	if (s->fairness)
		s->fairness->close(s->fairness_handle);
	if (s->order)
		s->order->close(s->order_handle);
	if (s->preempt)
		s->preempt->close(s->preempt_handle);
	if (s->select)
		s->select->close(s->select_handle);
}
