/*
 * The controller: what armctld's shell does with its core. Inputs come in; records and effects go out
 * through commit.h, rounds are run by round.h; it is killed and starts again from its disk.
 */
#pragma once

#include "asim/storm/storm.h"
#include "core/core.h"

struct sim_ctl {
	bool up;
	uint32_t life; /* grows with every start; what belongs to an older one is void */
	struct core *core;
};

void sim_ctl_crash(struct storm *s);
void sim_ctl_free(struct storm *s);
/* The policy is another. */
void sim_ctl_reconfigure(struct storm *s);
/* A core of what is durable. The history is told again of every end. NULL: the log does not replay. */
struct core *sim_ctl_replay(struct storm *s);

/* What happens to it. */
void sim_ctl_start(struct storm *s, const struct sim_event *ev);
void sim_ctl_commit(struct storm *s, const struct sim_event *ev);
void sim_ctl_decide(struct storm *s, const struct sim_event *ev);
void sim_ctl_tick(struct storm *s, const struct sim_event *ev);
void sim_ctl_fenced(struct storm *s, const struct sim_event *ev);
void sim_ctl_message(struct storm *s, const struct sim_event *ev);
void sim_ctl_closed(struct storm *s, const struct sim_event *ev);
