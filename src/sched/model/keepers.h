/*
 * Users whose jobs keep nodes: such a job shares its nodes only with jobs of its user.
 *
 * A user with such a job, waiting or running, is a keeper: all of its jobs have shapes of their own. So
 * which nodes a job may use depends on its shape alone, also for a job without the option, which may join
 * those of its user. The jobs of all other users share their shapes.
 */
#pragma once

#include <stdint.h>

struct model;

/* The queue user has one such job more (1) or less (-1). O(jobs and tasks) for its first and last one. */
void keepers_count(struct model *m, uint32_t queue_user, int sign);
