/*
 * The functions of the fold for events of single tasks; fold_events.h has the others. Only files of the fold
 * include this.
 */
#pragma once

#include "proto/msg.h"

struct err;
struct fold;

int fold_task_started(struct fold *f, const Armada__TaskStarted *m, struct err *err);
int fold_task_ended(struct fold *f, const Armada__TaskEnded *m, struct err *err);
int fold_task_leased(struct fold *f, const Armada__TaskLeased *m, struct err *err);
int fold_task_leaving(struct fold *f, const Armada__TaskLeaving *m, struct err *err);
int fold_task_vacated(struct fold *f, const Armada__TaskVacated *m, struct err *err);
