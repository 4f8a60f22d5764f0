# One program for each file of src/util.
unit_util_ldadd = testsuite/tap/libtap.a src/util/libutil.a
unit_util_tests = \
	testsuite/unit/util/units \
	testsuite/unit/util/hostlist \
	testsuite/unit/util/indexlist \
	testsuite/unit/util/rangeset \
	testsuite/unit/util/reap \
	testsuite/unit/util/rlimits \
	testsuite/unit/util/signals \
	testsuite/unit/util/err \
	testsuite/unit/util/buf \
	testsuite/unit/util/arena \
	testsuite/unit/util/log \
	testsuite/unit/util/log_peer \
	testsuite/unit/util/visible \
	testsuite/unit/util/notify \
	testsuite/unit/util/options \
	testsuite/unit/util/names \
	testsuite/unit/util/nearest \
	testsuite/unit/util/splitmix \
	testsuite/unit/util/steps \
	testsuite/unit/util/utf8
check_PROGRAMS += $(unit_util_tests)
TESTS += $(unit_util_tests)
testsuite_unit_util_units_LDADD = $(unit_util_ldadd)
testsuite_unit_util_hostlist_LDADD = $(unit_util_ldadd)
testsuite_unit_util_indexlist_LDADD = $(unit_util_ldadd)
testsuite_unit_util_rangeset_LDADD = $(unit_util_ldadd)
testsuite_unit_util_reap_LDADD = $(unit_util_ldadd)
testsuite_unit_util_rlimits_LDADD = $(unit_util_ldadd)
testsuite_unit_util_signals_LDADD = $(unit_util_ldadd)
testsuite_unit_util_err_LDADD = $(unit_util_ldadd)
testsuite_unit_util_buf_LDADD = $(unit_util_ldadd)
testsuite_unit_util_arena_LDADD = $(unit_util_ldadd)
testsuite_unit_util_log_LDADD = $(unit_util_ldadd) $(JANSSON_LIBS)
testsuite_unit_util_visible_LDADD = $(unit_util_ldadd)
testsuite_unit_util_log_peer_LDADD = $(unit_util_ldadd)
testsuite_unit_util_notify_LDADD = $(unit_util_ldadd)
testsuite_unit_util_options_LDADD = $(unit_util_ldadd)
testsuite_unit_util_names_LDADD = $(unit_util_ldadd)
testsuite_unit_util_nearest_LDADD = $(unit_util_ldadd)
testsuite_unit_util_splitmix_LDADD = $(unit_util_ldadd)
testsuite_unit_util_steps_LDADD = $(unit_util_ldadd)
testsuite_unit_util_utf8_LDADD = $(unit_util_ldadd)
