/* SHARES: the history of shares. The shell answers it. */
#include "core/request/request.h"
#include "core/txn/effects.h"

void req_shares(struct txn *txn, const Armada__SharesRequest *m)
{
	effect_later_with(txn, EFFECT_SHARES, MSG_SHARES, m);
}
