/*
 * The controller's scheduler: its feed, its rounds, and the result that the core has not received
 * yet. A round takes time, and other events happen meanwhile: its decisions may come too late.
 */
#pragma once

#include "asim/storm/storm.h"
#include "core/core.h"

struct sim_round {
	struct sched *sched;
	struct sched_feed *feed;
	bool due;
	struct sched_result result; /* of a round, not yet received by the core */
	bool deciding;              /* there is one */
	bool again;                 /* another round was requested meanwhile */
	int64_t again_us;           /* when a round may do more though nothing happens; 0: never */
};

/* The controller starts; it is killed; armada.conf changed. */
void sim_round_start(struct storm *s);
void sim_round_stop(struct storm *s);
void sim_round_reconfigure(struct storm *s);
void sim_round_record(struct storm *s, const Armada__Record *r);
void sim_round_want(struct storm *s);
void sim_round_run(struct storm *s, const struct sim_event *ev);
/* The core has received the result. */
void sim_round_decided(struct storm *s);
