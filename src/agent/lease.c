#include "agent/lease.h"

#include "util/le.h"

#include <sodium.h>
#include <string.h>

enum { TIME_BYTES = 8, MAC_BYTES = STAMP_SIZE - TIME_BYTES };

static void mac(const uint8_t key[STAMP_KEY], const uint8_t *time, uint8_t ret[MAC_BYTES])
{
	uint8_t long_mac[crypto_generichash_BYTES_MIN];

	crypto_generichash(long_mac, sizeof(long_mac), time, TIME_BYTES, key, STAMP_KEY);
	memcpy(ret, long_mac, MAC_BYTES);
}

void stamp_make(const uint8_t key[STAMP_KEY], int64_t time_us, uint8_t ret_stamp[STAMP_SIZE])
{
	le_put(ret_stamp, (uint64_t)time_us, TIME_BYTES);
	mac(key, ret_stamp, ret_stamp + TIME_BYTES);
}

bool stamp_verify(const uint8_t key[STAMP_KEY], const uint8_t stamp[STAMP_SIZE])
{
	uint8_t want[MAC_BYTES];

	mac(key, stamp, want);
	return sodium_memcmp(want, stamp + TIME_BYTES, MAC_BYTES) == 0;
}

int64_t stamp_time_us(const uint8_t stamp[STAMP_SIZE])
{
	return (int64_t)le_get(stamp, TIME_BYTES);
}

int64_t lease_end_us(const struct lease_times *t, int64_t stamp_us, int64_t lease_us)
{
	int64_t from = t->renewed_us > stamp_us ? t->renewed_us : stamp_us;

	if (lease_us <= 0)
		return 0;
	return from + lease_us > t->extended_us ? from + lease_us : t->extended_us;
}

bool lease_may_start(int64_t now_us, int64_t stamp_us, int64_t lease_us)
{
	return lease_us <= 0 || now_us < stamp_us + lease_us;
}
