/*
 * The armada.conf of the simulated controller. A storm begins and ends without limits. In between,
 * classes, limits and preemptibility are drawn again.
 */
#pragma once

#include "asim/storm/storm.h"
#include "core/core.h"

enum { SIM_CLASSES = 5, SIM_QUEUES = 3 };
extern const struct sched_class sim_policy_classes[SIM_CLASSES];
extern const Armada__QueueSpec sim_policy_queues[SIM_QUEUES];

struct sim_policy {
	struct core_policy conf; /* points to these: */
	struct sched_class classes[SIM_CLASSES];
	Armada__QueueSpec queues[SIM_QUEUES];
	struct arena *arena; /* of their limits */
	struct sched_user users[1];
	bool short_leases;
	struct plugin plugins[4]; /* fairness, order, preempt, select */
};

/* Loads the plugins. */
int sim_policy_init(struct storm *s, struct err *err);
void sim_policy_done(struct storm *s);
/* Draws the values that stay for the whole run. */
void sim_policy_begin(struct storm *s);
/* Resets to no limits; draws new ones. Both take effect with sim_ctl_reconfigure. */
void sim_policy_reset(struct storm *s);
void sim_policy_draw(struct storm *s);
