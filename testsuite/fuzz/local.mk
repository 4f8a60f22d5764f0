# One program for each fuzz target: NAME.c with main.c replays corpus/NAME in make check.
fuzz_tests = \
	testsuite/fuzz/attempt \
	testsuite/fuzz/conf \
	testsuite/fuzz/dependency \
	testsuite/fuzz/hostlist \
	testsuite/fuzz/indexlist \
	testsuite/fuzz/jobfile \
	testsuite/fuzz/quota \
	testsuite/fuzz/quantity \
	testsuite/fuzz/script \
	testsuite/fuzz/message \
	testsuite/fuzz/order \
	testsuite/fuzz/payload \
	testsuite/fuzz/link \
	testsuite/fuzz/permit \
	testsuite/fuzz/pipe \
	testsuite/fuzz/rlimits \
	testsuite/fuzz/scenario \
	testsuite/fuzz/session \
	testsuite/fuzz/stream \
	testsuite/fuzz/signals \
	testsuite/fuzz/taint \
	testsuite/fuzz/units \
	testsuite/fuzz/walscan \
	testsuite/fuzz/when
check_PROGRAMS += $(fuzz_tests)
TESTS += $(fuzz_tests)

check_LTLIBRARIES += testsuite/fuzz/libreplay.la
testsuite_fuzz_libreplay_la_SOURCES = testsuite/fuzz/main.c
fuzz_ldadd = testsuite/fuzz/libreplay.la testsuite/tap/libtap.la

testsuite_fuzz_attempt_LDADD = $(fuzz_ldadd) src/armd/libarmd.la src/proto/libproto.la \
	src/util/libutil.la $(SODIUM_LIBS)
testsuite_fuzz_conf_LDADD = $(fuzz_ldadd) src/conf/libconf.la src/util/libutil.la
testsuite_fuzz_dependency_LDADD = $(fuzz_ldadd) src/client/libclient.la
testsuite_fuzz_when_LDADD = $(fuzz_ldadd) src/client/libclient.la
testsuite_fuzz_hostlist_LDADD = $(fuzz_ldadd) src/util/libutil.la
testsuite_fuzz_indexlist_LDADD = $(fuzz_ldadd) src/util/libutil.la
testsuite_fuzz_jobfile_LDADD = $(fuzz_ldadd) src/client/libclient.la
testsuite_fuzz_link_LDADD = $(fuzz_ldadd) src/agent/libagent.la src/proto/libproto.la \
	src/util/libutil.la $(SODIUM_LIBS)
testsuite_fuzz_permit_LDADD = $(fuzz_ldadd) src/conf/libconf.la src/util/libutil.la
testsuite_fuzz_pipe_LDADD = $(fuzz_ldadd) src/armd/libarmd.la src/proto/libproto.la \
	src/util/libutil.la $(SODIUM_LIBS)
testsuite_fuzz_message_LDADD = $(fuzz_ldadd) src/proto/libproto.la src/util/libutil.la
testsuite_fuzz_quota_LDADD = $(fuzz_ldadd) src/conf/libconf.la src/util/libutil.la
testsuite_fuzz_quantity_LDADD = $(fuzz_ldadd) src/conf/libconf.la src/util/libutil.la
testsuite_fuzz_order_LDADD = $(fuzz_ldadd) src/proto/libproto.la src/util/libutil.la
testsuite_fuzz_payload_LDADD = $(fuzz_ldadd) $(stub_ldadd)
testsuite_fuzz_stream_LDADD = $(fuzz_ldadd) $(stub_ldadd)
testsuite_fuzz_session_LDADD = $(fuzz_ldadd) testsuite/unit/wire/libpair.la src/wire/libwire.la \
	src/proto/libproto.la src/util/libutil.la $(EVENT_LIBS)
testsuite_fuzz_scenario_SOURCES = testsuite/fuzz/scenario.c \
	src/asim/rounds/check.c src/asim/rounds/check_quotas.c src/asim/rounds/check_slices.c \
	src/asim/rounds/cluster.c src/asim/rounds/doc.c src/asim/rounds/jobs.c \
	src/asim/rounds/limits.c src/asim/rounds/play.c src/asim/rounds/policy.c \
	src/asim/rounds/print.c src/asim/rounds/scenario.c src/asim/rounds/units.c
testsuite_fuzz_scenario_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
testsuite_fuzz_scenario_LDADD = $(fuzz_ldadd) src/sched/libsched.la src/plugin/libplugin.la \
	src/conf/libconf.la src/util/libutil.la $(CONFIG_LIBS) $(JANSSON_LIBS) -ldl -lm
testsuite_fuzz_script_LDADD = $(fuzz_ldadd) src/client/libclient.la
testsuite_fuzz_rlimits_LDADD = $(fuzz_ldadd) src/util/libutil.la
testsuite_fuzz_signals_LDADD = $(fuzz_ldadd) src/util/libutil.la
testsuite_fuzz_taint_LDADD = $(fuzz_ldadd) src/conf/libconf.la src/util/libutil.la
testsuite_fuzz_units_LDADD = $(fuzz_ldadd) src/util/libutil.la
testsuite_fuzz_walscan_SOURCES = testsuite/fuzz/walscan.c plugins/state/sqlite/walscan.c
testsuite_fuzz_walscan_LDADD = $(fuzz_ldadd) src/util/libutil.la

# Folders are distributed whole.
EXTRA_DIST += testsuite/fuzz/corpus
