/* state/redis: the state of several controllers in Redis. See plugins/state/redis/README.md. */
#include "redis/controllers.h"
#include "redis/copies.h"
#include "redis/lead.h"
#include "redis/stream.h"
#include "redis/open.h"
#include "redis/publish.h"
#include "redis/recover.h"
#include "sqlite/accounting.h"
#include "sqlite/ends.h"
#include "sqlite/events.h"
#include "sqlite/history.h"
#include "sqlite/reserve.h"
#include "sqlite/shares.h"

static const struct armada_option options[] = {
#include "sqlite/history_options.h"
	[OPTION_SERVERS] =
		{
			.name = "servers",
			.type = ARMADA_OPTION_STRINGS,
			.help = "The Redis servers that hold copies, as HOST:PORT, 2 to 8 of them. The "
				"names are those that the sentinels and the primary use.",
		},
	[OPTION_SENTINELS] =
		{
			.name = "sentinels",
			.type = ARMADA_OPTION_STRINGS,
			.help = "The sentinels that name the primary, as HOST:PORT. Without them each "
				"server is asked, and nothing replaces a primary that fails.",
		},
	[OPTION_PRIMARY_NAME] =
		{
			.name = "primary_name",
			.type = ARMADA_OPTION_STRING,
			.def = "armada",
			.help = "The name that the sentinels have for the servers.",
		},
	[OPTION_PREFIX] =
		{
			.name = "prefix",
			.type = ARMADA_OPTION_STRING,
			.def = "armada",
			.help = "What the names of all keys begin with, before a colon. Clusters that "
				"share servers have different ones.",
		},
	[OPTION_USER] =
		{
			.name = "user",
			.type = ARMADA_OPTION_STRING,
			.def = "",
			.help = "The user of the access control list of Redis. Empty: the default user.",
		},
	[OPTION_PASSWORD_FILE] =
		{
			.name = "password_file",
			.type = ARMADA_OPTION_STRING,
			.def = "",
			.help = "A file with the password in its first line, with mode 0600. Empty: no "
				"password, as for a user with nopass.",
		},
	[OPTION_TLS] =
		{
			.name = "tls",
			.type = ARMADA_OPTION_BOOL,
			.def = "false",
			.help = "Must be false: the plugin has no TLS. Use a private network or a tunnel.",
		},
	[OPTION_DURABILITY] =
		{
			.name = "durability",
			.type = ARMADA_OPTION_CHOICE,
			.def = "strict",
			.choices = "strict|relaxed",
			.help = "strict: a server whose configuration may lose acknowledged records is "
				"refused. relaxed: it is used, with a warning.",
		},
	[OPTION_COPIES] =
		{
			.name = "copies",
			.type = ARMADA_OPTION_STRING,
			.def = "all",
			.help = "all: while a copy is away, records wait. A time like 30s or 5m: a copy "
				"that is away for longer leaves the in-sync set, which never has fewer "
				"than two copies, and comes back when it has caught up.",
		},
	[OPTION_LEASE] =
		{
			.name = "lease",
			.type = ARMADA_OPTION_DURATION,
			.def = "4s",
			.min = 0.2 * 1e6,
			.max = 600 * 1e6,
			.help = "How long a leader may act after it has last reached a majority of the "
				"copies. Another controller takes the lead a quarter later.",
		},
	[OPTION_TIMEOUT] =
		{
			.name = "timeout",
			.type = ARMADA_OPTION_DURATION,
			.def = "2s",
			.min = 0.1 * 1e6,
			.max = 60 * 1e6,
			.help = "How long an answer of a server, or of a copy, may take.",
		},
};

static const struct armada_replica_ops replica = {
	.size = sizeof(replica),
	.lead = lead_take,
	.follow = stream_follow,
	.renew = lead_renew,
	.lease_until = lead_until,
	.resign = lead_resign,
	.announce = controllers_announce,
	.controllers = controllers_list,
	.copies = copies_get,
	.set_copies = copies_set,
	.interrupt = engine_interrupt,
	.mark = lead_mark,
	.check_mark = lead_check_mark,
};

static const struct armada_state_ops ops = {
	.init = engine_init,
	.open = engine_open,
	.close = engine_close,
	.replay = stream_replay,
	.append = stream_append,
	.snapshot = stream_snapshot,
	.history_put = history_put,
	.history_find = history_find,
	.history_job = history_job,
	.shares_put = shares_put,
	.shares_find = shares_find,
	.tidy = stream_tidy,
	.space = store_space,
	.salvage = redis_salvage,
	.replace_log = redis_replace_log,
	.snapshot_part = stream_snapshot_part,
	.attempts_put = attempts_put,
	.attempts_find = attempts_find,
	.events_put = publish_events,
	.events_find = events_find,
	.accounting_put = accounting_put,
	.accounting_list = accounting_list,
	.accounting_sum = accounting_sum,
	.history_tidy = accounting_tidy,
	.history_space = accounting_space,
	.ends_find = ends_find,
	.replica = &replica,
	.events_after = events_after,
};

ARMADA_PLUGIN(ARMADA_PLUGIN_STATE, "redis", "state of several controllers in Redis", options, ops);
