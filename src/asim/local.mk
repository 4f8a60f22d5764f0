bin_PROGRAMS += src/asim/asim
src_asim_asim_SOURCES = \
	src/asim/main.c \
	src/asim/queue.c src/asim/queue.h \
	src/asim/rounds.c src/asim/rounds.h \
	src/asim/rounds_check.c src/asim/rounds_check_most.c src/asim/rounds_check_slices.c \
	src/asim/rounds_cluster.c \
	src/asim/rounds_jobs.c \
	src/asim/rounds_json.c src/asim/rounds_json.h \
	src/asim/rounds_most.c \
	src/asim/rounds_play.h \
	src/asim/rounds_policy.c \
	src/asim/rounds_print.c \
	src/asim/rounds_read.c src/asim/rounds_read.h \
	src/asim/storm.c src/asim/storm.h \
	src/asim/storm_check.c \
	src/asim/storm_client.c \
	src/asim/storm_clock.c \
	src/asim/storm_ctl.c \
	src/asim/storm_deps.c \
	src/asim/storm_explain.c \
	src/asim/storm_gang.c src/asim/storm_gate.c src/asim/storm_lease.c src/asim/storm_machine.h src/asim/storm_group.c src/asim/storm_link.c \
	src/asim/storm_health.c \
	src/asim/storm_most.c \
	src/asim/storm_queue.c \
	src/asim/storm_net.c \
	src/asim/storm_node.c \
	src/asim/storm_parts.h \
	src/asim/storm_policy.c \
	src/asim/storm_preempt.c \
	src/asim/storm_shutdown.c \
	src/asim/storm_signal.c \
	src/asim/storm_task.c
src_asim_asim_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir) $(JANSSON_CFLAGS)
src_asim_asim_LDADD = src/agent/libagent.la src/core/libcore.la src/sched/libsched.la \
	src/plugin/libplugin.la src/conf/libconf.la src/proto/libproto.la src/util/libutil.la \
	$(SODIUM_LIBS) $(PROTOBUFC_LIBS) $(CONFIG_LIBS) $(JANSSON_LIBS) -ldl -lm
