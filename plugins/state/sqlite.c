/* state/sqlite: the state of one controller in two SQLite databases. See plugins/state/README.md. */
#include "sqlite/accounting.h"
#include "sqlite/ends.h"
#include "sqlite/events.h"
#include "sqlite/history.h"
#include "sqlite/log_file.h"
#include "sqlite/record.h"
#include "sqlite/recover.h"
#include "sqlite/reserve.h"
#include "sqlite/shares.h"
#include "sqlite/snapshot.h"
#include "sqlite/store.h"

static const struct armada_option options[] = {
#include "sqlite/history_options.h"
};

static const struct armada_state_ops ops = {
	.init = store_init,
	.open = store_open,
	.close = store_close,
	.replay = store_replay,
	.append = record_append,
	.snapshot = snapshot_write,
	.history_put = history_put,
	.history_find = history_find,
	.history_job = history_job,
	.shares_put = shares_put,
	.shares_find = shares_find,
	.tidy = log_tidy,
	.space = store_space,
	.salvage = recover_salvage,
	.replace_log = recover_replace,
	.snapshot_part = snapshot_part,
	.attempts_put = attempts_put,
	.attempts_find = attempts_find,
	.events_put = events_put,
	.events_find = events_find,
	.accounting_put = accounting_put,
	.accounting_list = accounting_list,
	.accounting_sum = accounting_sum,
	.history_tidy = accounting_tidy,
	.history_space = accounting_space,
	.ends_find = ends_find,
	.events_after = events_after,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_STATE, "sqlite", "state in two SQLite databases on a local disk",
	      options, ops);
