/*
 * NOTIFY: the targets of notifications, which the shell owns and reports.
 * LOG_LEVELS: the levels of the controller's log by area, which an administrator sets while it runs.
 *
 * The shell owns the log: it sets the levels, or refuses words that it does not know, and replies. The levels
 * are not part of the state.
 */
#include "core/request/request.h"
#include "core/txn/effects.h"

void req_notify(struct txn *txn, const Armada__NotifyRequest *m)
{
	(void)m;
	effect_later(txn, EFFECT_NOTIFY);
}

void req_log_levels(struct txn *txn, const Armada__LogLevelsRequest *m)
{
	struct effect *e = effect_later_with(txn, EFFECT_LOG_LEVELS, MSG_LOG_LEVELS, m);
	const struct caller *who = txn->in->caller;

	e->text = arena_strdup(txn->arena, who->user ? who->user : "an administrator");
}
