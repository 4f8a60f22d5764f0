/*
 * The controller: the part of armctld around its core. Inputs come in; records and effects go out
 * through commit.h; round.h runs rounds. It is killed and starts again from its disk.
 */
#pragma once

#include "asim/storm/storm.h"
#include "core/core.h"

struct sim_ctl {
	bool up;
	uint32_t life; /* grows with every start; events of an older life have no effect */
	struct core *core;
};

void sim_ctl_crash(struct storm *s);
void sim_ctl_free(struct storm *s);
/* The policy changed. */
void sim_ctl_reconfigure(struct storm *s);
/*
 * A core from the durable records. Every end in the history is reported again. NULL: the log does
 * not replay.
 */
struct core *sim_ctl_replay(struct storm *s);

/* Events of the controller. */
void sim_ctl_start(struct storm *s, const struct sim_event *ev);
void sim_ctl_commit(struct storm *s, const struct sim_event *ev);
void sim_ctl_decide(struct storm *s, const struct sim_event *ev);
void sim_ctl_tick(struct storm *s, const struct sim_event *ev);
void sim_ctl_fenced(struct storm *s, const struct sim_event *ev);
void sim_ctl_message(struct storm *s, const struct sim_event *ev);
void sim_ctl_closed(struct storm *s, const struct sim_event *ev);
