bin_PROGRAMS += src/asim/asim
src_asim_asim_SOURCES = \
	src/asim/main.c \
	src/asim/rounds/check.c src/asim/rounds/check.h \
	src/asim/rounds/check_quotas.c src/asim/rounds/check_quotas.h \
	src/asim/rounds/check_slices.c src/asim/rounds/check_slices.h \
	src/asim/rounds/cluster.c src/asim/rounds/cluster.h \
	src/asim/rounds/doc.c src/asim/rounds/doc.h \
	src/asim/rounds/jobs.c src/asim/rounds/jobs.h \
	src/asim/rounds/limits.c src/asim/rounds/limits.h \
	src/asim/rounds/play.c src/asim/rounds/play.h \
	src/asim/rounds/policy.c src/asim/rounds/policy.h \
	src/asim/rounds/print.c src/asim/rounds/print.h \
	src/asim/rounds/scenario.c src/asim/rounds/scenario.h \
	src/asim/rounds/site.c src/asim/rounds/site.h \
	src/asim/rounds/units.c src/asim/rounds/units.h \
	src/asim/rounds/unknown.c src/asim/rounds/unknown.h \
	src/asim/rounds/reader.h src/asim/rounds/state.h \
	src/asim/storm/admin.c src/asim/storm/admin.h \
	src/asim/storm/armd.c src/asim/storm/armd.h \
	src/asim/storm/attempt.c src/asim/storm/attempt.h \
	src/asim/storm/byzantine.c src/asim/storm/byzantine.h \
	src/asim/storm/client.c src/asim/storm/client.h \
	src/asim/storm/clock.c src/asim/storm/clock.h \
	src/asim/storm/commit.c src/asim/storm/commit.h \
	src/asim/storm/ctl.c src/asim/storm/ctl.h \
	src/asim/storm/dispatch.c src/asim/storm/dispatch.h \
	src/asim/storm/effects.c src/asim/storm/effects.h \
	src/asim/storm/event.c src/asim/storm/event.h \
	src/asim/storm/fault.c src/asim/storm/fault.h \
	src/asim/storm/fence.c src/asim/storm/fence.h \
	src/asim/storm/health.c src/asim/storm/health.h \
	src/asim/storm/history.c src/asim/storm/history.h \
	src/asim/storm/invariant.c src/asim/storm/invariant.h \
	src/asim/storm/journal.c src/asim/storm/journal.h \
	src/asim/storm/lease.c src/asim/storm/lease.h \
	src/asim/storm/net.c src/asim/storm/net.h \
	src/asim/storm/node.c src/asim/storm/node.h \
	src/asim/storm/order.c src/asim/storm/order.h \
	src/asim/storm/policy.c src/asim/storm/policy.h \
	src/asim/storm/queue.c src/asim/storm/queue.h \
	src/asim/storm/change.c src/asim/storm/change.h \
	src/asim/storm/request.c src/asim/storm/request.h \
	src/asim/storm/round.c src/asim/storm/round.h \
	src/asim/storm/seed.c src/asim/storm/seed.h \
	src/asim/storm/shutdown.c src/asim/storm/shutdown.h \
	src/asim/storm/spool.c src/asim/storm/spool.h \
	src/asim/storm/storm.c src/asim/storm/storm.h \
	src/asim/storm/submit.c src/asim/storm/submit.h \
	src/asim/storm/task.c src/asim/storm/task.h \
	src/asim/storm/user.c src/asim/storm/user.h \
	src/asim/storm/invariant/deps.c \
	src/asim/storm/invariant/elastic.c \
	src/asim/storm/invariant/ends.c \
	src/asim/storm/invariant/explain.c \
	src/asim/storm/invariant/gang.c src/asim/storm/invariant/gang.h \
	src/asim/storm/invariant/start_barrier.c \
	src/asim/storm/invariant/changes.c \
	src/asim/storm/invariant/group.c src/asim/storm/invariant/group.h \
	src/asim/storm/invariant/job_events.c \
	src/asim/storm/invariant/journal.c \
	src/asim/storm/invariant/quota.c \
	src/asim/storm/invariant/order.c src/asim/storm/invariant/steps.c \
	src/asim/storm/invariant/pause.c \
	src/asim/storm/invariant/replay.c \
	src/asim/storm/invariant/sharing.c \
	src/asim/storm/invariant/shutdown.c \
	src/asim/storm/invariant/record_trace.c \
	src/asim/storm/invariant/table.c src/asim/storm/invariant/table.h
# Only where hiredis is: the storm of several controllers. The program exports the functions of hiredis and of the clock
# that the plugin state/redis uses, so that the plugin runs in simulated time.
if HAVE_HIREDIS
src_asim_asim_SOURCES += \
	src/asim/replicated/admin.c src/asim/replicated/admin.h \
	src/asim/replicated/command.c src/asim/replicated/command.h \
	src/asim/replicated/conn.c src/asim/replicated/conn.h \
	src/asim/replicated/controller.c src/asim/replicated/controller.h \
	src/asim/replicated/controller_task.c src/asim/replicated/controller_task.h \
	src/asim/replicated/data.c src/asim/replicated/data.h \
	src/asim/replicated/fault.c src/asim/replicated/fault.h \
	src/asim/replicated/peer_marks.c src/asim/replicated/peer_marks.h \
	src/asim/replicated/reply.c src/asim/replicated/reply.h \
	src/asim/replicated/script.c src/asim/replicated/script.h \
	src/asim/replicated/seed.c src/asim/replicated/seed.h \
	src/asim/replicated/sentinel.c src/asim/replicated/sentinel.h \
	src/asim/replicated/server.c src/asim/replicated/server.h \
	src/asim/replicated/server_file.c \
	src/asim/replicated/task.c src/asim/replicated/task.h \
	src/asim/replicated/truth.c src/asim/replicated/truth.h \
	src/asim/replicated/users.c src/asim/replicated/users.h \
	src/asim/replicated/world.c src/asim/replicated/world.h
asim_exports = redisConnectWithTimeout redisFree redisSetTimeout redisEnableKeepAlive redisAppendCommandArgv \
	redisBufferWrite redisGetReplyFromReader redisBufferRead freeReplyObject clock_gettime poll
asim_ldflags = $(asim_exports:%=-Wl,--export-dynamic-symbol=%)
src_asim_asim_LDFLAGS = $(AM_LDFLAGS) $(asim_ldflags)
endif
EXTRA_DIST += src/asim/replicated/README.md src/asim/README.md src/asim/rounds/README.md src/asim/storm/README.md \
	src/asim/storm/invariant/README.md
src_asim_asim_CFLAGS = $(AM_CFLAGS)
src_asim_asim_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir) $(JANSSON_CFLAGS) $(HIREDIS_CFLAGS)
src_asim_asim_LDADD = src/agent/libagent.a src/feed/libfeed.a src/core/libcore.a src/sched/libsched.a \
	src/plugin/libplugin.a src/conf/libconf.a src/proto/libproto.a src/util/libutil.a \
	$(SODIUM_LIBS) $(PROTOBUFC_LIBS) $(CONFIG_LIBS) $(JANSSON_LIBS) -ldl -lm
