/* The hash chain: the hash of a record covers all records before it. */
#include "crc32c.h"
#include "chain.h"
#include "le.h"

#include <sodium.h>

/* The chain begins with the cluster's id, so records of another cluster's log never fit. */
void chain_genesis(const uint8_t cluster_id[CLUSTER_ID_BYTES], uint8_t ret_hash[HASH_BYTES])
{
	crypto_generichash(ret_hash, HASH_BYTES, cluster_id, CLUSTER_ID_BYTES, NULL, 0);
}

void chain_next(uint8_t hash[HASH_BYTES], uint64_t seq, const void *data, size_t len)
{
	crypto_generichash_state st;
	uint8_t head[HASH_BYTES + 8];

	for (int i = 0; i < HASH_BYTES; i++)
		head[i] = hash[i];
	put_le64(head + HASH_BYTES, seq);
	crypto_generichash_init(&st, NULL, 0, HASH_BYTES);
	crypto_generichash_update(&st, head, sizeof(head));
	if (len)
		crypto_generichash_update(&st, data, len);
	crypto_generichash_final(&st, hash, HASH_BYTES);
}

uint32_t chain_crc(const uint8_t prev[HASH_BYTES], uint64_t seq, const void *data, size_t len)
{
	uint8_t le[8];
	uint32_t crc;

	put_le64(le, seq);
	crc = crc32c(0, le, sizeof(le));
	crc = crc32c(crc, prev, HASH_BYTES);
	return len ? crc32c(crc, data, len) : crc;
}
