/*
 * A scheduler (struct sched) with plugins from the build tree, for tests and benches.
 */
#pragma once

#include "plugin/plugin.h"
#include "sched/sched.h"
#include "util/buf.h"

enum { RIG_CPU, RIG_MEMORY, RIG_GPU, RIG_RESOURCES };
#define RIG_G (INT64_C(1) << 30)

/* The fourth resource, if the policy has more than three. */
enum { RIG_FPGA = RIG_RESOURCES, RIG_RESOURCES_MAX = 8 };

struct rig {
	struct armada_option_value values[4][8]; /* fairness, order, preempt, select */
	struct plugin fairness, order, preempt, select;
	struct sched *s;
};

/*
 * Makes a scheduler with the classes low (0), mid (1000), high (2000). Ends the test if a plugin
 * cannot be loaded.
 */
void rig_init(struct rig *r);
/* Makes a scheduler with preempt/fairshare and this protected_fraction. */
void rig_init_fairshare(struct rig *r, const struct sched_class *classes, size_t count,
			double protected_fraction);

/* An option of any plugin. Names and arrays are borrowed while the rig exists. */
struct rig_option {
	const char *name; /* of an option of any of the plugins */
	double number;
	const struct armada_option_pair *pairs; /* the value of an option that is a list of pairs */
	size_t count;
};
struct rig_policy {
	const char *fairness, *order, *preempt, *select; /* NULL: drf, progressive, none, binpack */
	struct rig_option options[12];
	size_t option_count;
	const struct sched_class *classes;
	size_t class_count;
	struct sched_limits limits;
	bool partial_gangs;
	size_t more; /* resources besides cpu, memory and gpu: fpga, r4, r5 ... */
};
void rig_init_policy(struct rig *r, const struct rig_policy *policy);
void rig_done(struct rig *r);
/* The decisions as new text, such as "1.0@n0 2.3@n0,n1": JOB.ELEMENT@NODES. */
char *rig_decisions(const struct sched_result *result);
/*
 * Adds a reservation such as " | 3.0 at 7 n0 n1*2" to out; nothing for NULL. The nodes are named
 * n0, n1, ...
 */
void rig_tell_reservation(const struct sched_reservation *v, struct buf *out);
/* Applies a decision, as the core does when it accepts one. */
void rig_accept(struct sched *s, const struct sched_decision *d);
