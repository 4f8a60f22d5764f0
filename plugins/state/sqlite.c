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
	[OPTION_BUSY_TIMEOUT] =
		{
			.name = "busy_timeout",
			.type = ARMADA_OPTION_DURATION,
			.def = "5s",
			.max = 10 * 60 * 1e6,
			.help = "How long to wait for a database that another program has locked.",
		},
	[OPTION_WAL_LIMIT] =
		{
			.name = "wal_limit",
			.type = ARMADA_OPTION_SIZE,
			.def = "4M",
			.min = 64 << 10,
			.max = 1 << 30,
			.help = "Size of the write-ahead log at which it is written back to the database. "
				"A smaller value means shorter and more frequent write-backs.",
		},
	[OPTION_SHARES_KEPT] =
		{
			.name = "shares_kept",
			.type = ARMADA_OPTION_DURATION,
			.def = "90d",
			.min = 60 * 1e6,
			.max = 36500.0 * 86400 * 1e6,
			.help = "How long the history keeps the samples of the queues' shares "
				"(scheduler.share_interval). A sample takes about 100 bytes for each "
				"queue.",
		},
	[OPTION_RESERVE] =
		{
			.name = "reserve",
			.type = ARMADA_OPTION_SIZE,
			.def = "64M",
			.max = 1 << 30,
			.help = "Size of a file in state_dir that is given up when the disk is "
				"full. Its space is then used to record the ends of running jobs "
				"and the cancellations of jobs; new jobs are refused. At most a "
				"quarter of the file system is used; 0: no reserve.",
		},
	[OPTION_HISTORY_KEEP] =
		{
			.name = "history_keep",
			.type = ARMADA_OPTION_DURATION,
			.def = "3y",
			.max = 36500.0 * 86400 * 1e6,
			.help = "How long the history keeps ended jobs, counted from their ends. Older "
				"ones are deleted in small steps, with their scripts. 0: for ever.",
		},
	[OPTION_HISTORY_SIZE] =
		{
			.name = "history_size",
			.type = ARMADA_OPTION_SIZE,
			.def = "50G",
			.max = 1e15,
			.help = "How much the history may hold. Beyond that the oldest jobs are "
				"deleted. A job takes about 2 KiB, and scripts are kept once each. 0: "
				"no bound.",
		},
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
};

ARMADA_PLUGIN(ARMADA_PLUGIN_STATE, "sqlite", "state in two SQLite databases on a local disk",
	      options, ops);
