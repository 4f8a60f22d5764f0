/*
 * Gangs of separate jobs: the events of a member, one by one; the scheduler is told of the gang as a whole
 * when the record is over.
 */
#pragma once

#include "feed/internal.h"

void member_submitted(struct mirror *m, struct known_job *k, const Armada__JobSubmitted *sub,
		      int64_t submit_us);
void member_held(struct mirror *m, struct known_job *k, bool held);
void member_waits(struct mirror *m, struct known_job *k);
/* nodes: by rank. */
void member_leased(struct mirror *m, struct known_job *k, char *const *nodes, int64_t start_us);
/* Are so many, leased together, not all of its gang? */
bool member_is_fewer(const struct known_job *k, uint32_t together);
void member_ordered(struct mirror *m, struct known_job *k);
/* Its time limit counts from here. */
void member_began(struct mirror *m, struct known_job *k, int64_t start_us);
/* Its priority is another: a gang stands where its first member does. */
void member_reordered(struct mirror *m, struct known_job *k, int32_t priority);
void member_pinned(struct mirror *m, struct known_job *k, bool pinned);
void member_yields(struct mirror *m, struct known_job *k);
void member_ended(struct mirror *m, struct known_job *k);
void gangs_settle(struct mirror *m);
void gangs_free(struct mirror *m);
