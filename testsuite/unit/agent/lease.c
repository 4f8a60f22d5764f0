/* The end of a lease, as the node computes it. */
#include "agent/lease.h"
#include "tap/tap.h"

#include <string.h>

static void test_stamp(void)
{
	static const uint8_t key[STAMP_KEY] = {1}, other[STAMP_KEY] = {2};
	uint8_t stamp[STAMP_SIZE];

	stamp_make(key, 1234567890123, stamp);
	ok(stamp_verify(key, stamp), "a stamp verifies with its key");
	is_int(stamp_time_us(stamp), 1234567890123, "a stamp has its time");
	ok(!stamp_verify(other, stamp), "a stamp does not verify with another key");
	for (size_t i = 0; i < STAMP_SIZE; i++) {
		stamp[i] ^= 1;
		ok(!stamp_verify(key, stamp), "a stamp with byte %zu changed does not verify", i);
		stamp[i] ^= 1;
	}
}

static void test_end(void)
{
	struct lease_times t = {0};

	is_int(lease_end_us(&t, 100, 50), 150, "a lease counts from the stamp of the order");
	t.renewed_us = 130;
	is_int(lease_end_us(&t, 100, 50), 180,
	       "a lease counts from the last contact with the controller");
	is_int(lease_end_us(&t, 140, 50), 190, "the later time counts");
	t.extended_us = 1000;
	is_int(lease_end_us(&t, 100, 50), 1000, "an extension keeps the lease until its end");
	is_int(lease_end_us(&t, 100, 2000), 2130, "an extension does not shorten the lease");
	is_int(lease_end_us(&t, 100, 0), 0, "without a lease there is no end");
}

static void test_start(void)
{
	ok(lease_may_start(149, 100, 50), "a task may start within its lease");
	ok(!lease_may_start(150, 100, 50), "a task may not start after its lease");
	ok(lease_may_start(1000000, 100, 0), "a task without a lease may start at any time");
	ok(!lease_may_start(1000000, 0, 50), "an order without a stamp is late");
}

int main(void)
{
	test_stamp();
	test_end();
	test_start();
	return done();
}
