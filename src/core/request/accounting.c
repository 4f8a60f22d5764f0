/* ACCOUNTING and USAGE_SUMS: attempts for accounting, and sums over them. The shell answers them. */
#include "core/request/request.h"
#include "core/txn/effects.h"
#include "core/view/visibility.h"

static void ask(struct txn *txn, enum msg_type type, const void *message)
{
	struct effect *e = effect_later_with(txn, EFFECT_ACCOUNTING, type, message);

	e->viewer = visibility_viewer(txn);
	e->viewer_uid = txn->in->caller->uid;
}

void req_accounting(struct txn *txn, const Armada__AccountingRequest *m)
{
	ask(txn, MSG_ACCOUNTING, m);
}

void req_usage_sums(struct txn *txn, const Armada__UsageSumsRequest *m)
{
	ask(txn, MSG_USAGE_SUMS, m);
}
