/*
 * A sched with its plugins loaded from the build tree, for tests and benches.
 */
#pragma once

#include "plugin/plugin.h"
#include "sched/sched.h"
#include "util/buf.h"

enum { RIG_CPU, RIG_MEMORY, RIG_GPU, RIG_RESOURCES };
#define RIG_G (INT64_C(1) << 30)

/* The resource beyond those three, for rigs whose policy says so. */
enum { RIG_FPGA = RIG_RESOURCES, RIG_RESOURCES_MORE };

struct rig {
	struct armada_option_value values[4][8]; /* fairness, order, preempt, select */
	struct plugin fairness, order, preempt, select;
	struct sched *s;
};

/* Classes: low (0), mid (1000), high (2000). Ends the test when a plugin does not load. */
void rig_init(struct rig *r);
/* The same with preempt/fairshare and this protected fraction. */
void rig_init_fairshare(struct rig *r, const struct sched_class *classes, size_t count,
			double protected_fraction);

/* Any policy. Names and arrays are borrowed while the rig lives. */
struct rig_option {
	const char *name; /* of any of the plugins */
	double number;
	const struct armada_option_pair *pairs; /* of an option that takes them */
	size_t count;
};
struct rig_policy {
	const char *fairness, *order, *preempt, *select; /* NULL: drf, progressive, none, binpack */
	struct rig_option options[12];
	size_t option_count;
	const struct sched_class *classes;
	size_t class_count;
	struct sched_limits limits;
	bool partial_gangs, fpga;
};
void rig_init_policy(struct rig *r, const struct rig_policy *policy);
void rig_done(struct rig *r);
/* Decisions as "1.0@n0 2.3@n0,n1", new text. */
char *rig_decisions(const struct sched_result *result);
/* " | 3.0 at 7 n0 n1*2", or nothing for NULL. Nodes are called n0 and up. */
void rig_tell_reservation(const struct sched_reservation *v, struct buf *out);
/* What the core does with a decision that it accepts. */
void rig_accept(struct sched *s, const struct sched_decision *d);
