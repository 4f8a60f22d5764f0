/* SHARES: the history of shares, which the shell answers. */
#include "core/request/request.h"
#include "core/txn/effects.h"

void req_shares(struct txn *txn, const Armada__SharesRequest *m)
{
	struct effect *e = effect_add(txn, EFFECT_SHARES);
	struct buf packed CLEANUP_BUF = {0};

	msg_pack(m, &packed);
	e->conn = txn->in->conn;
	e->request = txn->in->request;
	e->type = MSG_SHARES;
	e->body = arena_memdup(txn->arena, packed.data, packed.len);
	e->len = packed.len;
}
