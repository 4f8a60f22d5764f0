/* Leases as the node counts them. */
#include "agent/lease.h"
#include "tap/tap.h"

#include <string.h>

static void test_stamp(void)
{
	static const uint8_t key[STAMP_KEY] = {1}, other[STAMP_KEY] = {2};
	uint8_t stamp[STAMP_SIZE];

	stamp_make(key, 1234567890123, stamp);
	ok(stamp_verify(key, stamp), "a stamp is its maker's");
	is_int(stamp_time_us(stamp), 1234567890123, "and says when it was made");
	ok(!stamp_verify(other, stamp), "not that of another key");
	for (size_t i = 0; i < STAMP_SIZE; i++) {
		stamp[i] ^= 1;
		ok(!stamp_verify(key, stamp), "nor with byte %zu changed", i);
		stamp[i] ^= 1;
	}
}

static void test_end(void)
{
	struct lease_times t = {0};

	is_int(lease_end_us(&t, 100, 50), 150, "a lease counts from the order's stamp");
	t.renewed_us = 130;
	is_int(lease_end_us(&t, 100, 50), 180, "from when the controller heard of the node last");
	is_int(lease_end_us(&t, 140, 50), 190, "whichever is later");
	t.extended_us = 1000;
	is_int(lease_end_us(&t, 100, 50), 1000, "an extension holds it until then");
	is_int(lease_end_us(&t, 100, 2000), 2130, "and shortens nothing");
	is_int(lease_end_us(&t, 100, 0), 0, "no lease, no end");
}

static void test_start(void)
{
	ok(lease_may_start(149, 100, 50), "within its lease a task may start");
	ok(!lease_may_start(150, 100, 50), "not when that is over");
	ok(lease_may_start(1000000, 100, 0), "without a lease at any time");
	ok(!lease_may_start(1000000, 0, 50), "an order without a stamp is late");
}

int main(void)
{
	test_stamp();
	test_end();
	test_start();
	return done();
}
