/*
 * Invariants: properties that must hold in every run. Each is an object with hooks that are called
 * during the run. It keeps its own records, and calls storm_violate if the run contradicts them.
 *
 * The state of an invariant is zeroed memory of `size` bytes that the storm allocates and passes to
 * each hook as `own`; memory that it points to is in the arena of the run. The rows are in the
 * folder `invariant`, and invariant/table.h lists them; the storm knows only those that its options
 * name.
 */
#pragma once

#include "asim/storm/storm.h"
#include "core/core.h"

struct armada_history_event;
struct armada_history_row;
struct ledger_effect;
struct ledger_effects;
struct sched_result;
struct sched_round;
struct sim_attempt;
struct sim_job;
struct sim_node;

/* An event of a record that the core made. */
typedef void invariant_event(struct storm *s, void *own, const Armada__Event *ev,
			     const Armada__Record *r);

/* Begins the definition of an event hook. */
#define ON_EVENT(name)                                                                             \
	static void name(struct storm *s UNUSED, void *own UNUSED, const Armada__Event *ev UNUSED, \
			 const Armada__Record *r UNUSED)

/* number of kinds of events; the kinds of snapshots have higher numbers */
#define INVARIANT_EVENTS 64

struct invariant {
	size_t size;

	/*
	 * Records. When the controller starts again, records that were not durable are lost. If
	 * `forgets` is set, the state of the row is then zeroed, except for its first `kept` bytes,
	 * and the row gets every durable record again. Otherwise it gets each event once, when it
	 * happens.
	 */
	bool forgets;
	size_t kept;
	void (*before_record)(struct storm *s, void *own, const Armada__Record *r);
	invariant_event *on_event[INVARIANT_EVENTS]; /* by kind_case */
	void (*after_record)(struct storm *s, void *own, const Armada__Record *r);

	/* The controller: an input was handled; a round begins; the result of a round. */
	void (*on_input)(struct storm *s, void *own, const struct input *in);
	void (*on_round)(struct storm *s, void *own, const struct sched_round *round);
	void (*on_result)(struct storm *s, void *own, const struct sched_result *result);
	/* The history gets an end of this job; its user is not informed yet. */
	void (*on_row)(struct storm *s, void *own, const struct sim_job *j,
		       const struct armada_history_row *row);

	/* A job event is published, or comes again after a start of the controller. */
	void (*on_job_event)(struct storm *s, void *own, const struct armada_history_event *ev);

	/* A node: its ledger took an order, with these effects; one effect is carried out. */
	void (*on_order)(struct storm *s, void *own, const struct sim_node *n,
			 const struct order *o, const struct ledger_effects *effects);
	void (*on_effect)(struct storm *s, void *own, const struct sim_node *n,
			  const struct ledger_effect *e, const struct sim_attempt *a);
	/* A task is set up and waits at the start barrier; a task begins its program. */
	void (*on_ready)(struct storm *s, void *own, const struct task_key *key);
	void (*on_start)(struct storm *s, void *own, const struct sim_node *n,
			 const struct task_key *key);

	/* The end: everything has drained. */
	void (*check)(struct storm *s, void *own);
};

/* Calls a hook of each invariant that has it: INVARIANTS(s, on_start, n, key). */
#define INVARIANTS(s, hook, ...)                                                                   \
	do {                                                                                       \
		for (size_t i_ = 0; (s)->opt->invariants[i_]; i_++)                                \
			if ((s)->opt->invariants[i_]->hook)                                        \
				(s)->opt->invariants[i_]->hook((s), (s)->invariants[i_],           \
							       ##__VA_ARGS__);                     \
	} while (0)

void invariant_init(struct storm *s);
/* The core made this record. */
void invariant_record(struct storm *s, const Armada__Record *r);
/* The controller starts again from its disk. */
void invariant_restart(struct storm *s);
/* The state of a row, for another row. */
void *invariant_own(const struct storm *s, const struct invariant *row);
