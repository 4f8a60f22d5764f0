/*
 * Leases as a node counts them: pure functions over its own clock (CLOCK_BOOTTIME in armd).
 *
 * The launcher stamps its own time, with a key that it shares with nobody. The stamp travels with a
 * registration or a heartbeat to the controller and comes back in what the controller signs: a lease
 * order says that the controller has heard of the node since then, a launch order that it had heard
 * of it by then. So the launcher need not believe anybody about when that was: neither the network
 * process, which carries both, nor a clock other than its own.
 *
 * A stamp was made before the controller heard of it. So whatever is counted from stamps is over
 * before the same is over for the controller, which counts from what it heard last.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { STAMP_SIZE = 16, STAMP_KEY = 32 };

void stamp_make(const uint8_t key[STAMP_KEY], int64_t time_us, uint8_t ret_stamp[STAMP_SIZE]);
/* Made with this key? One of a launcher that was here before is not. */
bool stamp_verify(const uint8_t key[STAMP_KEY], const uint8_t stamp[STAMP_SIZE]);
/* Of a stamp that was verified when it came. */
int64_t stamp_time_us(const uint8_t stamp[STAMP_SIZE]);

/* What lease orders have said so far. Neither ever goes back. */
struct lease_times {
	int64_t renewed_us;  /* the latest stamp; 0: none since the last boot */
	int64_t extended_us; /* leases hold until then at least (actl lease extend); 0: none */
};

/*
 * When a task must have ended that was ordered under this stamp, with this lease; 0: it has no such
 * time (--no-fence).
 */
int64_t lease_end_us(const struct lease_times *t, int64_t stamp_us, int64_t lease_us);
/*
 * May a task be started now? What was said since its order was made does not count: by then the
 * controller may have given it up.
 */
bool lease_may_start(int64_t now_us, int64_t stamp_us, int64_t lease_us);
