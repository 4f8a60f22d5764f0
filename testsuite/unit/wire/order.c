/* Orders: layout and signature; no bit of an order can change unnoticed. */
#include "proto/order.h"
#include "tap/tap.h"

#include <sodium.h>
#include <string.h>

int main(void)
{
	struct order o = {.kind = ORDER_KILL,
			  .cluster_id = {1},
			  .node_id = {2},
			  .epoch = UINT64_MAX,
			  .seq = 1ull << 63,
			  .key = {1ull << 40, UINT32_MAX, 5, 6},
			  .uid = UINT32_MAX,
			  .gid = 8,
			  .cause = 9,
			  .grace_ms = -1,
			  .digest = {7},
			  .boot = {10}},
		     got;
	uint8_t bytes[ORDER_SIZE], again[ORDER_SIZE], pk[32], sk[64], other_pk[32], other_sk[64],
		digest[32];
	struct task_key a = {812, 7, 3, 1}, b = a;
	unsigned held = 0, decoded_bad = 0;
	char text[64];

	if (sodium_init() < 0)
		bail("sodium_init");
	crypto_sign_keypair(pk, sk);
	crypto_sign_keypair(other_pk, other_sk);
	order_encode(&o, bytes);
	ok(!order_verify(bytes, pk), "an order without a signature does not verify");
	order_sign(bytes, sk);
	ok(order_verify(bytes, pk), "a signed order verifies");
	ok(!order_verify(bytes, other_pk), "it does not verify with another key");
	ok(order_decode(bytes, &got), "it decodes");
	order_encode(&got, again);
	ok(memcmp(bytes, again, ORDER_SIZE - ORDER_SIGNATURE) == 0 && got.grace_ms == -1 &&
		   got.seq == 1ull << 63 && got.key.element == UINT32_MAX,
	   "the decoded order is the same, at the limits of every field");
	for (unsigned i = 0; i < ORDER_SIZE * 8; i++) {
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		held += order_verify(bytes, pk);
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	is_int(held, 0, "no order with a flipped bit verifies");
	for (unsigned i = 0; i < 8; i++) { /* magic, version, kind */
		bytes[i] ^= 0x80;
		decoded_bad += order_decode(bytes, &got);
		bytes[i] ^= 0x80;
	}
	bytes[ORDER_SIZE - ORDER_SIGNATURE - 1] = 1;
	decoded_bad += order_decode(bytes, &got);
	is_int(decoded_bad, 0, "unknown magic, version, kind or trailing bytes do not decode");
	o = (struct order){
		.kind = ORDER_LEASE, .stamp = {1, 2}, .extension_ms = -3, .floor = UINT64_MAX - 4};
	order_encode(&o, bytes);
	ok(order_decode(bytes, &got) && got.floor == o.floor && got.extension_ms == -3 &&
		   memcmp(got.stamp, o.stamp, sizeof(o.stamp)) == 0 && !got.digest[8],
	   "a lease order has its stamp, extension and floor");
	order_digest("abc", 3, digest);
	ok(digest[0] == 0xbd && digest[31] == 0x19, "the digest is BLAKE2b-256");
	task_key_format(&a, text);
	is_str(text, "812_7.3/1", "a task key as text");
	ok(task_key_equal(&a, &b), "equal keys are equal");
	b.attempt = 2;
	ok(!task_key_equal(&a, &b), "a key of another attempt differs");
	task_key_format(&(struct task_key){UINT64_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, text);
	ok(strlen(text) < 64, "the text of the longest key fits: %s", text);
	return done();
}
