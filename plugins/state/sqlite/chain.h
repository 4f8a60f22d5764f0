/* The hash chain over the records. */
#pragma once

#include "sqlite.h"

void chain_genesis(const uint8_t cluster_id[CLUSTER_ID_BYTES], uint8_t ret_hash[HASH_BYTES]);
/* hash: in: of the predecessor; out: of the record. */
void chain_next(uint8_t hash[HASH_BYTES], uint64_t seq, const void *data, size_t len);
uint32_t chain_crc(const uint8_t prev[HASH_BYTES], uint64_t seq, const void *data, size_t len);
