/*
 * The four plugins of a sched: their operations, their handles and their traits. A plugin may have
 * a NULL handle; its operations say whether it was opened.
 */
#pragma once

#include "plugin/plugin.h"
#include "sched/limits.h"

#include <armada/fairness.h>
#include <armada/order.h>
#include <armada/preempt.h>
#include <armada/select.h>

struct sched_config;

struct policies {
	const struct plugin *fairness_plugin, *order_plugin, *preempt_plugin, *select_plugin;
	const struct armada_fairness_ops *fairness;
	const struct armada_order_ops *order;
	const struct armada_preempt_ops *preempt;
	const struct armada_select_ops *select;
	void *fairness_handle, *order_handle, *preempt_handle, *select_handle;
	struct armada_order_traits order_traits;
	struct armada_preempt_traits preempt_traits;
	uint32_t sequence[SCHED_RESOURCES]; /* of resources, from the select plugin */
};

/* Open the plugins of config. On failure some of them may be open: close them. */
int policies_open(struct policies *p, const struct armada_policy *policy,
		  const struct sched_config *config, struct err *err);
void policies_close(struct policies *p);
