/*
 * The controller's scheduler: its feed, its rounds, and the result that the core has not heard of yet.
 * A round takes its time, and the world goes on meanwhile: its decisions may come too late.
 */
#pragma once

#include "asim/storm/storm.h"
#include "core/core.h"

struct sim_round {
	struct sched *sched;
	struct mirror *mirror;
	bool due;
	struct sched_result result; /* of a round that the core has not heard of yet */
	bool deciding;              /* there is one */
	bool again;                 /* one was due meanwhile */
	int64_t again_us;           /* when one is worth while though nothing happens; 0: never */
};

/* The controller starts; it dies; armada.conf is another. */
void sim_round_start(struct storm *s);
void sim_round_stop(struct storm *s);
void sim_round_reconfigure(struct storm *s);
void sim_round_record(struct storm *s, const Armada__Record *r);
void sim_round_want(struct storm *s);
void sim_round_run(struct storm *s, const struct sim_event *ev);
/* The core has heard of the result. */
void sim_round_decided(struct storm *s);
