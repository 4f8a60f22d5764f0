# bench
check_PROGRAMS += testsuite/bench/bench_state
testsuite_bench_bench_state_LDADD = $(state_test_ldadd)

check_PROGRAMS += testsuite/bench/bench_launch
testsuite_bench_bench_launch_SOURCES = testsuite/bench/bench_launch.c $(armd_box) $(armd_rig)
testsuite_bench_bench_launch_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/testsuite/unit/armd
testsuite_bench_bench_launch_LDADD = $(armd_unit_libs)

check_PROGRAMS += testsuite/bench/bench_round
testsuite_bench_bench_round_SOURCES = testsuite/bench/bench_round.c testsuite/bench/round_world.c \
	testsuite/bench/round_world.h
testsuite_bench_bench_round_LDADD = $(sched_test_libs)
check_PROGRAMS += testsuite/bench/bench_explain
testsuite_bench_bench_explain_SOURCES = testsuite/bench/bench_explain.c \
	testsuite/bench/round_world.c testsuite/bench/round_world.h
testsuite_bench_bench_explain_LDADD = $(sched_test_libs)
check_PROGRAMS += testsuite/bench/bench_wire
testsuite_bench_bench_wire_SOURCES = testsuite/bench/bench_wire.c testsuite/unit/plugin/munged.c \
	testsuite/unit/plugin/munged.h
testsuite_bench_bench_wire_LDADD = $(wire_test_libs) src/plugin/libplugin.a src/conf/libconf.a \
	src/util/libutil.a $(CONFIG_LIBS) \
	-ldl -lm

# The rate of submissions to the cluster of $ARMADA_CONF.
check_PROGRAMS += testsuite/bench/bench_submit
testsuite_bench_bench_submit_SOURCES = testsuite/bench/bench_submit.c
testsuite_bench_bench_submit_LDADD = src/client/libarmada.so.0
testsuite_bench_bench_submit_LDFLAGS = $(libarmada_rpath)
libarmada_rpath = $(AM_LDFLAGS) -Wl,-rpath,$(abs_top_builddir)/src/client

# It links libarmada alone, as a program of a user does.
check_PROGRAMS += testsuite/bench/bench_client
testsuite_bench_bench_client_SOURCES = testsuite/bench/bench_client.c
testsuite_bench_bench_client_LDADD = src/client/libarmada.so.0
testsuite_bench_bench_client_LDFLAGS = $(libarmada_rpath)
dist_noinst_SCRIPTS = testsuite/bench/bench_cluster testsuite/bench/bench_elastic \
	testsuite/bench/bench_failover testsuite/bench/bench_gang \
	testsuite/bench/bench_rest \
	testsuite/bench/bench_snapshot
EXTRA_DIST += testsuite/bench/README.md

check_PROGRAMS += testsuite/bench/bench_deps
testsuite_bench_bench_deps_LDADD = src/feed/libfeed.a src/core/libcore.a src/sched/libsched.a \
	src/plugin/libplugin.a src/conf/libconf.a src/proto/libproto.a src/util/libutil.a \
	$(SODIUM_LIBS) $(PROTOBUFC_LIBS) $(CONFIG_LIBS) -ldl -lm
EXTRA_DIST += testsuite/bench/bench_history testsuite/bench/fill_history.py

# Watchers of one set by the code of the commands; submissions by libarmada.
check_PROGRAMS += testsuite/bench/bench_watch
testsuite_bench_bench_watch_LDADD = src/client/libarmada.so.0 src/client/libclient.a $(client_libs) \
	$(SODIUM_LIBS) $(CONFIG_LIBS) $(YAML_LIBS) $(PROTOBUFC_LIBS) $(EVENT_LIBS) -lm -ldl
testsuite_bench_bench_watch_LDFLAGS = $(libarmada_rpath)
