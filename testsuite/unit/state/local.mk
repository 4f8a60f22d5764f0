# unit tests of state
check_LIBRARIES += testsuite/unit/state/libharness.a
testsuite_unit_state_libharness_a_SOURCES = testsuite/unit/state/harness.c \
	testsuite/unit/state/harness.h
state_test_ldadd = testsuite/unit/state/libharness.a testsuite/tap/libtap.a $(SQLITE_LIBS)

state_tests = testsuite/unit/state/log testsuite/unit/state/crash testsuite/unit/state/damage \
	testsuite/unit/state/refuse testsuite/unit/state/history testsuite/unit/state/crc \
	testsuite/unit/state/aside testsuite/unit/state/space \
	testsuite/unit/state/accounting testsuite/unit/state/wait_times
check_PROGRAMS += $(state_tests)
TESTS += $(state_tests)
testsuite_unit_state_log_LDADD = $(state_test_ldadd)
testsuite_unit_state_crash_LDADD = $(state_test_ldadd)
testsuite_unit_state_damage_LDADD = $(state_test_ldadd)
testsuite_unit_state_refuse_LDADD = $(state_test_ldadd)
testsuite_unit_state_history_LDADD = $(state_test_ldadd)
testsuite_unit_state_space_LDADD = $(state_test_ldadd)
testsuite_unit_state_aside_LDADD = $(state_test_ldadd)
testsuite_unit_state_accounting_LDADD = $(state_test_ldadd)

testsuite_unit_state_crc_SOURCES = testsuite/unit/state/crc.c plugins/state/sqlite/crc32c.c
# compiled with its own flags, apart from the object of the plugin
testsuite_unit_state_crc_CPPFLAGS = $(AM_CPPFLAGS)
testsuite_unit_state_crc_LDADD = testsuite/tap/libtap.a

testsuite_unit_state_wait_times_SOURCES = testsuite/unit/state/wait_times.c plugins/state/sqlite/wait_times.c
testsuite_unit_state_wait_times_CPPFLAGS = $(AM_CPPFLAGS)
testsuite_unit_state_wait_times_LDADD = testsuite/tap/libtap.a
