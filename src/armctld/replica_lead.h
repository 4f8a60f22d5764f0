/* Taking the lead, by the follower: the epoch, all records, and what the other controllers know. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct replica;

/* Does the engine have marks? */
bool replica_has_marks(const struct replica *r);
/* True: this controller leads, with all records. Else the time of the next try is set. */
bool replica_try_lead(struct replica *r, int64_t *try_us);
