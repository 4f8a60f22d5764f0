# agent
agent_tests = testsuite/unit/agent/ledger testsuite/unit/agent/ledger_crash testsuite/unit/agent/link \
	testsuite/unit/agent/place testsuite/unit/agent/lease
check_PROGRAMS += $(agent_tests)
TESTS += $(agent_tests)
agent_test_libs = testsuite/tap/libtap.a src/agent/libagent.a src/proto/libproto.a \
	src/util/libutil.a $(SODIUM_LIBS) \
	$(PROTOBUFC_LIBS)
testsuite_unit_agent_ledger_SOURCES = testsuite/unit/agent/ledger.c testsuite/unit/agent/ledger_rig.c \
	testsuite/unit/agent/ledger_rig.h
testsuite_unit_agent_ledger_LDADD = $(agent_test_libs)
testsuite_unit_agent_ledger_crash_SOURCES = testsuite/unit/agent/ledger_crash.c \
	testsuite/unit/agent/ledger_rig.c testsuite/unit/agent/ledger_rig.h
testsuite_unit_agent_ledger_crash_LDADD = $(agent_test_libs)
testsuite_unit_agent_link_LDADD = $(agent_test_libs)
testsuite_unit_agent_place_LDADD = $(agent_test_libs)
testsuite_unit_agent_lease_LDADD = $(agent_test_libs)
