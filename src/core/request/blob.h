/*
 * Scripts and environments of requests become blobs of the state.
 */
#pragma once

#include "core/txn/txn.h"

/* Emits BlobStored unless the state has the blob. ret_hash borrows the hash. */
void blob_store(struct txn *txn, const ProtobufCBinaryData *data, uint8_t hash[HASH_SIZE],
		ProtobufCBinaryData *ret_hash);
