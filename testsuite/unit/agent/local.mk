# agent
check_PROGRAMS += testsuite/unit/agent/ledger
TESTS += testsuite/unit/agent/ledger
testsuite_unit_agent_ledger_LDADD = testsuite/tap/libtap.la src/agent/libagent.la \
	src/proto/libproto.la src/util/libutil.la $(SODIUM_LIBS)

check_PROGRAMS += testsuite/unit/agent/link
TESTS += testsuite/unit/agent/link
testsuite_unit_agent_link_LDADD = testsuite/tap/libtap.la src/agent/libagent.la \
	src/proto/libproto.la src/util/libutil.la $(SODIUM_LIBS)

check_PROGRAMS += testsuite/unit/agent/place
TESTS += testsuite/unit/agent/place
testsuite_unit_agent_place_LDADD = testsuite/tap/libtap.la src/agent/libagent.la \
	src/proto/libproto.la src/util/libutil.la $(SODIUM_LIBS)

check_PROGRAMS += testsuite/unit/agent/lease
TESTS += testsuite/unit/agent/lease
testsuite_unit_agent_lease_LDADD = testsuite/tap/libtap.la src/agent/libagent.la \
	src/proto/libproto.la src/util/libutil.la $(SODIUM_LIBS)
