# One program for each file of src/util.
unit_util_ldadd = testsuite/tap/libtap.la src/util/libutil.la
unit_util_tests = \
	testsuite/unit/util/units \
	testsuite/unit/util/hostlist \
	testsuite/unit/util/indexlist \
	testsuite/unit/util/rangeset \
	testsuite/unit/util/err \
	testsuite/unit/util/buf \
	testsuite/unit/util/arena \
	testsuite/unit/util/log \
	testsuite/unit/util/notify
check_PROGRAMS += $(unit_util_tests)
TESTS += $(unit_util_tests)
testsuite_unit_util_units_SOURCES = testsuite/unit/util/units.c
testsuite_unit_util_units_CPPFLAGS = $(tap_cppflags)
testsuite_unit_util_units_LDADD = $(unit_util_ldadd)
testsuite_unit_util_hostlist_SOURCES = testsuite/unit/util/hostlist.c
testsuite_unit_util_hostlist_CPPFLAGS = $(tap_cppflags)
testsuite_unit_util_hostlist_LDADD = $(unit_util_ldadd)
testsuite_unit_util_indexlist_SOURCES = testsuite/unit/util/indexlist.c
testsuite_unit_util_indexlist_CPPFLAGS = $(tap_cppflags)
testsuite_unit_util_indexlist_LDADD = $(unit_util_ldadd)
testsuite_unit_util_rangeset_SOURCES = testsuite/unit/util/rangeset.c
testsuite_unit_util_rangeset_CPPFLAGS = $(tap_cppflags)
testsuite_unit_util_rangeset_LDADD = $(unit_util_ldadd)
testsuite_unit_util_err_SOURCES = testsuite/unit/util/err.c
testsuite_unit_util_err_CPPFLAGS = $(tap_cppflags)
testsuite_unit_util_err_LDADD = $(unit_util_ldadd)
testsuite_unit_util_buf_SOURCES = testsuite/unit/util/buf.c
testsuite_unit_util_buf_CPPFLAGS = $(tap_cppflags)
testsuite_unit_util_buf_LDADD = $(unit_util_ldadd)
testsuite_unit_util_arena_SOURCES = testsuite/unit/util/arena.c
testsuite_unit_util_arena_CPPFLAGS = $(tap_cppflags)
testsuite_unit_util_arena_LDADD = $(unit_util_ldadd)
testsuite_unit_util_log_SOURCES = testsuite/unit/util/log.c
testsuite_unit_util_log_CPPFLAGS = $(tap_cppflags)
testsuite_unit_util_log_LDADD = $(unit_util_ldadd)
testsuite_unit_util_notify_SOURCES = testsuite/unit/util/notify.c
testsuite_unit_util_notify_CPPFLAGS = $(tap_cppflags)
testsuite_unit_util_notify_LDADD = $(unit_util_ldadd)
