/*
 * Job events: what a log event means to the users of the job set (armada-events(5)).
 *
 * Each event of the log gives zero or more job events, by the table in job_events.c. They depend on the
 * durable state before the event, on the event and on the time of its record alone. So a replay, and every
 * other controller that folds the same log, derives the same events with the same numbers.
 *
 * emit.c derives before the fold, passes the counts to the fold, which advances the number of the set, and
 * then numbers what it derived. At the end of the input the events leave as one effect.
 */
#pragma once

#include "core/txn/txn.h"

/* Call just before an event is applied; sets the counts in txn->fold. */
void job_events_derive(struct txn *txn, const Armada__Event *ev);
/* Call when it has been applied. */
void job_events_number(struct txn *txn);
/* Call at the end of the input or of the replayed record: one EFFECT_JOB_EVENTS, if there are any. */
void job_events_finish(struct txn *txn);
/*
 * The packed JobEvent: number, kind, time, job and uid of the event, then its body. Appended to `to`, framed
 * as a member of `events` of a packed JobEvents.
 */
void job_event_frame(const struct armada_history_event *ev, struct buf *to);
/*
 * Remove from the event what a caller may not know who sees only its own jobs: other jobs, queues and
 * users. Texts are in the arena.
 */
void job_event_hide(Armada__JobEvent *ev, struct arena *a);
