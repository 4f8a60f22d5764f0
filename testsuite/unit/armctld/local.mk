armctld_tests = \
	testsuite/unit/armctld/identity_cache \
	testsuite/unit/armctld/commit \
	testsuite/unit/armctld/accounting \
	testsuite/unit/armctld/history \
	testsuite/unit/armctld/history_copy \
	testsuite/unit/armctld/history_merge \
	testsuite/unit/armctld/orderkey \
	testsuite/unit/armctld/policy \
	testsuite/unit/armctld/replica_facts \
	testsuite/unit/armctld/rounds \
	testsuite/unit/armctld/snapshot_child \
	testsuite/unit/armctld/snapshots \
	testsuite/unit/armctld/watchers
armctld_test_libs = testsuite/tap/libtap.a src/armctld/libarmctld.a src/feed/libfeed.a src/core/libcore.a src/sched/libsched.a \
	src/wire/libwire.a src/plugin/libplugin.a src/conf/libconf.a src/proto/libproto.a \
	src/util/libutil.a $(EVENT_LIBS) $(CONFIG_LIBS) $(SODIUM_LIBS) $(PROTOBUFC_LIBS) -ldl -lm -lpthread

check_PROGRAMS += $(armctld_tests)
TESTS += $(armctld_tests)

testsuite_unit_armctld_identity_cache_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_commit_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_accounting_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_history_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_history_copy_LDADD = testsuite/unit/state/libharness.a $(armctld_test_libs) $(SQLITE_LIBS)
testsuite_unit_armctld_history_merge_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_orderkey_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_policy_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_replica_facts_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_rounds_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_snapshot_child_LDADD = testsuite/unit/core/libfixture.a testsuite/unit/sched/libtest.a $(armctld_test_libs)
testsuite_unit_armctld_snapshots_LDADD = $(armctld_test_libs)
testsuite_unit_armctld_watchers_LDADD = $(armctld_test_libs)
