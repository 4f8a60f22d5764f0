/* preempt/none: no job is preempted; every running job runs to its end. */
#include <armada/preempt.h>

#include <stdlib.h>

static int none_open(void **ret_handle, const struct armada_option_value *values,
		     const struct armada_policy *policy, struct armada_preempt_traits *ret_traits,
		     struct armada_error *err)
{
	(void)values;
	(void)policy;
	(void)err;
	*ret_handle = NULL;
	*ret_traits = (struct armada_preempt_traits){0};
	return 0;
}

static const struct armada_preempt_ops ops = {
	.open = none_open,
	.close = free,
};

ARMADA_PLUGIN_PLAIN(ARMADA_PLUGIN_PREEMPT, "none", "no preemption", ops);
