# unit tests of core
core_test_libs = testsuite/tap/libtap.la src/core/libcore.la src/sched/libsched.la src/plugin/libplugin.la \
	src/conf/libconf.la src/proto/libproto.la src/util/libutil.la \
	$(SODIUM_LIBS) $(PROTOBUFC_LIBS) $(CONFIG_LIBS) -ldl -lm
core_fixture = testsuite/unit/core/fixture.c testsuite/unit/core/fixture.h
check_PROGRAMS += testsuite/unit/core/life testsuite/unit/core/submit
TESTS += testsuite/unit/core/life testsuite/unit/core/submit
testsuite_unit_core_life_SOURCES = testsuite/unit/core/life.c $(core_fixture)
testsuite_unit_core_life_CPPFLAGS = $(tap_cppflags)
testsuite_unit_core_life_LDADD = $(core_test_libs)
testsuite_unit_core_submit_SOURCES = testsuite/unit/core/submit.c $(core_fixture)
testsuite_unit_core_submit_CPPFLAGS = $(tap_cppflags)
testsuite_unit_core_submit_LDADD = $(core_test_libs)
check_PROGRAMS += testsuite/unit/core/hostile
TESTS += testsuite/unit/core/hostile
testsuite_unit_core_hostile_SOURCES = testsuite/unit/core/hostile.c $(core_fixture)
testsuite_unit_core_hostile_CPPFLAGS = $(tap_cppflags)
testsuite_unit_core_hostile_LDADD = $(core_test_libs)
check_PROGRAMS += testsuite/unit/core/explain
TESTS += testsuite/unit/core/explain
testsuite_unit_core_explain_SOURCES = testsuite/unit/core/explain.c $(core_fixture)
testsuite_unit_core_explain_CPPFLAGS = $(tap_cppflags)
testsuite_unit_core_explain_LDADD = $(core_test_libs)
check_PROGRAMS += testsuite/unit/core/promise
TESTS += testsuite/unit/core/promise
testsuite_unit_core_promise_SOURCES = testsuite/unit/core/promise.c $(core_fixture)
testsuite_unit_core_promise_CPPFLAGS = $(tap_cppflags)
testsuite_unit_core_promise_LDADD = $(core_test_libs)
check_PROGRAMS += testsuite/unit/core/settle
TESTS += testsuite/unit/core/settle
testsuite_unit_core_settle_SOURCES = testsuite/unit/core/settle.c testsuite/unit/sched/rig.c testsuite/unit/sched/rig.h $(core_fixture)
testsuite_unit_core_settle_CPPFLAGS = $(tap_cppflags)
testsuite_unit_core_settle_LDADD = $(core_test_libs)
EXTRA_testsuite_unit_core_settle_DEPENDENCIES = $(sched_test_plugins)
