#include "core/request/blob.h"

#include "core/txn/emit.h"

void blob_store(struct txn *txn, const ProtobufCBinaryData *data, uint8_t hash[HASH_SIZE],
		ProtobufCBinaryData *ret_hash)
{
	Armada__BlobStored *stored;
	Armada__Event *ev;

	*ret_hash = (ProtobufCBinaryData){HASH_SIZE, hash};
	if (blob_find(txn->state, hash))
		return;
	ev = emit_make(txn, ARMADA__EVENT__KIND_BLOB_STORED, &stored);
	stored->hash = *ret_hash;
	stored->data = *data;
	emit_event(txn, ev);
}
