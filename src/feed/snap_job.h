/* Jobs of a snapshot in the scheduler's model. */
#pragma once

#include "feed/internal.h"

void snap_job(struct sched_feed *m, const Armada__Record *r, const Armada__SnapJob *s);
