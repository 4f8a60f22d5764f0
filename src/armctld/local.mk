# The parts, as a library so that unit tests link them too.
noinst_LIBRARIES += src/armctld/libarmctld.a
src_armctld_libarmctld_a_SOURCES = \
	src/armctld/accounting_query.c src/armctld/accounting_query.h \
	src/armctld/accounting_queue.c src/armctld/accounting_queue.h \
	src/armctld/again.c src/armctld/again.h \
	src/armctld/batch.c src/armctld/batch.h \
	src/armctld/commit.c src/armctld/commit.h \
	src/armctld/copy_change.c src/armctld/copy_change.h \
	src/armctld/ctld.c src/armctld/ctld.h \
	src/armctld/disk.c src/armctld/disk.h \
	src/armctld/effects.c src/armctld/effects.h \
	src/armctld/event_ring.c src/armctld/event_ring.h \
	src/armctld/explain_queue.c src/armctld/explain_queue.h \
	src/armctld/faults.c src/armctld/faults.h \
	src/armctld/floating_sources.c src/armctld/floating_sources.h \
	src/armctld/fence.c src/armctld/fence.h \
	src/armctld/history.c src/armctld/history.h \
	src/armctld/history_copy.c src/armctld/history_copy.h \
	src/armctld/history_events.c src/armctld/history_events.h \
	src/armctld/history_gap.c src/armctld/history_gap.h \
	src/armctld/history_items.c src/armctld/history_items.h \
	src/armctld/history_page.c src/armctld/history_page.h \
	src/armctld/history_attempt.c src/armctld/history_attempt.h \
	src/armctld/history_tidy.c src/armctld/history_tidy.h \
	src/armctld/history_lookup.c src/armctld/history_lookup.h \
	src/armctld/history_merge.c src/armctld/history_merge.h \
	src/armctld/history_query.c src/armctld/history_query.h \
	src/armctld/identity_cache.c src/armctld/identity_cache.h \
	src/armctld/tokens.c src/armctld/tokens.h \
	src/armctld/counters.c src/armctld/counters.h \
	src/armctld/counters_query.c src/armctld/counters_query.h \
	src/armctld/limits_query.c src/armctld/limits_query.h \
	src/armctld/log_levels.c src/armctld/log_levels.h \
	src/armctld/loop.c src/armctld/loop.h \
	src/armctld/migrate.c src/armctld/migrate.h \
	src/armctld/name_lookup.c src/armctld/name_lookup.h \
	src/armctld/notify.c src/armctld/notify.h \
	src/armctld/notify_cursor.c src/armctld/notify_cursor.h \
	src/armctld/notify_feed.c src/armctld/notify_feed.h \
	src/armctld/notify_helper.c src/armctld/notify_helper.h \
	src/armctld/notify_json.c src/armctld/notify_json.h \
	src/armctld/notify_mail.c src/armctld/notify_mail.h \
	src/armctld/orderkey.c src/armctld/orderkey.h \
	src/armctld/peer_marks.c src/armctld/peer_marks.h \
	src/armctld/plugins.c src/armctld/plugins.h \
	src/armctld/policy.c src/armctld/policy.h \
	src/armctld/policy_class.c src/armctld/policy_class.h \
	src/armctld/policy_names.c src/armctld/policy_names.h \
	src/armctld/policy_queue.c src/armctld/policy_queue.h \
	src/armctld/recover.c src/armctld/recover.h \
	src/armctld/register_reply.c src/armctld/register_reply.h \
	src/armctld/reload.c src/armctld/reload.h \
	src/armctld/replay.c src/armctld/replay.h \
	src/armctld/replica.c src/armctld/replica.h src/armctld/replica_internal.h \
	src/armctld/replica_announce.c src/armctld/replica_announce.h \
	src/armctld/replica_facts.c src/armctld/replica_facts.h \
	src/armctld/replica_follow.c src/armctld/replica_follow.h \
	src/armctld/replica_lead.c src/armctld/replica_lead.h \
	src/armctld/replica_result.c src/armctld/replica_result.h \
	src/armctld/replica_view.c src/armctld/replica_view.h \
	src/armctld/rounds.c src/armctld/rounds.h \
	src/armctld/scheduler.c src/armctld/scheduler.h \
	src/armctld/sessions.c src/armctld/sessions.h \
	src/armctld/snapshot.c src/armctld/snapshot.h \
	src/armctld/snapshot_child.c src/armctld/snapshot_child.h \
	src/armctld/setup.c src/armctld/setup.h \
	src/armctld/shares_query.c src/armctld/shares_query.h \
	src/armctld/snapshots.c src/armctld/snapshots.h \
	src/armctld/standby.c src/armctld/standby.h \
	src/armctld/startup.c src/armctld/startup.h \
	src/armctld/user_database.c src/armctld/user_database.h \
	src/armctld/watchers.c src/armctld/watchers.h

sbin_PROGRAMS += armctld
armctld_SOURCES = src/armctld/main.c
armctld_LDADD = src/armctld/libarmctld.a src/feed/libfeed.a src/core/libcore.a src/sched/libsched.a \
	src/wire/libwire.a src/plugin/libplugin.a src/conf/libconf.a src/proto/libproto.a \
	src/util/libutil.a $(EVENT_LIBS) $(CONFIG_LIBS) $(SODIUM_LIBS) $(PROTOBUFC_LIBS) $(JANSSON_LIBS) -ldl -lpthread \
	-lm
EXTRA_DIST += src/armctld/README.md
