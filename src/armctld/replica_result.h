/*
 * What a thread of a replica does with the result of a call of the engine: it repeats the call, waits, or
 * ends the process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct replica;

int64_t replica_now_us(void);
/* Locked. Until something changes, at most so long. False: the process ends. */
bool replica_wait_us(struct replica *r, int64_t us);
/* The process ends. */
bool replica_stops(struct replica *r);
bool replica_lease_holds(struct replica *r);
/* The call may be repeated, and another one may succeed. */
bool replica_passes(int code);
/* An error that does not pass. It returns only for a standby that stays without the lead. */
void replica_fail(struct replica *r, int code, const char *sentence);
/* Remembers whether the store has no memory (code), for those who look at this controller. */
void replica_note_full(struct replica *r, int code, const char *sentence);
