/*
 * The announcer of a replica: it says what this controller is, renews the lease from the moment of the lead
 * on, and changes the set of copies.
 */
#pragma once

/* The thread; arg: the replica. */
void *replica_announcer(void *arg);
