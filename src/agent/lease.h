/*
 * Leases on the node: pure functions of its own clock (CLOCK_BOOTTIME in armd).
 *
 * A lease is the promise that a task is dead at a certain time if the controller does not renew it.
 * The controller then starts the task elsewhere without contact to the node. So the node must end
 * the task earlier by its own clock than the controller by its clock, although the clocks differ
 * and the network process, which carries all messages, is not trusted.
 *
 * For this the launcher makes stamps: its own time with a MAC, whose key no other process has. The
 * network process sends the latest stamp with each registration and heartbeat, and the controller
 * copies it into the orders that it signs. A lease order with a stamp proves that the controller
 * had contact with the node after the stamp was made; it renews all leases from the time of the
 * stamp. A launch order carries the latest stamp that the controller had; the lease of its task
 * starts at that time. The launcher needs neither the clock nor the word of another process.
 *
 * A stamp is made before the controller receives it. So a lease that counts from the stamp ends
 * earlier than the same lease for the controller, which counts from the receipt. The shepherd ends
 * the task in time for this end (armd/shepherd/deadlines.h), and the time comes from a clock that
 * advances while the machine sleeps.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { STAMP_SIZE = 16, STAMP_KEY = 32 };

void stamp_make(const uint8_t key[STAMP_KEY], int64_t time_us, uint8_t ret_stamp[STAMP_SIZE]);
/* True if the stamp was made with this key; stamps of an earlier launcher were not. */
bool stamp_verify(const uint8_t key[STAMP_KEY], const uint8_t stamp[STAMP_SIZE]);
/* The time of a stamp that was verified when it arrived. */
int64_t stamp_time_us(const uint8_t stamp[STAMP_SIZE]);

/* The times of the lease orders so far. They never decrease. */
struct lease_times {
	int64_t renewed_us; /* the latest stamp; 0: none since the last boot */
	/* leases hold at least until then (actl lease extend); 0: no extension */
	int64_t extended_us;
};

/*
 * When the lease of a task ends that was launched under this stamp, with this length; 0: never
 * (--no-fence).
 */
int64_t lease_end_us(const struct lease_times *t, int64_t stamp_us, int64_t lease_us);
/*
 * True if a task may still be started. Later renewals do not count, because the controller may have
 * given up the launch order before them.
 */
bool lease_may_start(int64_t now_us, int64_t stamp_us, int64_t lease_us);
