armctld_tests = \
	testsuite/unit/armctld/identity_cache \
	testsuite/unit/armctld/commit \
	testsuite/unit/armctld/history \
	testsuite/unit/armctld/orderkey \
	testsuite/unit/armctld/policy \
	testsuite/unit/armctld/rounds
armctld_test_libs = testsuite/tap/libtap.la src/armctld/libarmctld.la src/feed/libfeed.la src/core/libcore.la src/sched/libsched.la \
	src/wire/libwire.la src/plugin/libplugin.la src/conf/libconf.la src/proto/libproto.la \
	src/util/libutil.la $(EVENT_LIBS) $(CONFIG_LIBS) $(SODIUM_LIBS) $(PROTOBUFC_LIBS) -ldl -lm -lpthread

check_PROGRAMS += $(armctld_tests)
TESTS += $(armctld_tests)

testsuite_unit_armctld_identity_cache_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_commit_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_history_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_orderkey_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_policy_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_rounds_LDADD = $(armctld_test_libs)
