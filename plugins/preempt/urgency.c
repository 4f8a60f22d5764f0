/*
 * preempt/urgency: jobs of a more urgent class displace jobs of a less urgent one if no other room is free.
 * No job is preempted for fair share.
 */
#include <armada/preempt.h>

#include <stdlib.h>

static int urgency_open(void **ret_handle, const struct armada_option_value *values,
			const struct armada_policy *policy,
			struct armada_preempt_traits *ret_traits, struct armada_error *err)
{
	(void)values;
	(void)policy;
	(void)err;
	*ret_handle = NULL;
	*ret_traits = (struct armada_preempt_traits){.urgency = true};
	return 0;
}

static const struct armada_preempt_ops ops = {
	.open = urgency_open,
	.close = free,
};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_PREEMPT, "urgency",
		    "urgent jobs preempt less urgent ones; no preemption for fair share", ops);
