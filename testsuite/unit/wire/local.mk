# unit tests of wire
check_LTLIBRARIES += testsuite/unit/wire/libpair.la
testsuite_unit_wire_libpair_la_SOURCES = testsuite/unit/wire/pair.c testsuite/unit/wire/pair.h \
	testsuite/unit/wire/nets.c testsuite/unit/wire/nets.h
testsuite_unit_wire_libpair_la_CPPFLAGS = $(tap_cppflags)
wire_test_libs = testsuite/tap/libtap.la testsuite/unit/wire/libpair.la src/wire/libwire.la \
	src/proto/libproto.la src/util/libutil.la $(EVENT_LIBS)

wire_tests = testsuite/unit/wire/session testsuite/unit/wire/seal testsuite/unit/wire/conn \
	testsuite/unit/wire/limits
check_PROGRAMS += $(wire_tests)
TESTS += $(wire_tests)
testsuite_unit_wire_session_SOURCES = testsuite/unit/wire/session.c
testsuite_unit_wire_session_CPPFLAGS = $(tap_cppflags)
testsuite_unit_wire_session_LDADD = $(wire_test_libs)
testsuite_unit_wire_seal_SOURCES = testsuite/unit/wire/seal.c
testsuite_unit_wire_seal_CPPFLAGS = $(tap_cppflags)
testsuite_unit_wire_seal_LDADD = $(wire_test_libs)
testsuite_unit_wire_conn_SOURCES = testsuite/unit/wire/conn.c
testsuite_unit_wire_conn_CPPFLAGS = $(tap_cppflags)
testsuite_unit_wire_conn_LDADD = $(wire_test_libs)
testsuite_unit_wire_limits_SOURCES = testsuite/unit/wire/limits.c
testsuite_unit_wire_limits_CPPFLAGS = $(tap_cppflags)
testsuite_unit_wire_limits_LDADD = $(wire_test_libs)
