/*
 * Input: a signed order. An accepted order must be encoded to the same bytes, and no invented
 * signature may verify.
 */
#include "proto/order.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t key[32] = {1};
	uint8_t again[ORDER_SIZE];
	struct order o;

	if (size != ORDER_SIZE || !order_decode(data, &o))
		return 0;
	order_encode(&o, again);
	if (memcmp(again, data, ORDER_SIZE - ORDER_SIGNATURE) != 0 || order_verify(data, key))
		abort();
	return 0;
}
