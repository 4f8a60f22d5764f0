# One suite for all state engines, and the holes of Redis that state/redis closes. Built where hiredis is.
if HAVE_HIREDIS
check_LIBRARIES += testsuite/state/libengine.a
testsuite_state_libengine_a_SOURCES = testsuite/state/engine.c testsuite/state/engine.h \
	testsuite/state/servers.c testsuite/state/servers.h
testsuite_state_libengine_a_CPPFLAGS = $(AM_CPPFLAGS) $(HIREDIS_CFLAGS)
engine_ldadd = testsuite/state/libengine.a testsuite/unit/state/libharness.a testsuite/tap/libtap.a \
	$(HIREDIS_LIBS)
engine_tests = testsuite/state/suite testsuite/state/holes testsuite/state/refuse
check_PROGRAMS += $(engine_tests)
TESTS += $(engine_tests)
testsuite_state_suite_LDADD = $(engine_ldadd)
testsuite_state_holes_LDADD = $(engine_ldadd)
testsuite_state_refuse_LDADD = $(engine_ldadd)
check_PROGRAMS += testsuite/bench/bench_engines
testsuite_bench_bench_engines_LDADD = $(engine_ldadd)
endif
EXTRA_DIST += testsuite/state/README.md
